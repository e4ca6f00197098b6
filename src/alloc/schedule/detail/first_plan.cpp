// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/first_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "alloc/cluster/node_part.hpp"
#include "base/sorted_by_node.hpp"

namespace trestle {

namespace detail {

MoversByNode::MoversByNode(const std::vector<Mover>& movers, std::uint32_t node_count) {
    struct On {
        NodeId node;
        const Mover* mover = nullptr;
    };
    std::vector<On> all;
    all.reserve(movers.size());
    for (const Mover& one : movers) {
        for_each_node(one.held.placement, [&](std::span<const NodePlacement> parts) {
            all.push_back({parts.front().node, &one});
        });
    }
    all = sorted_by_node(std::move(all), node_count);
    movers_.reserve(all.size());  // it stays where it is: nodes_ points into it
    for (auto at = all.begin(); at != all.end();) {
        const NodeId node = at->node;
        const std::size_t first = movers_.size();
        for (; at != all.end() && at->node == node; ++at) movers_.push_back(at->mover);
        nodes_.push_back({node, std::span(movers_).subspan(first)});
    }
    const auto has_fewer = [](const Here& a, const Here& b) {
        return a.movers.size() < b.movers.size();
    };
    if (std::is_sorted(nodes_.begin(), nodes_.end(), has_fewer)) return;
    std::stable_sort(nodes_.begin(), nodes_.end(), has_fewer);
}

std::optional<CompactionPlan> FirstPlan::run() {
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

bool FirstPlan::has_more(const Mover* a, const Mover* b) {
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

FirstPlan::Movers FirstPlan::empty_nodes() {
    const std::vector<MoversByNode::Here>& nodes = by_node_.nodes();
    if (nodes.empty()) return {};
    const auto movers_of_first = [&](std::size_t count) {
        Movers movers;
        for (std::size_t i = 0; i < count; ++i) {
            movers.insert(movers.end(), nodes[i].movers.begin(), nodes[i].movers.end());
        }
        std::sort(movers.begin(), movers.end());
        movers.erase(std::unique(movers.begin(), movers.end()), movers.end());
        return movers;
    };
    std::size_t low = 0;  // so many are not enough
    std::size_t high = 1;
    while (!is_enough(movers_of_first(high))) {
        if (high == nodes.size() || trials_.is_over()) return {};
        low = high;
        high = std::min(2 * high, nodes.size());
    }
    while (high - low > 1) {
        const std::size_t middle = low + (high - low) / 2;
        (is_enough(movers_of_first(middle)) ? high : low) = middle;
    }
    return movers_of_first(high);
}

void FirstPlan::trim(Movers& away) {
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

std::optional<CompactionPlan> FirstPlan::move_away(Movers& away) {
    auto placement = trials_.place_without(away, request_, filter_);
    if (!placement) return std::nullopt;
    NodeSet open = trials_.destinations();
    for (const NodePlacement& part : placement->nodes) open.erase(part.node);
    const Cluster::Trial trial = trials_.cluster().trial();
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

void FirstPlan::leave_alone(const Mover& mover) {
    by_node_.erase_if([&](const MoversByNode::Here& one) {
        return std::find(one.movers.begin(), one.movers.end(), &mover) != one.movers.end();
    });
}

}  // namespace detail

}  // namespace trestle
