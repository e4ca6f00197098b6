// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/topology/select_leaves.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/states/node_classes.hpp"
#include "alloc/cluster/topology/detail/leaf_sum.hpp"
#include "alloc/cluster/topology/detail/lowest_leaves.hpp"
#include "base/counted_text.hpp"
#include "trestle/base/contract.hpp"

namespace trestle {

namespace detail {

LeafSelection::LeafSelection(const LeafIndex& index, const LeafQuestion& question)
    : index_(index),
      question_(question),
      asked_(question.nodes / question.segment_size),
      leaves_max_(question.leaves_max.value_or(std::numeric_limits<std::uint32_t>::max())) {
    need_.segment_size = question.segment_size;
    for (const LeafShare& one : question.required) {
        need_.taken.push_back(one.leaf);
        hosted_by_taken_ += segments_of(one.leaf);
    }
    need_.segments = asked_ - std::min(asked_, hosted_by_taken_);
}

Verdict<LeafChoice> LeafSelection::run() {
    if (tree().leaf_count() == 0) return no("", 0);
    if (auto refusal = refuse_required()) return *std::move(refusal);
    std::uint32_t top = root();
    if (question_.height_max) {
        const LeafLevel* level = level_of(*question_.height_max);
        if (level == nullptr) return in_one_leaf();
        const auto domain = best_domain(level->domains);
        if (!domain) return refuse_level(*level);
        top = *domain;
    }
    const LeafScope scope(index_, need_, top);
    const auto fewest = scope.fewest_leaves();
    if (!fewest) return no("", scope.most_segments(leaves_max_) + hosted_by_taken_);
    if (fewest->leaves + taken() > leaves_max_) {
        const std::uint64_t more = leaves_max_ - std::min(leaves_max_, taken());
        return no(in_leaves(leaves_max_), scope.most_segments(more) + hosted_by_taken_);
    }
    if (fewest->leaves == 0) return choice_of({});
    if (fewest->leaves == 1 && taken() == 0) return choice_of({smallest_leaf(scope)});
    return choice_of(leaves_below(top, *fewest));
}

const LeafLevel* LeafSelection::level_of(std::uint32_t height) const {
    const LeafLevel* found = nullptr;
    for (const LeafLevel& level : tree().levels()) {
        if (level.height <= height) found = &level;
    }
    return found;
}

bool LeafSelection::may_do(std::uint32_t domain, std::uint64_t leaves) const {
    const Interval<std::uint32_t> inside = tree().domains()[domain].leaves;
    if (index_.total_of(domain) < question_.nodes) return false;
    if (!need_.taken.empty() &&
        (!inside.contains(need_.taken.front()) || !inside.contains(need_.taken.back()))) {
        return false;
    }
    std::uint64_t segments = 0;
    for (const LeavesOfCount& one : index_.histogram_of(domain)) {
        const std::uint64_t here = std::min<std::uint64_t>(one.leaves, leaves);
        segments += here * (one.count / question_.segment_size);
        leaves -= here;
        if (leaves == 0 || segments >= asked_) break;
    }
    return segments >= asked_;
}

std::optional<std::uint32_t> LeafSelection::best_domain(Interval<std::uint32_t> domains) const {
    std::optional<std::uint32_t> best;
    for (std::uint32_t d = domains.first; d < domains.end; ++d) {
        if (best && index_.total_of(d) >= index_.total_of(*best)) continue;
        if (!may_do(d, leaves_max_)) continue;
        const auto fewest = LeafScope(index_, need_, d).fewest_leaves();
        if (fewest && fewest->leaves + taken() <= leaves_max_) best = d;
    }
    return best;
}

std::uint32_t LeafSelection::smallest_leaf(const LeafScope& scope) const {
    const auto& classes = scope.classes();
    auto at = classes.begin();
    while (at + 1 != classes.end() && (at + 1)->value >= need_.segments) ++at;
    return scope.next_leaf(scope.leaves().first, at->value);
}

Verdict<LeafChoice> LeafSelection::in_one_leaf() const {
    if (taken() != 0) {
        if (taken() == 1 && need_.segments == 0) return choice_of({});
        return no(in_leaves(1), taken() == 1 ? hosted_by_taken_ : 0);
    }
    const LeafHistogram& all = index_.histogram_of(root());
    const std::uint32_t most = all.empty() ? 0 : all.front().count;
    if (most < question_.nodes) return no(in_leaves(1), most / question_.segment_size);
    auto at = all.begin();
    while (at + 1 != all.end() && (at + 1)->count >= question_.nodes) ++at;
    return choice_of({*index_.next_leaf(0, {at->count, at->count + 1})});
}

std::vector<std::uint32_t> LeafSelection::leaves_below(std::uint32_t top,
                                                       const FewestLeaves& fewest) const {
    LeafScope best(index_, need_, top);
    best.keep_useful(fewest);
    auto sum = least_surplus(best.classes(), fewest.leaves, need_.segments);
    const std::uint64_t least = sum->surplus;
    for (const LeafLevel& level : tree().levels()) {
        if (level.height >= tree().domains()[top].height) break;
        bool is_found = false;
        for (std::uint32_t d = first_inside(level, top);
             d < level.domains.end && !(is_found && sum->surplus == least); ++d) {
            if (tree().domains()[d].leaves.first >= tree().domains()[top].leaves.end) break;
            if (!may_do(d, fewest.leaves + taken())) continue;
            LeafScope scope(index_, need_, d);
            scope.keep_useful(fewest);
            if (is_found && scope.classes() == best.classes()) continue;
            auto here = least_surplus(scope.classes(), fewest.leaves, need_.segments);
            if (!here || (is_found && here->surplus >= sum->surplus)) continue;
            best = std::move(scope);
            sum = std::move(here);
            is_found = true;
        }
        if (is_found) break;
    }
    return LowestLeaves(best, std::move(sum->taken)).run();
}

std::uint32_t LeafSelection::first_inside(const LeafLevel& level, std::uint32_t top) const {
    const auto& domains = tree().domains();
    const auto at = std::lower_bound(
        domains.begin() + level.domains.first, domains.begin() + level.domains.end,
        domains[top].leaves.first,
        [](const LeafDomain& one, std::uint32_t leaf) { return one.leaves.first < leaf; });
    return static_cast<std::uint32_t>(at - domains.begin());
}

LeafChoice LeafSelection::choice_of(const std::vector<std::uint32_t>& leaves) const {
    LeafChoice choice;
    std::uint64_t segments = 0;
    std::uint64_t left = asked_;
    for (const LeafShare& one : question_.required) {
        choice.shares.push_back({one.leaf, least_segments(one)});
    }
    for (const std::uint32_t leaf : leaves) choice.shares.push_back({leaf, 1});
    std::sort(choice.shares.begin(), choice.shares.end(),
              [](const LeafShare& a, const LeafShare& b) { return a.leaf < b.leaf; });
    for (const LeafShare& share : choice.shares) left -= share.nodes;
    for (LeafShare& share : choice.shares) {
        const std::uint32_t more = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(left, segments_of(share.leaf) - share.nodes));
        left -= more;
        segments += segments_of(share.leaf);
        share.nodes = (share.nodes + more) * question_.segment_size;
    }
    choice.surplus = static_cast<std::uint32_t>(segments - asked_) * question_.segment_size;
    return choice;
}

std::optional<Refusal> LeafSelection::refuse_required() const {
    std::uint64_t least = 0;
    for (const LeafShare& one : question_.required) {
        least += least_segments(one);
        if (least_segments(one) <= segments_of(one.leaf)) continue;
        return Refusal{Constraint::topology,
                       fmt::format("{} nodes of one {} are required, it has {}", one.nodes,
                                   leaf_word(1), index_.count(one.leaf))};
    }
    if (least <= asked_) return std::nullopt;
    return Refusal{Constraint::topology, fmt::format("asked {}, the required nodes make {}",
                                                     amount(asked_), amount(least))};
}

Refusal LeafSelection::refuse_level(const LeafLevel& level) const {
    std::uint64_t most = 0;
    for (std::uint32_t d = level.domains.first; d < level.domains.end; ++d) {
        const Interval<std::uint32_t> inside = tree().domains()[d].leaves;
        if (taken() != 0 &&
            !(inside.contains(need_.taken.front()) && inside.contains(need_.taken.back()))) {
            continue;
        }
        const std::uint64_t more = leaves_max_ - std::min(leaves_max_, taken());
        most = std::max(most, LeafScope(index_, need_, d).most_segments(more));
    }
    std::string where =
        is_tree() ? fmt::format(" below one switch of height {}", level.height)
                  : fmt::format(" in one aggregate of {} blocks", std::uint64_t{1} << level.height);
    if (question_.leaves_max) where += " and" + in_leaves(leaves_max_);
    return no(where, most + hosted_by_taken_);
}

std::string LeafSelection::leaf_word(std::uint64_t count) const {
    if (is_tree()) return count == 1 ? "leaf switch" : "leaf switches";
    return count == 1 ? "block" : "blocks";
}

std::string LeafSelection::amount(std::uint64_t segments) const {
    const std::uint32_t size = question_.segment_size;
    if (size == 1) return counted_text(static_cast<std::int64_t>(segments), "node");
    return fmt::format("{} of {} nodes",
                       counted_text(static_cast<std::int64_t>(segments), "segment"), size);
}

Refusal LeafSelection::no(const std::string& where, std::uint64_t most) const {
    return {Constraint::topology,
            fmt::format("asked {}{}, at most {} can be had", amount(asked_), where, amount(most))};
}

}  // namespace detail

Verdict<LeafChoice> select_leaves(const LeafIndex& index, const LeafQuestion& question) {
    TRESTLE_EXPECTS(question.nodes != 0 && question.segment_size != 0 &&
                        question.nodes % question.segment_size == 0,
                    "segments make up the nodes");
    return detail::LeafSelection(index, question).run();
}

}  // namespace trestle
