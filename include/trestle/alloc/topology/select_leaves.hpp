// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which leaf switches, or which blocks, give nodes to a job, and how many each.
//
// Layer: alloc. Main function: select_leaves(index, question). With height_max, first the domain:
// of those that will do the one with fewest eligible nodes, then the lowest. Then the leaves in it,
// the first difference decides: fewest leaves; lowest height of a domain that holds them all; least
// surplus, which is what the chosen leaves could give beyond what is asked, in segments; lowest
// leaf numbers. The answer is exact, and domains are walked, but never leaves.
// A reader would get wrong: a segment is never cut, so a leaf with 7 eligible nodes gives one
// segment of 4, and its other 3 nodes count for nothing.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/topology/detail/leaf_scope.hpp"
#include "trestle/alloc/topology/detail/leaf_sum.hpp"
#include "trestle/alloc/topology/detail/lowest_leaves.hpp"
#include "trestle/alloc/topology/leaf_index.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/verdict.hpp"

namespace trestle {

/// So many nodes of a leaf.
struct LeafShare {
    std::uint32_t leaf = 0;
    std::uint32_t nodes = 0;

    static constexpr auto fields(auto list) {
        return list(field("leaf", &LeafShare::leaf), field("nodes", &LeafShare::nodes));
    }
    friend bool operator==(const LeafShare&, const LeafShare&) = default;
};

/// What is asked of the leaves.
struct LeafQuestion {
    std::uint32_t nodes = 1;         ///< not 0
    std::uint32_t segment_size = 1;  ///< divides `nodes`
    std::optional<std::uint32_t> leaves_max;
    /// All in one domain of this height, or of the next lower one that there is; 0: in one leaf.
    std::optional<std::uint32_t> height_max;
    /// Leaves that have to be among the chosen ones, rising, with at least so many nodes, not 0.
    std::vector<LeafShare> required;

    static constexpr auto fields(auto list) {
        return list(field("nodes", &LeafQuestion::nodes),
                    field("segment_size", &LeafQuestion::segment_size),
                    field("leaves_max", &LeafQuestion::leaves_max),
                    field("height_max", &LeafQuestion::height_max),
                    field("required", &LeafQuestion::required));
    }
    friend bool operator==(const LeafQuestion&, const LeafQuestion&) = default;
};

/// The answer, rising by leaf, each with at least one node. Low leaves give all their segments;
/// what is left over is left in the last.
struct LeafChoice {
    std::vector<LeafShare> shares;
    std::uint32_t surplus = 0;  ///< nodes in segments that the chosen leaves could also host

    static constexpr auto fields(auto list) {
        return list(field("shares", &LeafChoice::shares), field("surplus", &LeafChoice::surplus));
    }
    friend bool operator==(const LeafChoice&, const LeafChoice&) = default;
};

namespace detail {

class LeafSelection {
  public:
    LeafSelection(const LeafIndex& index, const LeafQuestion& question)
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

    [[nodiscard]] Verdict<LeafChoice> run() {
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

  private:
    [[nodiscard]] const LeafTree& tree() const { return index_.tree(); }
    [[nodiscard]] std::uint32_t root() const {
        return static_cast<std::uint32_t>(tree().domains().size()) - 1;
    }
    [[nodiscard]] std::uint64_t taken() const { return need_.taken.size(); }
    [[nodiscard]] std::uint32_t segments_of(std::uint32_t leaf) const {
        return index_.count(leaf) / question_.segment_size;
    }
    /// Segments that a leaf gives at least, because nodes of it are required.
    [[nodiscard]] std::uint32_t least_segments(const LeafShare& required) const {
        return (required.nodes + question_.segment_size - 1) / question_.segment_size;
    }

    /// The highest level of at most this height; null when that is the leaves.
    [[nodiscard]] const LeafLevel* level_of(std::uint32_t height) const {
        const LeafLevel* found = nullptr;
        for (const LeafLevel& level : tree().levels()) {
            if (level.height <= height) found = &level;
        }
        return found;
    }

    /// Whether the domain may hold the answer, so far as can be told without looking closely.
    [[nodiscard]] bool may_do(std::uint32_t domain, std::uint64_t leaves) const {
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

    /// The domain that will do with the fewest eligible nodes, the lowest of these.
    [[nodiscard]] std::optional<std::uint32_t> best_domain(Interval<std::uint32_t> domains) const {
        std::optional<std::uint32_t> best;
        for (std::uint32_t d = domains.first; d < domains.last; ++d) {
            if (best && index_.total_of(d) >= index_.total_of(*best)) continue;
            if (!may_do(d, leaves_max_)) continue;
            const auto fewest = LeafScope(index_, need_, d).fewest_leaves();
            if (fewest && fewest->leaves + taken() <= leaves_max_) best = d;
        }
        return best;
    }

    /// The leaf that hosts what is needed with least surplus. Requires: one does.
    [[nodiscard]] std::uint32_t smallest_leaf(const LeafScope& scope) const {
        const auto& classes = scope.classes();
        auto at = classes.begin();
        while (at + 1 != classes.end() && (at + 1)->value >= need_.segments) ++at;
        return scope.next_leaf(scope.leaves().first, at->value);
    }

    /// A leaf as the domain: the one that will do with the fewest eligible nodes.
    [[nodiscard]] Verdict<LeafChoice> in_one_leaf() const {
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

    /// Exactly so many leaves besides those taken, in the order that the preface gives.
    [[nodiscard]] std::vector<std::uint32_t> leaves_below(std::uint32_t top,
                                                          const FewestLeaves& fewest) const {
        LeafScope best(index_, need_, top);
        best.keep_useful(fewest);
        auto sum = least_surplus(best.classes(), fewest.leaves, need_.segments);
        const std::uint64_t least = sum->surplus;
        for (const LeafLevel& level : tree().levels()) {
            if (level.height >= tree().domains()[top].height) break;
            bool is_found = false;
            for (std::uint32_t d = first_inside(level, top);
                 d < level.domains.last && !(is_found && sum->surplus == least); ++d) {
                if (tree().domains()[d].leaves.first >= tree().domains()[top].leaves.last) break;
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
    [[nodiscard]] std::uint32_t first_inside(const LeafLevel& level, std::uint32_t top) const {
        const auto& domains = tree().domains();
        const auto at = std::lower_bound(
            domains.begin() + level.domains.first, domains.begin() + level.domains.last,
            domains[top].leaves.first,
            [](const LeafDomain& one, std::uint32_t leaf) { return one.leaves.first < leaf; });
        return static_cast<std::uint32_t>(at - domains.begin());
    }

    /// These leaves and those taken, with what each gives.
    [[nodiscard]] LeafChoice choice_of(const std::vector<std::uint32_t>& leaves) const {
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

    [[nodiscard]] std::optional<Refusal> refuse_required() const {
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
    [[nodiscard]] Refusal refuse_level(const LeafLevel& level) const {
        std::uint64_t most = 0;
        for (std::uint32_t d = level.domains.first; d < level.domains.last; ++d) {
            const Interval<std::uint32_t> inside = tree().domains()[d].leaves;
            if (taken() != 0 &&
                !(inside.contains(need_.taken.front()) && inside.contains(need_.taken.back()))) {
                continue;
            }
            const std::uint64_t more = leaves_max_ - std::min(leaves_max_, taken());
            most = std::max(most, LeafScope(index_, need_, d).most_segments(more));
        }
        std::string where = is_tree() ? fmt::format(" below one switch of height {}", level.height)
                                      : fmt::format(" in one aggregate of {} blocks",
                                                    std::uint64_t{1} << level.height);
        if (question_.leaves_max) where += " and" + in_leaves(leaves_max_);
        return no(where, most + hosted_by_taken_);
    }

    [[nodiscard]] bool is_tree() const { return tree().kind() == TopologyKind::tree; }
    [[nodiscard]] std::string leaf_word(std::uint64_t count) const {
        if (is_tree()) return count == 1 ? "leaf switch" : "leaf switches";
        return count == 1 ? "block" : "blocks";
    }
    [[nodiscard]] std::string in_leaves(std::uint64_t count) const {
        return fmt::format(" {} {} {}", is_tree() ? "at" : "in", count, leaf_word(count));
    }
    [[nodiscard]] std::string amount(std::uint64_t segments) const {
        const std::uint32_t size = question_.segment_size;
        if (size == 1) return fmt::format("{} nodes", segments);
        return fmt::format("{} segments of {} nodes", segments, size);
    }
    [[nodiscard]] Refusal no(const std::string& where, std::uint64_t most) const {
        return {Constraint::topology, fmt::format("asked {}{}, at most {} can be had",
                                                  amount(asked_), where, amount(most))};
    }

    const LeafIndex& index_;
    const LeafQuestion& question_;
    std::uint64_t asked_;  ///< segments
    std::uint64_t leaves_max_;
    std::uint64_t hosted_by_taken_ = 0;  ///< segments at the required leaves
    LeafNeed need_;
};

}  // namespace detail

/// The best choice of leaves in the order above, or the most that can be had.
/// Requires: nodes and segment_size are not 0, the size divides nodes, required leaves exist.
/// Complexity: the domains of the heights looked at (a few instructions each), the different counts
/// of a leaf, the answer; beyond one leaf least_surplus() for each domain that is better than those
/// before it.
[[nodiscard]] inline Verdict<LeafChoice> select_leaves(const LeafIndex& index,
                                                       const LeafQuestion& question) {
    TRESTLE_EXPECTS(question.nodes != 0 && question.segment_size != 0 &&
                        question.nodes % question.segment_size == 0,
                    "segments make up the nodes");
    return detail::LeafSelection(index, question).run();
}

}  // namespace trestle
