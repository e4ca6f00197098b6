// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/detail/network_search.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "alloc/cluster/topology/detail/leaf_picks.hpp"
#include "alloc/cluster/topology/detail/segment_picks.hpp"
#include "alloc/cluster/topology/select_box.hpp"
#include "alloc/cluster/topology/topology.hpp"
#include "base/counted_text.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

namespace detail {

namespace {

/// Steps to look for fewer leaves than the even split needs, where that fits.
constexpr std::uint64_t improvement_steps_max = 4096;
/// A refusal counts what fits at each leaf in clusters of at most so many nodes.
constexpr std::uint32_t counted_nodes_max = 1024;
/// Steps to look for a better split at as few leaves as the first one found.
constexpr std::uint64_t better_split_steps_max = 1024;

}  // namespace

Verdict<std::vector<NodePlacement>> NetworkSearch::run() {
    const auto topology = topology_for(question_.cluster.network(), question_.wish);
    if (!topology) return topology.refusal();
    if (!topology->has_value()) return without_topology();
    switch ((*topology)->kind) {
        case TopologyKind::torus:
            return each_split([&] { return in_box((*topology)->position); });
        case TopologyKind::ring:
            return each_split([&] { return on_ring((*topology)->position); });
        default:
            return at_leaves_of(**topology);
    }
}

Refusal NetworkSearch::no(std::string why) { return {Constraint::topology, std::move(why)}; }

Refusal NetworkSearch::gave_up() { return {Constraint::gave_up, "too many choices of nodes"}; }

NetworkSearch::Answer NetworkSearch::anywhere(const NodePool& pool, bool uses_pool) const {
    if (is_uneven_) {
        if (pool.among && !budget_->spend(1 + pool.among->count() / 4)) return gave_up();
        if (auto found = question_.splits->choose(pool, uses_pool)) return *std::move(found);
        if (budget_->left == 0) return gave_up();
        return Refusal{Constraint::nodes, "no split of the job suits the nodes"};
    }
    return even_anywhere(pool, uses_pool);
}

NetworkSearch::Answer NetworkSearch::even_anywhere(const NodePool& pool, bool uses_pool) const {
    const Refusal no_nodes{Constraint::nodes, "the nodes do not serve all parts"};
    if (question_.sharing != nullptr) {
        SharedChoice choice(question_.cluster, question_.parts, *question_.sharing, uses_pool,
                            *budget_);
        if (auto found = choice.choose(pool)) return *std::move(found);
        return choice.has_given_up() ? gave_up() : no_nodes;
    }
    NodeChoice choice(question_.cluster, question_.parts, question_.required, *budget_);
    const bool is_nested = question_.splits && question_.splits->is_nested();
    if (is_nested && !question_.splits->may_serve(question_.parts, pool)) return no_nodes;
    auto found = is_nested ? choice.choose_nested(pool) : choice.choose(pool);
    if (found) return *std::move(found);
    return choice.has_given_up() ? gave_up() : no_nodes;
}

NetworkSearch::Answer NetworkSearch::on(const std::vector<NodeId>& nodes) const {
    NodeSet among;
    for (const NodeId node : nodes) among.insert(node);
    NodePool pool = question_.pool;
    pool.among = &among;
    return anywhere(pool, true);
}

bool NetworkSearch::is_eligible(NodeId node, const NodePool& pool) const {
    if (is_uneven_) return pool.contains(node) && question_.splits->takes_some(node);
    const auto& parts = question_.parts;
    return pool.contains(node) &&
           std::any_of(parts.begin(), parts.end(),
                       [&](const PartGroup& part) { return part.takes(question_.cluster, node); });
}

bool NetworkSearch::are_alike() const {
    const auto& parts = question_.parts;
    if (question_.sharing != nullptr || parts.front().rules->has_feature_counts()) return false;
    if (parts.size() == 1) return true;
    for (std::uint32_t i = 0; i < question_.cluster.node_count(); ++i) {
        const bool takes_first = parts.front().takes(question_.cluster, NodeId(i));
        for (const PartGroup& part : parts) {
            if (part.rules->has_feature_counts()) return false;
            if (part.takes(question_.cluster, NodeId(i)) != takes_first) return false;
        }
    }
    return true;
}

RunQuestion NetworkSearch::run_question() const {
    RunQuestion asked{question_.nodes, {}};
    for (const NodeId node : question_.required) asked.required.push_back(node);
    return asked;
}

NetworkSearch::Answer NetworkSearch::contiguous(const NodePool& pool) const {
    RunIndex index(question_.cluster.node_count());
    for_each_eligible(pool, [&](NodeId node) { index.add(node.value()); });
    return first_of([&](const auto& accepts) {
        return select_contiguous(index, run_question(), [&](NodeId first) {
            std::vector<NodeId> nodes;
            for (std::uint32_t i = 0; i < question_.nodes; ++i) {
                nodes.emplace_back(first.value() + i);
            }
            return accepts(nodes);
        });
    });
}

NetworkSearch::Answer NetworkSearch::on_ring(std::uint32_t position) const {
    RingIndex index(question_.cluster.network().rings[position]);
    for_each_eligible(question_.pool, [&](NodeId node) { index.add(node); });
    const auto selected =
        select_on_ring(index, run_question(), [&](const std::vector<NodeId>& nodes) {
            if (!budget_->spend()) return true;
            const Answer answer = on(nodes);
            return answer || answer.refusal().constraint == Constraint::gave_up;
        });
    if (!selected) return selected.refusal();
    return budget_->spend() ? on(*selected) : gave_up();  // other rings were tried since
}

NetworkSearch::Answer NetworkSearch::in_box(std::uint32_t position) const {
    if (question_.wish.shape->volume() != question_.nodes) {
        return no(fmt::format("the box does not have {} nodes", question_.nodes));
    }
    TorusIndex index(question_.cluster.network().toruses[position]);
    for_each_eligible(question_.pool, [&](NodeId node) { index.add(node); });
    const BoxQuestion asked{*question_.wish.shape, run_question().required};
    return first_of([&](const auto& accepts) {
        return select_box(index, asked, [&](const BoxChoice& box) { return accepts(box.nodes); });
    });
}

NetworkSearch::Answer NetworkSearch::at_leaves_of(TopologyId topology) {
    const TopologyRequest& wish = question_.wish;
    const Shared<LeafTree>& tree = trees_.of(question_.cluster.network(), topology);
    LeafQuestion asked = leaf_question(wish, {question_.nodes, 1, {}, {}, {}});
    auto found = below(tree, topology, asked);
    const auto is_settled = [](const Answer& answer) {
        return answer || answer.refusal().constraint == Constraint::gave_up;
    };
    if (!is_settled(found) && asked.height_max && wish.within == Strictness::prefer) {
        asked.height_max.reset();
        found = below(tree, topology, asked);
    }
    const bool asks_nothing = !wish.switches_max && !wish.level;
    const bool insists = wish.segment_size ||
                         (wish.switches_max && wish.switches == Strictness::require) ||
                         (wish.level && wish.within == Strictness::require);
    if (is_settled(found) || asks_nothing || insists) return found;
    return without_topology();
}

const NodeSet& NetworkSearch::nodes_of(const LeafTree& tree, TopologyId topology,
                                       std::uint32_t leaf) const {
    const Network& network = question_.cluster.network();
    const std::uint32_t position = tree.position_of_leaf(leaf);
    return topology.kind == TopologyKind::tree
               ? network.trees[topology.position].switches[position].nodes
               : network.blocks[topology.position].blocks[position].nodes;
}

NetworkSearch::Answer NetworkSearch::below(const Shared<LeafTree>& tree, TopologyId topology,
                                           const LeafQuestion& asked) {
    if (question_.nodes % asked.segment_size != 0) {
        return no("the nodes do not make up segments");
    }
    if (!question_.splits) return even_below(tree, topology, asked);
    if (!question_.splits->prefers_even()) {
        Answer other = uneven_below(tree, topology, asked, nullptr);
        if (other || !question_.splits->has_given_up()) {
            return other ? other : in_amounts(*tree, topology, asked, other.refusal());
        }
        return even_below(tree, topology, asked);
    }
    Answer even = even_below(tree, topology, asked);
    Answer other = uneven_below(tree, topology, asked, even ? &even : nullptr);
    if (other || even) return other ? other : even;
    return in_amounts(*tree, topology, asked, even.refusal());
}

Refusal NetworkSearch::in_amounts(const LeafTree& tree, TopologyId topology,
                                  const LeafQuestion& asked, const Refusal& refusal) const {
    const bool is_one_leaf = asked.leaves_max == 1U && asked.segment_size == 1;
    const bool are_few = question_.cluster.node_count() <= counted_nodes_max;
    if (refusal.constraint != Constraint::topology || !is_one_leaf || !are_few) return refusal;
    std::int64_t most = 0;
    for (std::uint32_t leaf = 0; leaf < tree.leaf_count(); ++leaf) {
        NodePool pool = question_.pool;
        pool.among = &nodes_of(tree, topology, leaf);
        const auto room = question_.splits->room(pool);
        if (!room) return refusal;
        most = std::max(most, *room);
    }
    if (most == 0) return refusal;
    return no(fmt::format("asked {} on {} at 1 {}, at most {} fit at one",
                          question_.splits->amount_asked(), counted_text(question_.nodes, "node"),
                          topology.kind == TopologyKind::tree ? "leaf switch" : "block", most));
}

NetworkSearch::Answer NetworkSearch::uneven_below(const Shared<LeafTree>& tree, TopologyId topology,
                                                  LeafQuestion asked, const Answer* even) {
    if (even != nullptr) {
        std::set<std::uint32_t> leaves;
        for (const NodePlacement& one : **even) leaves.insert(*tree->leaf_of(one.node));
        const auto fewer = static_cast<std::uint32_t>(leaves.size()) - 1;
        if (fewer == 0) return no("the even split is at one leaf");
        asked.leaves_max = std::min(asked.leaves_max.value_or(fewer), fewer);
        StepBudget& budget = question_.splits->budget();
        budget.left = std::min(budget.left, improvement_steps_max);
    }
    return uneven([&] {
        NodeRanking* const least = question_.splits->least_ranking();
        if (!least || !question_.pool.is_everything()) {
            return choice_by_choice(*tree, topology, asked, {able_at(*tree)});
        }
        LeafSupply supply{counts_at(*least, tree), {}};
        for (const AmountLevels& one : question_.splits->amount_levels()) {
            LeafAmount amount{{}, one.wanted};
            for (const AmountLevels::Level& level : one.levels) {
                amount.levels.push_back({level.more, counts_at(*level.ranking, tree)});
            }
            supply.amounts.push_back(std::move(amount));
        }
        return choice_by_choice(*tree, topology, asked, supply);
    });
}

std::vector<std::uint32_t> NetworkSearch::counts_at(NodeRanking& ranking,
                                                    const Shared<LeafTree>& tree) const {
    const LeafIndex& index = cache_.leaves(ranking, tree, question_.cluster);
    std::vector<std::uint32_t> counts;
    counts.reserve(tree->leaf_count());
    for (std::uint32_t leaf = 0; leaf < tree->leaf_count(); ++leaf) {
        counts.push_back(index.count(leaf));
    }
    return counts;
}

NetworkSearch::Answer NetworkSearch::even_below(const Shared<LeafTree>& tree, TopologyId topology,
                                                LeafQuestion asked) {
    if (question_.wish.is_contiguous || !are_alike()) {
        return choice_by_choice(*tree, topology, asked, {able_at(*tree)});
    }
    std::vector<std::uint32_t> required(tree->leaf_count(), 0);
    for (const NodeId node : question_.required) {
        const auto leaf = tree->leaf_of(node);
        if (!leaf) return no("a required node is not in the topology");
        ++required[*leaf];
    }
    for (std::uint32_t leaf = 0; leaf < required.size(); ++leaf) {
        if (required[leaf] != 0) asked.required.push_back({leaf, required[leaf]});
    }
    const PartGroup& part = question_.parts.front();
    const NodePool& pool = question_.pool;
    if (pool.is_everything() && part.rules->allow_all() && question_.parts.size() == 1) {
        return at_leaves(*tree, topology, cache_.leaves(*part.ranking, tree, question_.cluster),
                         asked);
    }
    LeafIndex index(tree);
    for_each_eligible(pool, [&](NodeId node) {
        if (const auto leaf = tree->leaf_of(node)) index.add(*leaf);
    });
    return at_leaves(*tree, topology, index, asked);
}

NetworkSearch::Answer NetworkSearch::at_leaves(const LeafTree& tree, TopologyId topology,
                                               const LeafIndex& index,
                                               const LeafQuestion& asked) const {
    const auto choice = select_leaves(index, asked);
    if (!choice) return choice.refusal();
    std::vector<NodePlacement> all;
    all.reserve(question_.nodes);
    if (question_.parts.size() > 1 && choice->shares.size() > 1) {
        NodeSet among;
        for (const LeafShare& share : choice->shares) among |= nodes_of(tree, topology, share.leaf);
        NodePool pool = question_.pool;
        pool.among = &among;
        auto found = NodeChoice(question_.cluster, question_.parts, question_.required, *budget_)
                         .choose(pool);
        if (found && has_whole_segments(tree, *found, asked.segment_size)) return *std::move(found);
    }
    std::vector<PartGroup> left = question_.parts;
    for (const LeafShare& share : choice->shares) {
        const NodeSet& here = nodes_of(tree, topology, share.leaf);
        NodePool pool = question_.pool;
        pool.among = &here;
        const NodeSet required = question_.required & here;
        auto found =
            NodeChoice(question_.cluster, take_parts(left, share.nodes), required, *budget_)
                .choose(pool);
        if (!found && question_.parts.size() == 1) {
            return no("a required node cannot take a part");
        }
        if (!found) return choice_by_choice(tree, topology, asked, {able_at(tree)});
        for (NodePlacement& one : *found) all.push_back(std::move(one));
    }
    std::sort(all.begin(), all.end(),
              [](const NodePlacement& a, const NodePlacement& b) { return a.node < b.node; });
    return all;
}

std::vector<PartGroup> NetworkSearch::take_parts(std::vector<PartGroup>& left, std::size_t count) {
    std::vector<PartGroup> taken;
    while (count > 0) {
        PartGroup& first = left.front();
        taken.push_back(first);
        taken.back().count = std::min(count, first.count);
        first.count -= taken.back().count;
        count -= taken.back().count;
        if (first.count == 0) left.erase(left.begin());
    }
    return taken;
}

std::vector<std::uint32_t> NetworkSearch::able_at(const LeafTree& tree) const {
    std::vector<std::uint32_t> able(tree.leaf_count(), 0);
    for_each_eligible(question_.pool, [&](NodeId node) {
        if (const auto leaf = tree.leaf_of(node)) ++able[*leaf];
    });
    return able;
}

bool NetworkSearch::settles(Answer found, std::optional<Answer>& settled) {
    if (!found && found.refusal().constraint != Constraint::gave_up) return false;
    settled.emplace(std::move(found));
    return true;
}

NetworkSearch::Answer NetworkSearch::choice_by_choice(const LeafTree& tree, TopologyId topology,
                                                      const LeafQuestion& asked,
                                                      LeafSupply supply) const {
    for (std::uint32_t& nodes : supply.nodes) nodes -= nodes % asked.segment_size;
    LeafPicks picks(tree, supply, {question_.nodes, asked.leaves_max, asked.height_max}, *budget_);
    std::optional<Answer> settled;
    BestSplit best;
    picks.run([&](const std::vector<std::uint32_t>& pick) {
        if (settled && (pick.size() > best.leaves || budget_->left == 0)) return true;
        NodeSet among;
        for (const std::uint32_t leaf : pick) among |= nodes_of(tree, topology, leaf);
        NodePool pool = question_.pool;
        pool.among = &among;
        Answer found = on_some_of(pool);
        if (found && !has_whole_segments(tree, *found, asked.segment_size)) {
            found = on_segments(tree, topology, pick, asked.segment_size);
        }
        const bool has_others =
            is_uneven_ && asked.segment_size == 1 && !question_.wish.is_contiguous;
        if (!has_others || (!found && !settled)) return settles(std::move(found), settled);
        if (!settled) {
            best = best_split(tree, asked, pick.size());
        } else if (!found) {
            return found.refusal().constraint == Constraint::gave_up;
        } else if (question_.splits->comes_before(question_.splits->chosen(), best.splits)) {
            best.splits = question_.splits->chosen();
        } else {
            return false;
        }
        settled.emplace(std::move(found));
        return best.anywhere && !question_.splits->comes_before(best.goal, best.splits);
    });
    const bool is_better = best.anywhere && question_.splits->comes_before(best.goal, best.splits);
    if (is_better) return *std::move(best.anywhere);
    if (settled) return *std::move(settled);
    if (picks.has_given_up()) return gave_up();
    return no("no choice of switches serves all parts");
}

NetworkSearch::BestSplit NetworkSearch::best_split(const LeafTree& tree, const LeafQuestion& asked,
                                                   std::size_t leaves) const {
    BestSplit best;
    best.leaves = leaves;
    best.splits = question_.splits->chosen();
    budget_->left = std::min(budget_->left, better_split_steps_max);
    if (asked.height_max) return best;
    Answer found = anywhere(question_.pool);
    if (!found) return best;
    std::set<std::optional<std::uint32_t>> used;
    for (const NodePlacement& one : *found) used.insert(tree.leaf_of(one.node));
    if (used.size() > leaves || used.contains(std::nullopt)) return best;
    best.goal = question_.splits->chosen();
    best.anywhere = *std::move(found);
    return best;
}

bool NetworkSearch::has_whole_segments(const LeafTree& tree,
                                       const std::vector<NodePlacement>& placements,
                                       std::uint32_t size) {
    std::map<std::uint32_t, std::uint32_t> nodes;  // by leaf
    for (std::size_t i = 0; i < placements.size(); ++i) {
        if (i != 0 && placements[i - 1].node == placements[i].node) continue;  // several groups
        ++nodes[*tree.leaf_of(placements[i].node)];
    }
    return std::all_of(nodes.begin(), nodes.end(),
                       [&](const auto& one) { return one.second % size == 0; });
}

NetworkSearch::Answer NetworkSearch::on_segments(const LeafTree& tree, TopologyId topology,
                                                 const std::vector<std::uint32_t>& leaves,
                                                 std::uint32_t size) const {
    SegmentLimits limits{size, question_.nodes / size, true};
    std::vector<SegmentLeaf> able;
    for (const std::uint32_t leaf : leaves) {
        able.push_back(segment_leaf(nodes_of(tree, topology, leaf), limits.are_nested));
    }
    SegmentPicks picks(std::move(able), limits, *budget_);
    std::optional<Answer> settled;
    picks.run([&](const NodeSet& nodes) {
        NodePool pool = question_.pool;
        pool.among = &nodes;
        Answer found = question_.wish.is_contiguous ? contiguous(pool) : anywhere(pool, true);
        return settles(std::move(found), settled);
    });
    if (settled) return *std::move(settled);
    if (picks.has_given_up()) return gave_up();
    return no("no choice of whole segments serves all parts");
}

SegmentLeaf NetworkSearch::segment_leaf(const NodeSet& nodes, bool& are_nested) const {
    struct Kind {
        std::vector<bool> takes;     ///< of the parts
        std::vector<bool> excludes;  ///< by the rules of the parts
        std::int64_t most = 0;       ///< that a node can take
        std::vector<NodeId> nodes;
    };
    const auto& parts = question_.parts;
    bool is_each_its_own = question_.wish.is_contiguous;
    bool has_features = false;
    for (const PartGroup& part : parts) {
        is_each_its_own |= part.rules->limits.has_value();
        has_features |= part.rules->has_feature_counts();
    }
    SegmentLeaf leaf;
    std::vector<Kind> kinds;
    std::map<std::pair<StateId, std::vector<bool>>, std::size_t> kind_of;
    for (const NodeId node : nodes) {
        if (!is_eligible(node, question_.pool)) continue;
        if (question_.required.contains(node)) {
            leaf.required.push_back(node);
            continue;
        }
        Kind one;
        for (const PartGroup& part : parts) {
            one.takes.push_back(part.takes(question_.cluster, node));
            one.excludes.push_back(part.rules->excluded.contains(node));
            one.most += one.takes.back() ? static_cast<std::int64_t>(part.count) : 0;
        }
        const auto [at, is_new] =
            kind_of.try_emplace({question_.cluster.states().of(node), one.excludes}, kinds.size());
        if (is_new || is_each_its_own) {
            if (is_uneven_) one.most = question_.splits->most_on(node);
            at->second = kinds.size();
            kinds.push_back(std::move(one));
        }
        kinds[at->second].nodes.push_back(node);
    }
    std::stable_sort(kinds.begin(), kinds.end(),
                     [](const Kind& a, const Kind& b) { return a.most > b.most; });
    are_nested &= !has_features && !question_.wish.is_contiguous && question_.sharing == nullptr;
    if (is_uneven_) are_nested &= question_.splits->is_nested();
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        for (std::size_t part = 0; !is_uneven_ && i > 0 && part < parts.size(); ++part) {
            are_nested &= kinds[i - 1].takes[part] || !kinds[i].takes[part];
        }
        leaf.kinds.push_back(std::move(kinds[i].nodes));
    }
    return leaf;
}

}  // namespace detail

}  // namespace trestle
