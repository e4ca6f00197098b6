// SPDX-License-Identifier: Apache-2.0
#pragma once

// NetworkSearch: nodes for all parts of a job that lie in the network as it wants them.
//
// Layer: alloc (detail). Main type: NetworkSearch. The selections in alloc/topology say where; they
// count the nodes that can take a part. NodeChoice says which nodes there.
// The even split comes before the others but where these need fewer leaves of a tree.
// Pitfall: where a node that can take one part cannot take another, or features are shared out,
// counting is not enough; choices of leaves are then tried one by one.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "alloc/cluster/place/detail/request_cache.hpp"
#include "alloc/cluster/place/node_choice.hpp"
#include "alloc/cluster/place/shared/shared_choice.hpp"
#include "alloc/cluster/place/split/split_search.hpp"
#include "alloc/cluster/topology/detail/leaf_picks.hpp"
#include "alloc/cluster/topology/detail/segment_picks.hpp"
#include "alloc/cluster/topology/select_leaves.hpp"
#include "alloc/cluster/topology/select_run.hpp"
#include "alloc/node/step_budget.hpp"
#include "model/topologies.hpp"
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
    const std::vector<PartGroup>& parts;
    std::uint32_t nodes = 0;
    SplitSearch* splits = nullptr;  ///< other than that of the parts; null: there are none
    /// How groups share nodes, `nodes` in all; null: they do not.
    const NodeSharing* sharing = nullptr;
};

class NetworkSearch {
  public:
    NetworkSearch(const NetworkQuestion& question, VariantCache& cache, LeafTrees& trees,
                  StepBudget& budget)
        : question_(question), cache_(cache), trees_(trees), budget_(&budget) {}

    /// The placements, by node, or why the network has no place for them.
    [[nodiscard]] Verdict<std::vector<NodePlacement>> run();

  private:
    using Answer = Verdict<std::vector<NodePlacement>>;

    [[nodiscard]] static Refusal no(std::string why);
    [[nodiscard]] static Refusal gave_up();

    /// What `search` finds for the even split; where it finds nothing, for the others. A packed
    /// split is looked for among the others first.
    template <class Search>
    [[nodiscard]] Answer each_split(const Search& search) {
        if (!question_.splits) return search();
        if (!question_.splits->prefers_even()) {
            Answer other = uneven(search);
            return other || !question_.splits->has_given_up() ? other : search();
        }
        Answer even = search();
        if (even) return even;
        Answer other = uneven(search);
        return other ? other : even;
    }
    /// What `search` finds for the splits that are not even. A search that gave up is a no here,
    /// and SplitSearch::has_given_up() is true.
    template <class Search>
    [[nodiscard]] Answer uneven(const Search& search) {
        StepBudget* const before = budget_;
        budget_ = &question_.splits->budget();
        is_uneven_ = true;
        Answer answer = search();
        is_uneven_ = false;
        budget_ = before;
        if (answer || answer.refusal().constraint != Constraint::gave_up) return answer;
        question_.splits->give_up();
        return no("no split of the job was found in time");
    }

    /// Nodes of the pool, where `uses_pool` all of them.
    [[nodiscard]] Answer anywhere(const NodePool& pool, bool uses_pool = false) const;
    /// anywhere() for the parts.
    [[nodiscard]] Answer even_anywhere(const NodePool& pool, bool uses_pool) const;
    [[nodiscard]] Answer without_topology() {
        return each_split([&] { return on_some_of(question_.pool); });
    }
    /// Exactly these nodes.
    [[nodiscard]] Answer on(const std::vector<NodeId>& nodes) const;

    /// True when the node may be used and can take one of the parts.
    [[nodiscard]] bool is_eligible(NodeId node, const NodePool& pool) const;
    /// True when every node that can take one of the parts can take any of them, and any of its
    /// nodes will do.
    [[nodiscard]] bool are_alike() const;
    template <class Visit>
    void for_each_eligible(const NodePool& pool, const Visit& visit) const {
        for (std::uint32_t i = 0; i < question_.cluster.node_count(); ++i) {
            if (is_eligible(NodeId(i), pool)) visit(NodeId(i));
        }
    }
    [[nodiscard]] RunQuestion run_question() const;

    /// The placements on the first nodes that `select` offers and that serve all parts.
    template <class Select>
    [[nodiscard]] Answer first_of(const Select& select) const {
        Answer answer = gave_up();
        const auto selected = select([&](const std::vector<NodeId>& nodes) {
            answer = budget_->spend() ? on(nodes) : gave_up();
            return answer || answer.refusal().constraint == Constraint::gave_up;
        });
        if (!selected) return selected.refusal();
        return answer;
    }

    [[nodiscard]] Answer contiguous(const NodePool& pool) const;

    [[nodiscard]] Answer on_ring(std::uint32_t position) const;

    [[nodiscard]] Answer in_box(std::uint32_t position) const;

    /// At as few leaf switches, or in as few blocks, as will do. A level that is only preferred is
    /// given up first, then the topology, when all that is asked of it is only preferred.
    [[nodiscard]] Answer at_leaves_of(TopologyId topology);

    [[nodiscard]] const NodeSet& nodes_of(const LeafTree& tree, TopologyId topology,
                                          std::uint32_t leaf) const;

    /// The even split, but another one where that needs fewer leaves.
    [[nodiscard]] Answer below(const Shared<LeafTree>& tree, TopologyId topology,
                               const LeafQuestion& asked);
    [[nodiscard]] Answer even_below(const Shared<LeafTree>& tree, TopologyId topology,
                                    LeafQuestion asked);
    /// The refusal in the units of the request, where one leaf is asked for: the most that any has.
    [[nodiscard]] Refusal in_amounts(const LeafTree& tree, TopologyId topology,
                                     const LeafQuestion& asked, const Refusal& refusal) const;
    /// Splits that are not even, at fewer leaves than the answer of the even one has.
    [[nodiscard]] Answer uneven_below(const Shared<LeafTree>& tree, TopologyId topology,
                                      LeafQuestion asked, const Answer* even);

    /// The parts are dealt to the leaves in order, the largest to the lowest.
    [[nodiscard]] Answer at_leaves(const LeafTree& tree, TopologyId topology,
                                   const LeafIndex& index, const LeafQuestion& asked) const;

    /// The first parts, so many of them.
    [[nodiscard]] static std::vector<PartGroup> take_parts(std::vector<PartGroup>& left,
                                                           std::size_t count);

    /// Keeps an answer that ends a walk over choices, which a no does not.
    [[nodiscard]] static bool settles(Answer found, std::optional<Answer>& settled);
    /// What splits are compared at the fewest leaves.
    struct BestSplit {
        std::size_t leaves = 0;
        std::vector<Split> splits;  ///< of the answer found so far
        std::vector<Split> goal;    ///< no better ones exist; of `anywhere`
        std::optional<std::vector<NodePlacement>> anywhere;  ///< if at as few leaves
    };
    /// Requires: the splits were just found at so many leaves.
    [[nodiscard]] BestSplit best_split(const LeafTree& tree, const LeafQuestion& asked,
                                       std::size_t leaves) const;
    /// Tries choices of leaves in the order of their number, then of the leaves. Of splits that are
    /// not even, the best one at the fewest leaves.
    [[nodiscard]] Answer choice_by_choice(const LeafTree& tree, TopologyId topology,
                                          const LeafQuestion& asked, LeafSupply supply) const;
    /// Any nodes of the pool that follow each other where the job asks for that.
    [[nodiscard]] Answer on_some_of(const NodePool& pool) const {
        return question_.wish.is_contiguous ? contiguous(pool) : anywhere(pool);
    }
    [[nodiscard]] static bool has_whole_segments(const LeafTree& tree,
                                                 const std::vector<NodePlacement>& placements,
                                                 std::uint32_t size);
    /// Whole segments of nodes, at least one at each of the leaves.
    [[nodiscard]] Answer on_segments(const LeafTree& tree, TopologyId topology,
                                     const std::vector<std::uint32_t>& leaves,
                                     std::uint32_t size) const;
    /// The nodes that can take some part. `are_nested` becomes false when a node that can take more
    /// than another may still not replace it.
    [[nodiscard]] SegmentLeaf segment_leaf(const NodeSet& nodes, bool& are_nested) const;
    /// Nodes by leaf that can take some part.
    [[nodiscard]] std::vector<std::uint32_t> able_at(const LeafTree& tree) const;
    /// Nodes by leaf that can take the part of the ranking.
    [[nodiscard]] std::vector<std::uint32_t> counts_at(NodeRanking& ranking,
                                                       const Shared<LeafTree>& tree) const;

    const NetworkQuestion& question_;
    VariantCache& cache_;
    LeafTrees& trees_;
    StepBudget* budget_;
    bool is_uneven_ = false;  ///< splits that are not even are asked for
};

}  // namespace trestle::detail
