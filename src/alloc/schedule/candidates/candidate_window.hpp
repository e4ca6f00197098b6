// SPDX-License-Identifier: Apache-2.0
#pragma once

// CandidateWindow: a cluster in which some nodes are as they are all through a period.
//
// Layer: alloc (detail). Main type: CandidateWindow. What WindowCluster is for all nodes, for those
// that place() is asked about: the others are in whatever state they were in, and are to be
// filtered out.

#include <span>
#include <unordered_map>

#include "alloc/cluster/states/description.hpp"
#include "alloc/schedule/candidates/node_parts.hpp"
#include "base/cow/cow.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/schedule/period.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle::detail {

class CandidateWindow {
  public:
    [[nodiscard]] const Cluster& cluster() const { return cluster_; }

    /// Puts the nodes into the states that they have all through the period. Requires: the parts
    /// follow the timeline. Complexity: linear in the nodes, and, for each with a state that may
    /// have changed, in its owners then.
    void open(const Timeline& timeline, NodeParts& parts, const Period& period,
              const NodeSet& nodes);

  private:
    /// Periods in which the same parts of a node are there.
    struct Validity {
        Instant first_min;
        Instant first_max = end_of_time;
        Instant end_min;
        Instant end_max = end_of_time;
        [[nodiscard]] bool holds(const Period& period) const {
            return first_min <= period.first && period.first <= first_max &&
                   end_min <= period.end && period.end <= end_max;
        }
    };
    [[nodiscard]] static Validity validity_of(std::span<const NodeParts::Part> parts,
                                              const Period& period);

    Cluster cluster_;
    Cow<Description> description_;
    NodeParts::Position followed_;
    std::unordered_map<NodeId, Validity> known_;
};

}  // namespace trestle::detail
