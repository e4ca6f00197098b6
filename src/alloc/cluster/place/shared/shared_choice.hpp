// SPDX-License-Identifier: Apache-2.0
#pragma once

// SharedChoice: nodes for all parts of a job whose groups may share nodes.
//
// Layer: alloc. Main type: SharedChoice. Part by part, the largest of each group first, each gets
// the first node in the order of place() that leaves nodes for the others. Parts of one group have
// different nodes; a part may have a node that earlier groups have, if the node gives both. Choices
// that turn out wrong are taken back, so a no is proven, or the search has given up.
// Pitfall: nodes that are alike are looked at once, so the candidates are the lowest nodes of each
// state, as many as the job has parts, and the required ones.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "alloc/cluster/place/node_choice.hpp"
#include "alloc/cluster/place/shared/shared_fits.hpp"
#include "alloc/node/step_budget.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

/// How groups of a job may share nodes.
struct NodeSharing {
    SharedFits* fits = nullptr;
    std::size_t nodes_max = 0;  ///< of the job in all
};

class SharedChoice {
  public:
    /// `groups` are those of each component in a row, components rising. Where `uses_pool`, all
    /// nodes of the pool have a part.
    SharedChoice(const Cluster& cluster, std::vector<PartGroup> groups, const NodeSharing& sharing,
                 bool uses_pool, detail::StepBudget& budget);

    /// The placements of all parts, by node and component; nothing when the pool does not serve
    /// them all, or the search gave up.
    [[nodiscard]] std::optional<std::vector<NodePlacement>> choose(const NodePool& pool);
    /// True when choose() ended without an answer.
    [[nodiscard]] bool has_given_up() const { return has_given_up_; }

  private:
    using Positions = std::vector<std::size_t>;

    /// A node that can take some part alone.
    struct Node {
        NodeId node;
        std::uint32_t alike = 0;        ///< equal where nodes can stand for each other
        std::vector<bool> takes;        ///< by group, alone
        std::vector<bool> is_required;  ///< by component
        Positions parts;                ///< groups that have a part of it, rising
        /// By group, whether it takes one more part of it, where that was asked; empty: of none.
        mutable std::vector<std::optional<bool>> more;
    };
    /// The groups of one component, and what of it is left to do.
    struct Component {
        const NodeRules* rules = nullptr;
        std::size_t first_group = 0;
        std::size_t end_group = 0;
        std::size_t able = 0;  ///< nodes that take some part of it alone
        std::size_t parts_left = 0;
        std::size_t required_left = 0;  ///< required nodes without a part of it
    };
    /// A node with what it has: others that have the same can stand for it.
    using Likeness = std::pair<std::uint32_t, Positions>;

    void make_components();
    void collect_nodes(const NodePool& pool);
    /// True when a node that a component requires takes no part of it.
    [[nodiscard]] bool lacks_required() const;
    /// The nodes that take the group alone, in order: required ones, then as the ranking says.
    void make_row(std::size_t group, const NodePool& pool);

    /// Chooses for the parts that have no node yet.
    [[nodiscard]] bool choose_parts();
    /// The nodes for the parts of a group, in order: required ones, those that the job has, others.
    [[nodiscard]] Positions row_now(std::size_t group) const;
    [[nodiscard]] std::uint32_t component_of(std::size_t group) const {
        return component_of_[group];
    }
    /// True when the node has a part of the group's component.
    [[nodiscard]] bool serves_component(const Node& node, std::size_t group) const;
    /// True when the node takes one more part, of the group, whose component it does not serve.
    [[nodiscard]] bool takes_more(const Node& node, std::size_t group);
    void take(std::size_t group, std::size_t node);
    void take_back(std::size_t group, std::size_t node);

    /// False when the parts without a node cannot all be served.
    [[nodiscard]] bool can_finish();
    [[nodiscard]] bool can_finish(const Component& component);
    [[nodiscard]] bool may_meet_feature_counts(const Component& component) const;
    [[nodiscard]] std::vector<NodePlacement> placements();

    const Cluster& cluster_;
    std::vector<PartGroup> groups_;
    NodeSharing sharing_;
    bool uses_pool_;
    detail::StepBudget& budget_;
    std::vector<std::uint32_t> component_of_;  ///< by group, position in components_
    std::vector<Component> components_;
    std::vector<std::size_t> group_of_;  ///< by part
    std::vector<std::size_t> left_;      ///< parts without a node, by group
    std::vector<Node> nodes_;
    std::vector<std::size_t> able_;    ///< nodes that take a part of the group alone
    std::vector<Positions> rows_;      ///< by group: positions in nodes_
    Positions chosen_;                 ///< by part: position in nodes_
    std::vector<Positions> rows_now_;  ///< of the group whose parts are being chosen, a stack
    std::vector<std::size_t> places_;  ///< by part: place in the row
    Positions used_;                   ///< nodes that have a part, as they were first taken
    bool has_given_up_ = false;
};

}  // namespace trestle
