// SPDX-License-Identifier: Apache-2.0
#pragma once

// FirstPlan: a plan that is made quickly, and need not be the smallest.
//
// Layer: alloc (detail). Main types: FirstPlan; movers_by_node. As many nodes as needed are
// emptied, those with the fewest movers first; whoever may stay is left out; the others go one by
// one where place() likes, but to none of the nodes that the request then gets. Who finds no place
// goes first the next time; when that does not help either, its node is left alone.
// A reader would get wrong: no job makes room for another here, and none goes to another place on a
// node that the request gets; what needs that only CompactionSearch finds.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "trestle/alloc/compaction/compaction_plan.hpp"
#include "trestle/alloc/compaction/detail/move_trials.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

/// Nodes that movers have something on, those with the fewest movers first.
[[nodiscard]] inline std::vector<std::pair<NodeId, std::vector<const Mover*>>> movers_by_node(
    const std::vector<Mover>& movers) {
    std::map<NodeId, std::vector<const Mover*>> by_node;
    for (const Mover& one : movers) {
        for (const NodePlacement& part : one.held.placement.nodes) {
            by_node[part.node].push_back(&one);
        }
    }
    std::vector<std::pair<NodeId, std::vector<const Mover*>>> nodes(by_node.begin(), by_node.end());
    std::stable_sort(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) {
        return a.second.size() < b.second.size();
    });
    return nodes;
}

class FirstPlan {
  public:
    FirstPlan(MoveTrials& trials, const std::vector<Mover>& movers, const Shared<Request>& request,
              const NodeFilter& filter)
        : trials_(trials), request_(request), filter_(filter), nodes_(movers_by_node(movers)) {}

    [[nodiscard]] std::optional<CompactionPlan> run() {
        while (!trials_.is_over()) {
            Movers away = empty_nodes();
            if (away.empty()) return std::nullopt;
            trim(away);
            std::stable_sort(away.begin(), away.end(), has_more);
            for (std::size_t tries = away.size(); tries != 0; --tries) {
                if (auto plan = move_away(away)) return plan;
            }
            leave_alone(*away.front());
        }
        return std::nullopt;
    }

  private:
    using Movers = std::vector<const Mover*>;

    [[nodiscard]] bool is_enough(const Movers& away) {
        return trials_.place_without(away, request_, filter_).has_value();
    }
    /// Large ones find a place less easily.
    [[nodiscard]] static bool has_more(const Mover* a, const Mover* b) {
        const auto size = [](const Mover* one) {
            std::pair<std::size_t, std::size_t> sum;
            for (const NodePlacement& part : one->held.placement.nodes) {
                sum.first += part.devices.size();
                sum.second += static_cast<std::size_t>(part.cores.count());
            }
            return sum;
        };
        return size(a) > size(b);
    }

    /// All on the first nodes, as many as it takes; none when all are not enough.
    [[nodiscard]] Movers empty_nodes() {
        if (nodes_.empty()) return {};
        const auto movers_of_first = [&](std::size_t count) {
            Movers movers;
            for (std::size_t i = 0; i < count; ++i) {
                movers.insert(movers.end(), nodes_[i].second.begin(), nodes_[i].second.end());
            }
            std::sort(movers.begin(), movers.end());
            movers.erase(std::unique(movers.begin(), movers.end()), movers.end());
            return movers;
        };
        std::size_t low = 0;  // so many are not enough
        std::size_t high = 1;
        while (!is_enough(movers_of_first(high))) {
            if (high == nodes_.size() || trials_.is_over()) return {};
            low = high;
            high = std::min(2 * high, nodes_.size());
        }
        while (high - low > 1) {
            const std::size_t middle = low + (high - low) / 2;
            (is_enough(movers_of_first(middle)) ? high : low) = middle;
        }
        return movers_of_first(high);
    }
    /// Leaves out who may stay: halves first, then quarters, down to each alone.
    void trim(Movers& away) {
        for (std::size_t some = away.size() / 2; some != 0 && !trials_.is_over(); some /= 2) {
            for (std::size_t end = away.size(); end != 0 && !trials_.is_over();) {
                const std::size_t begin = end - std::min(some, end);
                Movers fewer = away;
                fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(begin),
                            fewer.begin() + static_cast<std::ptrdiff_t>(end));
                if (is_enough(fewer)) away = std::move(fewer);
                end = begin;
            }
        }
    }

    /// Moves one after the other; who finds no place is put first.
    [[nodiscard]] std::optional<CompactionPlan> move_away(Movers& away) {
        auto placement = trials_.place_without(away, request_, filter_);
        if (!placement) return std::nullopt;
        NodeSet open = trials_.destinations();
        for (const NodePlacement& part : placement->nodes) open.erase(part.node);
        const Trial trial = trials_.cluster().trial();
        CompactionPlan plan;
        for (std::size_t i = 0; i < away.size(); ++i) {
            auto to = trials_.destination(*away[i], &open).to;
            if (!to) {
                std::rotate(away.begin(), away.begin() + static_cast<std::ptrdiff_t>(i),
                            away.begin() + static_cast<std::ptrdiff_t>(i) + 1);
                return std::nullopt;
            }
            trials_.make(*away[i], *to);
            plan.moves.push_back({away[i]->owner(), away[i]->held.placement, *std::move(to)});
        }
        placement = trials_.place_without({}, request_, filter_);
        if (!placement) return std::nullopt;
        plan.placement = *std::move(placement);
        return plan;
    }
    void leave_alone(const Mover& mover) {
        std::erase_if(nodes_, [&](const auto& one) {
            const Movers& here = one.second;
            return std::find(here.begin(), here.end(), &mover) != here.end();
        });
    }

    MoveTrials& trials_;
    const Shared<Request>& request_;
    const NodeFilter& filter_;
    std::vector<std::pair<NodeId, Movers>> nodes_;
};

}  // namespace trestle::detail
