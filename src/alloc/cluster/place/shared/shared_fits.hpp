// SPDX-License-Identifier: Apache-2.0
#pragma once

// SharedFits: what one node gives to parts of several groups of a job together.
//
// Layer: alloc. Main type: SharedFits. fit() serves one part after the other, each from
// what those before it left: first in the order of the groups, then in other orders.
// Pitfall: fit() chooses for one part at a time, so an order may fail where another choice of cores
// would serve all. is_sure() tells such a no from a proven one.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "alloc/cluster/place/node_choice.hpp"
#include "alloc/cluster/place/node_ranking.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

/// For one decision: the cluster does not change.
class SharedFits {
  public:
    using Parts = std::vector<const PartGroup*>;

    explicit SharedFits(const Cluster& cluster) : cluster_(cluster) {}

    /// What the node gives to each of the parts, with its component; nothing when it does not give
    /// that to all of them. Requires: there are two parts or more, of components that rise, and the
    /// node takes each of them alone.
    [[nodiscard]] std::optional<std::vector<NodePlacement>> together(NodeId node,
                                                                     const Parts& parts);
    /// False when a no of together() may be due to the choices of fit().
    [[nodiscard]] bool is_sure() const { return is_sure_; }

  private:
    /// What nodes in one state give.
    struct Answer {
        std::vector<NodePlacement> given;  ///< empty: they do not
        bool is_sure = true;
    };
    using Key = std::pair<StateId, std::vector<const NodeRanking*>>;

    [[nodiscard]] Answer ask(NodeId node, const Parts& parts) const;
    /// The parts served in the order of these positions; empty where one is not.
    [[nodiscard]] std::vector<NodePlacement> in_order(NodeId node, const Parts& parts,
                                                      const std::vector<std::size_t>& order) const;
    /// False when the node has too little of something, however it is dealt out.
    [[nodiscard]] bool has_enough(NodeId node, const Parts& parts) const;
    /// True when the partitions give these parts of the node.
    [[nodiscard]] static bool do_partitions_allow(NodeId node, const Parts& parts,
                                                  const std::vector<NodePlacement>& given);

    const Cluster& cluster_;
    std::map<Key, Answer> known_;
    bool is_sure_ = true;
};

}  // namespace trestle
