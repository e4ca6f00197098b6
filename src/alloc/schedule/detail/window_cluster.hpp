// SPDX-License-Identifier: Apache-2.0
#pragma once

// WindowCluster: a cluster in which all that is taken at any moment of a period is taken.
//
// Layer: alloc (detail). Main type: WindowCluster. What place() finds in it is free all through the
// period. It follows a timeline and goes from period to period, and does only what differs: nodes
// of owners that are there in one of both and not in the other. An owner that is there in both
// meets the same others as before, wherever the period lies. The journal of its cluster goes on all
// the while, so that a Placer that is asked about it stays quick.
// Pitfall: its cluster is for place() and nothing else. Nodes are in states that no owners make up;
// where a partition counts the CPUs of its jobs, one owner on each node stands for all of them and
// has as many as they have at the worst moment.

#include <vector>

#include "alloc/cluster/states/description.hpp"
#include "alloc/cluster/states/journal.hpp"
#include "alloc/schedule/timeline/owner_moment.hpp"
#include "base/cow/cow.hpp"
#include "base/cow/cow_map.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/schedule/period.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle::detail {

class WindowCluster {
  public:
    [[nodiscard]] const Cluster& cluster() const { return cluster_; }

    /// Looks at a timeline, in a period that begins at now() or later and has a moment.
    /// Complexity: what changed since the last time, and the owners that end between the starts of
    /// both periods or begin between their ends.
    void open(const Timeline& timeline, const Period& period);

    /// Puts a node of a cluster for place() into a state. Requires: the node exists.
    static void put(Cluster& cluster, NodeId node, const NodeStateData& state);
    /// Forgets states of such a cluster that no node is in, where they are many.
    static void tidy(Cluster& cluster);

  private:
    [[nodiscard]] static Instant after(Instant at) { return Instant(at.value() + 1); }
    template <class Visit>
    static void for_each_in(const Timeline::Moments& moments, const Period& period,
                            const Visit& visit) {
        for (auto at = moments.lower_bound({period.first, OwnerId(0)});
             at != moments.end() && at->key.at < period.end; ++at) {
            visit(at->key.owner);
        }
    }

    void follow(const Timeline& timeline);
    /// With running owners, which are there in a period of no moments too.
    void start_anew(const Timeline& timeline);
    void look_at(const Allocation& allocation);
    /// As look_at() of one whose part or period is another than before.
    void look_at_changed(const Allocation& allocation);
    void refresh(const Timeline& timeline);
    /// Puts the node into its state all through the period.
    void put(const Timeline& timeline, NodeId node);
    /// Enters what jobs of the partitions that count have of the node, as of an owner for each.
    void count_cpus(const Timeline& timeline, NodeId node);

    /// A partition that counts the CPUs of its jobs on a node.
    struct Counting {
        NodeSet nodes;
        Shared<Request> jobs;  ///< in the partition
    };

    /// A node in periods that begin at one moment, each of `all` for those that end between two
    /// starts.
    struct KnownStates {
        struct One {
            Period starts;
            Cow<NodeStateData> state;
        };
        Instant first;
        std::vector<One> all;
    };

    Cluster cluster_;
    Cow<Description> description_;
    JournalPosition cluster_followed_;           ///< of the timeline's cluster
    JournalPosition followed_;                   ///< of the timeline
    CowMap<OwnerId, Cow<Allocation>> reserved_;  ///< by then
    Period period_;
    std::vector<NodeId> stale_;       ///< to be looked at, perhaps more than once
    std::vector<KnownStates> known_;  ///< by node
    bool are_counts_stale_ = false;
    std::vector<Counting> counting_;
};

}  // namespace trestle::detail
