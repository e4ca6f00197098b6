// SPDX-License-Identifier: Apache-2.0
#pragma once

// A cluster as select() looks at it: nodes by their place in Slurm's order, each state once.
//
// Layer: dialect/slurm, inside. Main types: Field, SeenNode.
// A reader would get wrong: a SeenNode is of a state, and many nodes point to one.

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "choose_nodes.hpp"
#include "node_view.hpp"
#include "trestle/alloc/cluster.hpp"
#include "trestle/dialect/slurm/choice/select.hpp"

namespace trestle::slurm::choice {

/// A state of nodes.
struct SeenNode {
    const NodeView* view = nullptr;
    NodeRoom room;
};

/// As nodes are now, or as if nothing ran.
enum class Use { now, idle };

class Field {
  public:
    Field(const Cluster& cluster, const SelectRules& rules);

    [[nodiscard]] const Cluster& cluster() const { return cluster_; }
    [[nodiscard]] std::size_t size() const { return node_at_.size(); }
    [[nodiscard]] NodeId node_at(std::size_t place) const { return node_at_[place]; }
    [[nodiscard]] std::size_t place_of(NodeId node) const { return place_of_[node.value()]; }
    [[nodiscard]] const std::vector<ViewSwitch>& switches() const { return switches_; }

    [[nodiscard]] const NodeView& view(ClassId id);
    /// `partition`: whose jobs' cores are counted; null: no one asks.
    [[nodiscard]] const SeenNode& seen(std::size_t place, Use use, const Partition* partition);

  private:
    void add_switches(const TreeTopology& tree);
    [[nodiscard]] Number partition_cores(NodeId node, const Partition& partition) const;

    const Cluster& cluster_;
    std::vector<NodeId> node_at_;
    std::vector<std::size_t> place_of_;
    std::vector<ViewSwitch> switches_;
    std::map<ClassId, NodeView> views_;
    std::map<ClassId, SeenNode> idle_;
    std::map<std::pair<StateId, Number>, SeenNode> now_;
};

}  // namespace trestle::slurm::choice
