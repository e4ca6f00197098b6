// SPDX-License-Identifier: Apache-2.0
#pragma once

// NetworkSearch: nodes for all parts of a job that lie in the network as it wants them.
//
// Layer: alloc (detail). Main type: NetworkSearch. The selections in alloc/topology say where; they
// count the nodes that can take a part. NodeChoice says which nodes there.
// A reader would get wrong: where parts ask different things, a node that can take one may not be
// able to take another; leaves are then tried choice by choice, fewest and lowest first.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/detail/step_budget.hpp"
#include "trestle/alloc/place/detail/job_memory.hpp"
#include "trestle/alloc/place/node_choice.hpp"
#include "trestle/alloc/topology/select_box.hpp"
#include "trestle/alloc/topology/select_leaves.hpp"
#include "trestle/alloc/topology/select_run.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/network.hpp"
#include "trestle/model/topology_request.hpp"

namespace trestle::detail {

/// What a search for nodes has to go by.
struct NetworkQuestion {
    const Cluster& cluster;
    const TopologyRequest& wish;
    const NodePool& pool;
    const NodeSet& required;
    const std::vector<NodeChoice::Group>& groups;
    std::uint32_t nodes = 0;
};

class NetworkSearch {
  public:
    NetworkSearch(const NetworkQuestion& question, RequestMemory& memory, LeafTrees& trees,
                  StepBudget& budget)
        : question_(question), memory_(memory), trees_(trees), budget_(budget) {}

    /// The placements, by node, or why the network has no place for them.
    [[nodiscard]] Verdict<std::vector<NodePlacement>> run() {
        const TopologyRequest& wish = question_.wish;
        if (wish.shape) return in_box();
        if (wish.is_on_ring) return on_ring();
        const bool asks_leaves = wish.switches_max || wish.level || wish.segment_size;
        if (!asks_leaves) {
            return wish.is_contiguous ? contiguous(question_.pool) : anywhere(question_.pool);
        }
        const auto topology = leaf_topology();
        if (!topology) return no("there is no such topology");
        const Shared<LeafTree>& tree = trees_.of(question_.cluster.network(), *topology);
        auto found = below(tree, *topology, question_of(wish));
        if (found || found.refusal().constraint == Constraint::gave_up) return found;
        const bool may_fall_back =
            wish.switches == Locality::prefer || wish.within == Locality::prefer;
        return may_fall_back ? fall_back(tree, *topology) : found;
    }

  private:
    using Answer = Verdict<std::vector<NodePlacement>>;

    [[nodiscard]] static Refusal no(std::string why) {
        return {Constraint::topology, std::move(why)};
    }
    [[nodiscard]] Refusal gave_up() const {
        return {Constraint::gave_up, "too many choices of switches"};
    }

    [[nodiscard]] Answer anywhere(const NodePool& pool) const {
        NodeChoice choice(question_.cluster, question_.groups, question_.required);
        if (auto found = choice.choose(pool)) return *std::move(found);
        return Refusal{Constraint::nodes, "the nodes do not serve all parts"};
    }
    /// Exactly these nodes.
    [[nodiscard]] Answer on(const std::vector<NodeId>& nodes) const {
        NodeSet among;
        for (const NodeId node : nodes) among.insert(node);
        NodePool pool = question_.pool;
        pool.among = &among;
        return anywhere(pool);
    }

    /// True when the node may be used and can take one of the parts.
    [[nodiscard]] bool is_eligible(NodeId node, const NodePool& pool) const {
        const StateId state = question_.cluster.states().of(node);
        const auto& groups = question_.groups;
        return pool.contains(node) &&
               std::any_of(groups.begin(), groups.end(), [&](const NodeChoice::Group& group) {
                   return group.answers->fits(state);
               });
    }
    template <class Visit>
    void for_each_eligible(const NodePool& pool, const Visit& visit) const {
        for (std::uint32_t i = 0; i < question_.cluster.node_count(); ++i) {
            if (is_eligible(NodeId(i), pool)) visit(NodeId(i));
        }
    }
    [[nodiscard]] RunQuestion run_question() const {
        RunQuestion asked{question_.nodes, {}};
        for (const NodeId node : question_.required) asked.required.push_back(node);
        return asked;
    }

    [[nodiscard]] Answer contiguous(const NodePool& pool) const {
        RunIndex index(question_.cluster.node_count());
        for_each_eligible(pool, [&](NodeId node) { index.add(node.value()); });
        std::optional<std::vector<NodePlacement>> found;
        const auto window = select_contiguous(index, run_question(), [&](NodeId first) {
            std::vector<NodeId> nodes;
            for (std::uint32_t i = 0; i < question_.nodes; ++i) {
                nodes.emplace_back(first.value() + i);
            }
            auto placements = on(nodes);
            if (placements) found = *std::move(placements);
            return found.has_value();
        });
        if (found) return *std::move(found);
        return window ? no("no run of nodes serves all parts") : window.refusal();
    }

    [[nodiscard]] Answer on_ring() const {
        const auto id = find(TopologyKind::ring);
        if (!id) return no("there is no such ring");
        RingIndex index(question_.cluster.network().rings[id->position]);
        for_each_eligible(question_.pool, [&](NodeId node) { index.add(node); });
        const auto nodes = select_on_ring(index, run_question());
        if (!nodes) return nodes.refusal();
        return on(*nodes);
    }

    [[nodiscard]] Answer in_box() const {
        const auto id = find(TopologyKind::torus);
        if (!id) return no("there is no such torus");
        TorusIndex index(question_.cluster.network().toruses[id->position]);
        for_each_eligible(question_.pool, [&](NodeId node) { index.add(node); });
        const auto box =
            select_box(index, BoxQuestion{*question_.wish.shape, run_question().required});
        if (!box) return box.refusal();
        return on(box->nodes);
    }

    [[nodiscard]] std::optional<TopologyId> find(TopologyKind kind) const {
        const Network& network = question_.cluster.network();
        if (question_.wish.topology.empty()) return first_topology(network, kind);
        const auto named = find_topology(network, question_.wish.topology);
        return named && named->kind == kind ? named : std::nullopt;
    }
    [[nodiscard]] std::optional<TopologyId> leaf_topology() const {
        if (!question_.wish.segment_size) {
            if (const auto tree = find(TopologyKind::tree)) return tree;
        }
        return find(TopologyKind::block);
    }

    [[nodiscard]] static std::uint32_t number(const std::optional<Count>& count,
                                              std::uint32_t other) {
        if (!count) return other;
        return static_cast<std::uint32_t>(std::min<std::int64_t>(count->value(), 0xffff'fffe));
    }
    [[nodiscard]] LeafQuestion question_of(const TopologyRequest& wish) const {
        LeafQuestion asked;
        asked.nodes = question_.nodes;
        asked.segment_size = number(wish.segment_size, 1);
        if (wish.switches_max) asked.leaves_max = number(wish.switches_max, 1);
        if (wish.level) asked.height_max = number(wish.level, 0);
        return asked;
    }
    /// What is only preferred is left out, one after the other.
    [[nodiscard]] Answer fall_back(const Shared<LeafTree>& tree, TopologyId topology) {
        TopologyRequest wish = question_.wish;
        if (wish.switches == Locality::prefer && wish.switches_max) {
            wish.switches_max.reset();
            auto found = below(tree, topology, question_of(wish));
            if (found || found.refusal().constraint == Constraint::gave_up) return found;
        }
        if (wish.within == Locality::prefer && wish.level) wish.level.reset();
        if (wish.switches_max || wish.level || wish.segment_size) {
            return below(tree, topology, question_of(wish));
        }
        auto found = below(tree, topology, question_of(wish));  // as few leaves as will do
        return found ? std::move(found) : anywhere(question_.pool);
    }

    [[nodiscard]] const NodeSet& nodes_of(const LeafTree& tree, TopologyId topology,
                                          std::uint32_t leaf) const {
        const Network& network = question_.cluster.network();
        const std::uint32_t position = tree.position_of_leaf(leaf);
        return topology.kind == TopologyKind::tree
                   ? network.trees[topology.position].switches[position].nodes
                   : network.blocks[topology.position].blocks[position].nodes;
    }

    [[nodiscard]] Answer below(const Shared<LeafTree>& tree, TopologyId topology,
                               LeafQuestion asked) {
        if (question_.nodes % asked.segment_size != 0) {
            return no("the nodes do not make up segments");
        }
        const bool is_alike = question_.groups.size() == 1 && !question_.wish.is_contiguous;
        if (!is_alike) return choice_by_choice(*tree, topology, asked);
        std::vector<std::uint32_t> required(tree->leaf_count(), 0);
        for (const NodeId node : question_.required) {
            const auto leaf = tree->leaf_of(node);
            if (!leaf) return no("a required node is not in the topology");
            ++required[*leaf];
        }
        for (std::uint32_t leaf = 0; leaf < required.size(); ++leaf) {
            if (required[leaf] != 0) asked.required.push_back({leaf, required[leaf]});
        }
        PartAnswers& answers = *question_.groups.front().answers;
        const NodePool& pool = question_.pool;
        const bool is_everywhere = !pool.among && !pool.excluded && !pool.filter;
        if (is_everywhere) {
            return at_leaves(*tree, topology, memory_.leaves(answers, tree, question_.cluster),
                             asked);
        }
        LeafIndex index(tree);
        for_each_eligible(pool, [&](NodeId node) {
            if (const auto leaf = tree->leaf_of(node)) index.add(*leaf);
        });
        return at_leaves(*tree, topology, index, asked);
    }

    [[nodiscard]] Answer at_leaves(const LeafTree& tree, TopologyId topology,
                                   const LeafIndex& index, const LeafQuestion& asked) const {
        const auto choice = select_leaves(index, asked);
        if (!choice) return choice.refusal();
        std::vector<NodePlacement> all;
        all.reserve(question_.nodes);
        for (const LeafShare& share : choice->shares) {
            const NodeSet& here = nodes_of(tree, topology, share.leaf);
            NodePool pool = question_.pool;
            pool.among = &here;
            NodeChoice::Group group = question_.groups.front();
            group.count = share.nodes;
            const NodeSet required = question_.required & here;
            auto found = NodeChoice(question_.cluster, {group}, required).choose(pool);
            if (!found) return no("a required node cannot take a part");
            for (NodePlacement& one : *found) all.push_back(std::move(one));
        }
        std::sort(all.begin(), all.end(),
                  [](const NodePlacement& a, const NodePlacement& b) { return a.node < b.node; });
        return all;
    }

    /// Tries choices of leaves in the order of their number, then of the leaves.
    [[nodiscard]] Answer choice_by_choice(const LeafTree& tree, TopologyId topology,
                                          const LeafQuestion& asked) {
        const std::size_t most =
            std::min<std::size_t>(asked.leaves_max.value_or(tree.leaf_count()), tree.leaf_count());
        for (std::size_t size = 1; size <= most; ++size) {
            std::vector<std::size_t> pick(size);
            for (std::size_t i = 0; i < size; ++i) pick[i] = i;
            do {
                if (!budget_.spend()) return gave_up();
                if (asked.height_max && height_of(tree, pick) > *asked.height_max) continue;
                NodeSet among;
                for (const std::size_t leaf : pick) {
                    among |= nodes_of(tree, topology, static_cast<std::uint32_t>(leaf));
                }
                NodePool pool = question_.pool;
                pool.among = &among;
                auto found = question_.wish.is_contiguous ? contiguous(pool) : anywhere(pool);
                if (found) return found;
            } while (next_combination(pick, tree.leaf_count()));
        }
        return no("no choice of switches serves all parts");
    }

    /// Of the lowest domain that holds the leaves; 0 for one leaf.
    [[nodiscard]] static std::uint32_t height_of(const LeafTree& tree,
                                                 const std::vector<std::size_t>& pick) {
        if (pick.size() == 1) return 0;
        std::uint32_t domain = tree.parent_of_leaf(static_cast<std::uint32_t>(pick.front()));
        while (tree.domains()[domain].leaves.last <= pick.back()) {
            domain = tree.domains()[domain].parent;
        }
        return tree.domains()[domain].height;
    }

    const NetworkQuestion& question_;
    RequestMemory& memory_;
    LeafTrees& trees_;
    StepBudget& budget_;
};

}  // namespace trestle::detail
