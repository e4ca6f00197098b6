// SPDX-License-Identifier: Apache-2.0
#pragma once

// MoveTrials: a cluster to try moves on, and a budget for that.
//
// Layer: alloc (detail). Main types: Mover, Destination, MoveTrials; movers_of. A move is checked
// and made as whoever carries it out would do. A reader would get wrong: an owner that is away
// keeps its licences and the like, since wherever it goes it takes them along.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/compaction/compaction_plan.hpp"
#include "trestle/alloc/place.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/request.hpp"
#include "trestle/model/tres.hpp"

namespace trestle::detail {

/// CPUs, memory, devices by name and cluster-wide counts, all nodes together; types and the number
/// of nodes may change in a move.
[[nodiscard]] inline TresCounts held_amounts(const Cluster& cluster, const Placement& placement) {
    TresCounts amounts;
    for (const NodePlacement& part : placement.nodes) {
        for (const auto& [tres, count] : tres_of(cluster.shape(part.node), part).entries) {
            const bool is_typed = tres.name.find(':') != std::string::npos;
            if (tres.type != "node" && !is_typed) amounts.add(tres, count);
        }
    }
    for (const ClusterCount& one : placement.cluster_counts) {
        amounts.add({"license", one.name}, one.count);
    }
    return amounts;
}

/// True when nothing of `least` is missing.
[[nodiscard]] inline bool has_all(const TresCounts& amounts, const TresCounts& least) {
    return std::all_of(least.entries.begin(), least.entries.end(),
                       [&](const auto& entry) { return amounts.of(entry.first) >= entry.second; });
}

/// Who may move.
struct Mover {
    Allocation held;
    TresCounts amounts;

    [[nodiscard]] OwnerId owner() const { return held.owner; }
};

/// By owner; who has no request that says anything stays. Errors: those of plan_compaction() for
/// `movable`.
[[nodiscard]] inline StatusOr<std::vector<Mover>> movers_of(const Cluster& cluster,
                                                            std::span<const OwnerId> movable) {
    std::vector<OwnerId> owners(movable.begin(), movable.end());
    std::sort(owners.begin(), owners.end());
    const auto twice = std::adjacent_find(owners.begin(), owners.end());
    if (twice != owners.end()) {
        return invalid_argument("owner {} stands twice among the movable ones", *twice);
    }
    const Request nothing;
    std::vector<Mover> movers;
    movers.reserve(owners.size());
    for (const OwnerId owner : owners) {
        const Allocation* const held = cluster.find_allocation(owner);
        if (held == nullptr) return not_found("owner {} has nothing to move", owner);
        TRESTLE_TRY_STATUS(with_context(fmt::format("owner {}", owner), check(*held->request)));
        if (*held->request == nothing) continue;
        movers.push_back({*held, held_amounts(cluster, held->placement)});
    }
    return movers;
}

/// What place() says to an owner that is to move.
struct Destination {
    bool fits = false;            ///< it has a place
    std::optional<Placement> to;  ///< which is another than it has, and not less
};

class MoveTrials {
  public:
    MoveTrials(const Cluster& cluster, const PlaceOptions& options, const CompactionRules& rules)
        : cluster_(cluster), placer_(options), rules_(rules), left_(rules.trials_max) {}

    [[nodiscard]] Cluster& cluster() { return cluster_; }
    [[nodiscard]] const CompactionRules& rules() const { return rules_; }
    [[nodiscard]] Policy policy() const { return placer_.options().policy; }
    /// The nodes that the rules let moved owners come to.
    [[nodiscard]] NodeSet destinations() const {
        NodeSet nodes = NodeSet::range({0, cluster_.node_count()});
        if (rules_.destinations) nodes &= *rules_.destinations;
        return nodes;
    }
    /// True when something was not tried for want of a budget.
    [[nodiscard]] bool is_over() const { return is_over_; }
    /// True when every no was one: nothing was left out, and place() has never given up.
    [[nodiscard]] bool is_sure() const { return !is_over_ && !has_given_up_; }
    [[nodiscard]] std::uint64_t left() const { return left_; }
    /// False, with nothing done from now on, when there are fewer than `trials`.
    [[nodiscard]] bool spend(std::uint64_t trials) {
        if (left_ < trials) is_over_ = true;
        if (is_over_) return false;
        left_ -= trials;
        return true;
    }
    /// What is done within some of the budget; what was not sure there is forgotten behind it.
    void set_aside(std::uint64_t trials) {
        aside_ = std::min(trials, left_);
        left_ -= aside_;
    }
    void bring_back() {
        left_ += std::exchange(aside_, 0);
        is_over_ = false;
        has_given_up_ = false;
    }

    /// What place() says of the request as things are; no trial.
    [[nodiscard]] Verdict<Placement> place(const Shared<Request>& request,
                                           const NodeFilter& filter) {
        auto verdict = placer_.place(cluster_, request, filter);
        has_given_up_ |= !verdict && verdict.refusal().constraint == Constraint::gave_up;
        return verdict;
    }

    /// What place() gives when these are away, while there is a budget.
    [[nodiscard]] std::optional<Placement> place_without(std::span<const Mover* const> away,
                                                         const Shared<Request>& request,
                                                         const NodeFilter& filter) {
        if (!spend(1 + away.size() / 16)) return std::nullopt;
        const Trial trial = cluster_.trial();
        for (const Mover* one : away) put_away(*one);
        auto verdict = place(request, filter);
        return verdict ? std::optional(*std::move(verdict)) : std::nullopt;
    }

    /// Where the owner can go among `nodes`, and those that the rules name; null: all.
    [[nodiscard]] Destination destination(const Mover& mover, const NodeSet* nodes) {
        if (!spend(1)) return {};
        const Trial trial = cluster_.trial();
        if (!rules_.is_live) {
            static_cast<void>(cluster_.release(mover.owner()));
        } else if (!mover.held.placement.cluster_counts.empty()) {
            static_cast<void>(cluster_.release(mover.owner()));
            static_cast<void>(
                cluster_.commit({mover.owner(), mover.held.request, {mover.held.placement.nodes}}));
        }
        NodeFilter filter{rules_.destinations ? &*rules_.destinations : nullptr};
        if (nodes != nullptr) filter.candidates = nodes;
        auto verdict = place(mover.held.request, filter);
        if (!verdict) return {};
        const bool is_move = *verdict != mover.held.placement &&
                             has_all(held_amounts(cluster_, *verdict), mover.amounts);
        return {true, is_move ? std::optional(*std::move(verdict)) : std::nullopt};
    }
    /// Requires: destination() has just said so.
    void make(const Mover& mover, const Placement& to) {
        static_cast<void>(cluster_.release(mover.owner()));
        const Status status = cluster_.commit({mover.owner(), mover.held.request, to});
        TRESTLE_EXPECTS(status.ok(), "what place() gives can be had");
    }

  private:
    void put_away(const Mover& mover) {
        static_cast<void>(cluster_.release(mover.owner()));
        const auto& counts = mover.held.placement.cluster_counts;
        if (!counts.empty()) static_cast<void>(cluster_.adopt(mover.owner(), {{}, counts}));
    }

    Cluster cluster_;
    Placer placer_;
    const CompactionRules& rules_;
    std::uint64_t left_;
    std::uint64_t aside_ = 0;
    bool is_over_ = false;
    bool has_given_up_ = false;  ///< place() did
};

}  // namespace trestle::detail
