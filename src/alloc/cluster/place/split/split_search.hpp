// SPDX-License-Identifier: Apache-2.0
#pragma once

// SplitSearch: nodes for a job whose tasks and devices are not split evenly.
//
// Layer: alloc (detail). Main type: SplitSearch. Where one amount is split and a node that can take
// some can take less, the first split of all follows from how many nodes can take 1, 2, 3 and so
// on: the nodes are filled up to a level, and no split is tried. Otherwise splits are tried in
// order (SplitEnumerator), which may give up.
// Pitfall: which nodes have the shares of a split is for NodeChoice, as for an even one.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/place/detail/request_cache.hpp"
#include "alloc/cluster/place/node_choice.hpp"
#include "alloc/cluster/place/node_rules.hpp"
#include "alloc/cluster/place/shared/shared_choice.hpp"
#include "alloc/cluster/place/split/splits.hpp"
#include "alloc/cluster/place/state_cache.hpp"
#include "alloc/node/step_budget.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle::detail {

/// What a search for splits goes by.
struct SplitQuestion {
    const Cluster& cluster;
    StateCache& states;
    VariantCache& cache;
    const std::vector<NodeRules>& rules;  ///< by group of the request
    const NodeSet& required;              ///< by any group
    StepBudget& budget;
    const NodeSharing* sharing = nullptr;  ///< null: groups do not share nodes
};

/// Rankings that say how many nodes can take how much of one amount.
struct AmountLevels {
    struct Level {
        std::int64_t more = 0;           ///< than at the level before
        NodeRanking* ranking = nullptr;  ///< of the first number of the level
    };

    std::vector<Level> levels;
    std::int64_t wanted = 0;  ///< in all
};

class SplitSearch {
  public:
    using Found = std::optional<std::vector<NodePlacement>>;

    /// True when splits other than the even one are allowed on so many nodes, by group.
    [[nodiscard]] static bool is_of_use(const VariantCache& cache,
                                        const std::vector<std::int64_t>& nodes);

    /// Requires: is_of_use(question.cache, nodes).
    SplitSearch(const SplitQuestion& question, const std::vector<std::int64_t>& nodes);

    /// True when the even split comes before all others.
    [[nodiscard]] bool prefers_even() const { return prefers_even_; }

    /// True when a node that can take a part of a split can take every smaller one, and nothing
    /// else ties the nodes together: see NodeChoice::choose_nested().
    [[nodiscard]] bool is_nested() const;
    /// False when too few nodes can take the parts. Requires: is_nested(), they fall.
    [[nodiscard]] bool may_serve(const std::vector<PartGroup>& parts, const NodePool& pool) const;

    /// The placements of the first split, other than the even one of all groups, that the pool
    /// serves; nothing when there is none, or the search gave up. Complexity: for one amount, the
    /// different numbers that nodes can take, and the nodes of the job.
    /// Where `uses_pool`, groups that share nodes use all of the pool.
    [[nodiscard]] Found choose(const NodePool& pool, bool uses_pool);
    /// The split of each group that choose() found last; empty where it is the even one.
    [[nodiscard]] const std::vector<Split>& chosen() const { return chosen_; }
    /// True when place() prefers these splits of the groups to others.
    [[nodiscard]] bool comes_before(const std::vector<Split>& a, const std::vector<Split>& b) const;
    /// True when splits were too many, or a node was too hard a question: what was not found may
    /// still exist.
    [[nodiscard]] bool has_given_up() const;
    /// Of this search alone: an answer for more nodes is not lost when splits were too many.
    [[nodiscard]] StepBudget& budget() { return question_.budget; }

    /// The answers that say which nodes can take some share, or null where no answers tell.
    [[nodiscard]] NodeRanking* least_ranking();
    /// True when the node can and may take some share of some group.
    [[nodiscard]] bool takes_some(NodeId node);

    /// The most that the node can take of all amounts of the only group, each by itself; 0 where a
    /// node that can take some may not take less.
    [[nodiscard]] std::int64_t most_on(NodeId node);

    /// What the nodes together have too little of, wherever they lie in the network: `12 tasks: 8
    /// fit on n1, 2 on n0`, with the constraint of one more on a node; or that too few nodes can
    /// take the least share. Nothing where that is not why.
    [[nodiscard]] std::optional<Refusal> shortage(const NodePool& pool);
    /// Of the only amount that varies, what the pool has room for, up to what is asked. Nothing
    /// where there is no such amount, or room for some does not mean room for less.
    [[nodiscard]] std::optional<std::int64_t> room(const NodePool& pool);
    /// What is asked of that amount: `8 tasks`.
    [[nodiscard]] std::string amount_asked() const;
    /// That several amounts do not fit together. Requires: choose() has found nothing, and nodes
    /// have enough of each (shortage).
    [[nodiscard]] std::optional<Refusal> amounts_apart() const;

    /// Ends the search: what was not found may still exist.
    void give_up() { has_given_up_ = true; }
    /// How many nodes can take how much of each amount that varies. Requires: least_ranking() is
    /// not null.
    [[nodiscard]] std::vector<AmountLevels> amount_levels();

  private:
    struct Group {
        SplitBounds bounds;
        bool is_uneven = false;  ///< may be
        std::map<Share, NodeRanking*> rankings;
    };

    /// Parts of the groups before, and whether each of them is the even split.
    struct Prefix {
        std::vector<PartGroup> parts;
        NodeSet required;
        bool is_even = true;
    };

    [[nodiscard]] NodeRanking& ranking(std::size_t group, const Share& share);
    [[nodiscard]] PartGroup part_group(std::size_t group, const Share& share, std::size_t count);
    [[nodiscard]] std::vector<PartGroup> parts_of(std::size_t group, const Split& split);
    [[nodiscard]] std::vector<PartGroup> even_parts(std::size_t group);

    /// How many nodes, as far as it matters, could take the share beside the required ones.
    [[nodiscard]] std::int64_t able(std::size_t group, const Share& share, const NodePool& pool);
    /// able() with so many of the only amount.
    [[nodiscard]] std::int64_t able(std::size_t amount, std::int64_t number, const NodePool& pool) {
        return able(0, groups_[0].bounds.share_with(amount, number), pool);
    }

    /// The first split of one group of which one amount varies; nothing when there is none.
    /// Requires: a node that can take some can take less.
    [[nodiscard]] std::optional<Split> level_split(std::size_t amount, const NodePool& pool);
    /// Numbers that equally many nodes can take.
    struct Step {
        std::int64_t last = 0;   ///< the highest of them
        std::int64_t nodes = 0;  ///< not 0
    };
    /// How many nodes can take each of the numbers, rising, as far as `wanted` in all: each node
    /// counts once for each number. Complexity: able() for each step, times the logarithm of its
    /// length.
    [[nodiscard]] std::vector<Step> steps(std::size_t amount, const Interval<std::int64_t>& numbers,
                                          std::int64_t wanted, const NodePool& pool);
    /// The highest of the numbers that so many nodes can take. Requires: they can take the first.
    [[nodiscard]] std::int64_t last_with(std::size_t amount, Interval<std::int64_t> numbers,
                                         std::int64_t nodes, const NodePool& pool);
    [[nodiscard]] std::optional<Split> even_split(std::size_t amount, std::int64_t total,
                                                  const NodePool& pool);
    [[nodiscard]] std::optional<Split> packed_split(std::size_t amount, std::int64_t total,
                                                    const NodePool& pool);
    /// As much as the nodes can take together, up to `most`.
    [[nodiscard]] std::int64_t capacity(std::size_t amount, std::int64_t most,
                                        const NodePool& pool);

    /// False when the nodes together have too little free of some amount. Complexity: the states
    /// that nodes are in, the first time.
    [[nodiscard]] bool has_free_amounts();
    /// False when not even the least of everything, or of each amount alone, can be had.
    [[nodiscard]] bool may_be_served(const NodePool& pool);
    /// The nodes that can take most of the amount, as many as the job has.
    struct Ablest {
        std::int64_t count = 0;  ///< of them: there may be fewer
        std::int64_t room = 0;   ///< what they can take together
        std::int64_t most = 0;   ///< what the first can take
        /// Those that a refusal names, the ablest first, and how much each can take.
        std::vector<std::pair<NodeId, std::int64_t>> named;
    };
    /// Complexity: as for steps(); with required nodes or a filter also the nodes of the job.
    [[nodiscard]] Ablest ablest(std::size_t amount, const NodePool& pool);

    [[nodiscard]] Found serve(std::vector<PartGroup> parts, const NodeSet& required,
                              const NodePool& pool, bool uses_pool = false);
    /// Nodes that the group may not have but for its own: those required by others, or by itself.
    [[nodiscard]] const NodeSet& kept_apart(std::size_t group) const {
        return question_.sharing != nullptr ? question_.rules[group].required : question_.required;
    }
    /// Tries splits of the groups from `group` on.
    [[nodiscard]] bool choose_from(std::size_t group, const Prefix& before, const NodePool& pool,
                                   Found& found);
    [[nodiscard]] bool try_parts(std::size_t group, const Prefix& before,
                                 std::vector<PartGroup> parts, bool is_even, const NodePool& pool,
                                 Found& found);
    /// The refusal where the nodes have too little free of an amount, whatever else is asked.
    [[nodiscard]] std::optional<Refusal> too_little_free();
    /// The refusal where the nodes, ablest(), can take too little of the amount.
    [[nodiscard]] Refusal too_little(std::size_t amount, const Ablest& nodes, const NodePool& pool);
    /// Why the node cannot take the share; nothing: it can, or nothing of its own keeps it.
    [[nodiscard]] std::optional<Refusal> refusal_on(NodeId node, const Share& share);
    /// The refusal where too few nodes can take the least of the amount.
    [[nodiscard]] Refusal too_few_able(std::size_t amount, const NodePool& pool);
    /// The nodes that are not in the list, by name where the cluster has few: `n1 and n2`.
    [[nodiscard]] std::string others_than(const std::vector<std::pair<NodeId, std::int64_t>>& nodes,
                                          const NodePool& pool) const;
    /// What limits the amount where nothing else does.
    [[nodiscard]] static Constraint resource_of(std::size_t amount);
    /// `tasks`, or the devices' name.
    [[nodiscard]] std::string name_of(std::size_t amount) const;

    SplitQuestion question_;
    std::vector<Group> groups_;
    std::vector<Split> chosen_;
    bool prefers_even_ = true;
    bool uses_pool_ = false;
    bool has_given_up_ = false;
};

}  // namespace trestle::detail
