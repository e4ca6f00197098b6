// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/move_trials.hpp"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/kept_allocation.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

namespace detail {

TresCounts held_amounts(const Cluster& cluster, const Placement& placement) {
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

bool has_all(const TresCounts& amounts, const TresCounts& least) {
    return std::all_of(least.entries.begin(), least.entries.end(),
                       [&](const auto& entry) { return amounts.of(entry.first) >= entry.second; });
}

StatusOr<std::vector<Mover>> movers_of(const Cluster& cluster, std::span<const OwnerId> movable) {
    std::vector<OwnerId> owners(movable.begin(), movable.end());
    if (!std::is_sorted(owners.begin(), owners.end())) std::sort(owners.begin(), owners.end());
    const auto twice = std::adjacent_find(owners.begin(), owners.end());
    if (twice != owners.end()) {
        return invalid_argument("owner {} stands twice among the movable ones", *twice);
    }
    const Request nothing;
    absl::flat_hash_map<const Request*, bool> can_move;  // by request, which many owners share
    AllocationFinder allocations(cluster);
    std::vector<Mover> movers;
    movers.reserve(owners.size());
    for (const OwnerId owner : owners) {
        const Allocation* const held = allocations.find(owner);
        if (held == nullptr) return not_found("owner {} has nothing to move", owner);
        const auto [at, is_new] = can_move.try_emplace(&*held->request);
        if (is_new) {
            const Status checked = check(*held->request);
            if (!checked.ok()) return with_context(fmt::format("owner {}", owner), checked);
            at->second = *held->request != nothing;
        }
        if (at->second) movers.push_back({*held});
    }
    return movers;
}

NodeSet MoveTrials::destinations() const {
    NodeSet nodes = NodeSet::range({0, cluster_.node_count()});
    if (rules_.destinations) nodes &= *rules_.destinations;
    return nodes;
}

bool MoveTrials::spend(std::uint64_t trials) {
    if (left_ < trials) is_over_ = true;
    if (is_over_) return false;
    left_ -= trials;
    return true;
}

void MoveTrials::set_aside(std::uint64_t trials) {
    aside_ = std::min(trials, left_);
    left_ -= aside_;
}

void MoveTrials::bring_back() {
    left_ += std::exchange(aside_, 0);
    is_over_ = false;
    has_given_up_ = false;
}

Verdict<Placement> MoveTrials::place(const PreparedRequest& request, const NodeFilter& filter) {
    auto verdict = placer_.place(cluster_, request, filter);
    has_given_up_ |= !verdict && verdict.refusal().constraint == Constraint::gave_up;
    return verdict;
}

std::optional<Placement> MoveTrials::place_without(std::span<const Mover* const> away,
                                                   const PreparedRequest& request,
                                                   const NodeFilter& filter) {
    if (!spend(1 + away.size() / 16)) return std::nullopt;
    const Cluster::Trial trial = cluster_.trial();
    for (const Mover* one : away) put_away(*one);
    auto verdict = place(request, filter);
    return verdict ? std::optional(*std::move(verdict)) : std::nullopt;
}

Destination MoveTrials::destination(const Mover& mover, const NodeSet* nodes) {
    if (!spend(1)) return {};
    const Cluster::Trial trial = cluster_.trial();
    if (!rules_.is_live) {
        static_cast<void>(cluster_.release(mover.owner()));
    } else if (!mover.held.placement.cluster_counts.empty()) {
        static_cast<void>(cluster_.release(mover.owner()));
        static_cast<void>(
            cluster_.commit({mover.owner(), mover.held.request, {mover.held.placement.nodes}}));
    }
    NodeFilter filter{rules_.destinations ? &*rules_.destinations : nullptr};
    if (nodes != nullptr) filter.candidates = nodes;
    const Baggage& baggage = baggage_of(mover);
    auto verdict = place(baggage.request, filter);
    if (!verdict) return {};
    const bool is_move = *verdict != mover.held.placement &&
                         has_all(held_amounts(cluster_, *verdict), baggage.amounts);
    return {true, is_move ? std::optional(*std::move(verdict)) : std::nullopt};
}

const MoveTrials::Baggage& MoveTrials::baggage_of(const Mover& mover) {
    const auto known = baggage_.find(&mover);
    if (known != baggage_.end()) return known->second;
    return baggage_
        .insert(
            {&mover,
             {PreparedRequest(mover.held.request), held_amounts(cluster_, mover.held.placement)}})
        .first->second;
}

void MoveTrials::make(const Mover& mover, const Placement& to) {
    static_cast<void>(cluster_.release(mover.owner()));
    const Status status = cluster_.commit({mover.owner(), mover.held.request, to});
    TRESTLE_EXPECTS(status.ok(), "what place() gives can be had");
}

void MoveTrials::put_away(const Mover& mover) {
    static_cast<void>(cluster_.release(mover.owner()));
    const auto& counts = mover.held.placement.cluster_counts;
    if (!counts.empty()) static_cast<void>(cluster_.adopt(mover.owner(), {{}, counts}));
}

}  // namespace detail

}  // namespace trestle
