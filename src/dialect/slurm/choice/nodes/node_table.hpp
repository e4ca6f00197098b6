// SPDX-License-Identifier: Apache-2.0
#pragma once

// A cluster as select() looks at it: nodes by their place in Slurm's order, each state once.
//
// Layer: dialect/slurm, inside. Main types: NodeTable, SeenNode, StateRun. A NodeTable is of one
// description and one set of rules, and follows the states of the nodes by the cluster's journal.
// What it knows of a state is of the very object that the cluster keeps of it, which never changes.
// Pitfall: a SeenNode is of a state, and many nodes are seen as one.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../network/switches.hpp"
#include "../on_node/node_view.hpp"
#include "alloc/cluster/states/description.hpp"
#include "alloc/cluster/states/journal.hpp"
#include "alloc/cluster/states/node_states.hpp"
#include "answer_memory.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/dialect/slurm/choice/select.hpp"

namespace trestle::slurm::choice {

/// A state of nodes.
struct SeenNode {
    const NodeView* view = nullptr;
    NodeRoom room;
};

/// Neighbouring nodes in one state.
struct StateRun {
    Places places;
    StateId state;
};

struct UnitTable;

class NodeTable {
  public:
    NodeTable(const Cluster& cluster, const SelectRules& rules);
    ~NodeTable();
    NodeTable(const NodeTable&) = delete;
    NodeTable& operator=(const NodeTable&) = delete;

    /// Whether this was made of the cluster's description. One that was changed is another one.
    [[nodiscard]] bool is_of(const Cluster& cluster) const {
        return description_.is_same_object(cluster.description());
    }
    /// Takes note of the states that nodes are in. Requires: is_of(cluster).
    /// Complexity: nothing, if none moved; else the nodes, of which each costs little.
    void follow(const Cluster& cluster);

    [[nodiscard]] std::size_t node_count() const { return node_at_.size(); }
    [[nodiscard]] NodeId node_at(Place place) const { return node_at_[place]; }
    [[nodiscard]] Place place_of(NodeId node) const { return place_of_[node.value()]; }
    /// The switches of that topology, of the first tree for an empty name; null: it is no tree.
    [[nodiscard]] const SwitchTree* switches(std::string_view topology) const;
    /// The blocks, rings or tori of that topology; null: it has none.
    [[nodiscard]] const UnitTable* units(std::string_view topology) const;

    // Requires of all below: follow(cluster) since the cluster changed.
    /// All places, rising.
    [[nodiscard]] const std::vector<StateRun>& runs() const { return runs_; }
    /// By class.
    [[nodiscard]] const std::vector<Number>& nodes_of_class() const { return nodes_of_class_; }
    [[nodiscard]] const NodeView& view(ClassId id);
    /// A node of the class as if nothing ran.
    [[nodiscard]] const SeenNode& idle(ClassId id);
    /// A node in the state. Good until follow() finds a change.
    [[nodiscard]] const SeenNode& seen(const Cluster& cluster, StateId state);
    [[nodiscard]] AnswerMemory& answers() { return answers_; }

  private:
    struct KnownState {
        Cow<NodeStateData> data;
        SeenNode seen;
    };

    void find_runs();
    void change_run(Place place);

    Cow<detail::Description> description_;
    std::vector<NodeId> node_at_;
    std::vector<Place> place_of_;
    std::vector<std::string> trees_;    ///< their names
    std::vector<SwitchTree> switches_;  ///< by tree
    std::vector<UnitTable> units_;
    std::vector<std::optional<NodeView>> views_;  ///< by class
    std::vector<std::optional<SeenNode>> idle_;   ///< by class
    std::vector<std::optional<KnownState>> now_;  ///< by state
    std::optional<JournalPosition> followed_;
    std::vector<StateId> state_at_;
    std::vector<StateRun> runs_;
    std::vector<Number> nodes_of_class_;
    AnswerMemory answers_;
};

/// Sets the order of nodes that the rules have for the cluster.
void order_nodes(const Cluster& cluster, SelectRules& rules);

/// The partition's first node by place; nothing: it has none.
[[nodiscard]] std::optional<NodeId> first_node(const NodeTable& table, const Partition& partition);

/// Adds all places of so many nodes that are not among these. Both lists are rising.
void exclude_others(const std::vector<Place>& among, std::size_t nodes,
                    std::vector<Place>& excluded);

/// The topology in which jobs of the partition are placed; empty: the first tree.
[[nodiscard]] std::string_view topology_of(const SelectRules& rules, const PartitionLine& line);

/// Cores that jobs of the partition have on the node, by socket; those that they share as often as
/// they do.
[[nodiscard]] std::vector<Number> partition_cores(const Cluster& cluster, NodeId node,
                                                  const NodeView& view, const Partition& partition);

}  // namespace trestle::slurm::choice
