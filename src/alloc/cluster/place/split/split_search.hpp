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
#include "alloc/cluster/place/split/splits.hpp"
#include "alloc/cluster/place/state_cache.hpp"
#include "alloc/node/step_budget.hpp"
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
    [[nodiscard]] Found choose(const NodePool& pool);
    /// True when splits were too many, or a node was too hard a question.
    [[nodiscard]] bool has_given_up() const;
    /// Of this search alone: an answer for more nodes is not lost when splits were too many.
    [[nodiscard]] StepBudget& budget() { return question_.budget; }

    /// The answers that say which nodes can take some share, or null where no answers tell.
    [[nodiscard]] NodeRanking* least_ranking();
    /// True when the node can and may take some share of some group.
    [[nodiscard]] bool takes_some(NodeId node);

    /// What the nodes together have too little of: `12 tasks: 8 fit on n1, 2 on n0`, with the
    /// constraint of one more on a node; nothing where that is not why. Requires: choose() has
    /// found nothing.
    [[nodiscard]] std::optional<Refusal> why_not(const NodePool& pool);

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
    /// How many nodes have at least `least`, `least + 1` and so on, none of them 0.
    struct Levels {
        std::int64_t least = 0;
        std::vector<std::int64_t> nodes;

        void add(std::int64_t count) { nodes.push_back(count); }
    };
    [[nodiscard]] std::optional<Levels> even_levels(std::size_t amount, std::int64_t total,
                                                    const NodePool& pool);
    [[nodiscard]] std::optional<Levels> packed_levels(std::size_t amount, std::int64_t total,
                                                      const NodePool& pool);
    /// As much as the nodes can take together, up to `most`.
    [[nodiscard]] std::int64_t capacity(std::size_t amount, std::int64_t most,
                                        const NodePool& pool);

    /// False when not even the least of everything, or of each amount alone, can be had.
    [[nodiscard]] bool may_be_served(const NodePool& pool);
    /// The nodes that can take most of the amount, as many as the job has, and how much.
    [[nodiscard]] std::vector<std::pair<NodeId, std::int64_t>> ablest(std::size_t amount,
                                                                      const NodePool& pool);

    [[nodiscard]] Found serve(std::vector<PartGroup> parts, const NodeSet& required,
                              const NodePool& pool);
    /// Tries splits of the groups from `group` on.
    [[nodiscard]] bool choose_from(std::size_t group, const Prefix& before, const NodePool& pool,
                                   Found& found);
    [[nodiscard]] bool try_parts(std::size_t group, const Prefix& before,
                                 std::vector<PartGroup> parts, bool is_even, const NodePool& pool,
                                 Found& found);
    /// `tasks`, or the devices' name.
    [[nodiscard]] std::string name_of(std::size_t amount) const;

    SplitQuestion question_;
    std::vector<Group> groups_;
    bool prefers_even_ = true;
    bool has_given_up_ = false;
};

}  // namespace trestle::detail
