// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/kept/taken_counts.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "alloc/cluster/node_part.hpp"
#include "alloc/cluster/states/node_classes.hpp"
#include "alloc/cluster/states/node_states.hpp"
#include "base/cow/cow_map.hpp"

namespace trestle {

namespace detail {

NodesAndCores taken_by(const Cluster& cluster, const Placement& placement) {
    NodesAndCores taken;
    for_each_node(placement, [&](std::span<const NodePlacement> parts) {
        const PartsOfNode all(parts);
        const NodePlacement& part = all.whole();
        if (part.row || part.cores.is_empty()) return;
        const KnownClass& known = cluster.classes().known(cluster.state(part.node).node_class);
        taken.cores += static_cast<std::int64_t>(part.cores.count());
        if (part.cores == known.idle.cores) ++taken.nodes;
    });
    return taken;
}

NodesAndCores all_of(const Cluster& cluster) {
    NodesAndCores all{std::int64_t{cluster.node_count()}, 0};
    const auto& states = cluster.states();
    states.for_each([&](StateId state) {
        const KnownClass& known = cluster.classes().known(states[state]->node_class);
        all.cores += static_cast<std::int64_t>(known.idle.cores.count()) *
                     std::int64_t{states.nodes_in(state)};
    });
    return all;
}

void TakenCounts::start_anew(const Timeline& timeline) {
    taken_.clear();
    changes_.clear();
    timeline.periods().for_each([&](OwnerId owner, const Period& period) {
        const Placement& placement = timeline.find_allocation(owner)->placement;
        const Taken taken{period, taken_by(timeline.cluster(), placement)};
        taken_.emplace(owner, taken);
        changes_.push_back({period.first, taken.counts});
        changes_.push_back({period.end, -taken.counts});
    });
    std::sort(changes_.begin(), changes_.end(),
              [](const Step& a, const Step& b) { return a.at < b.at; });
    std::vector<Step> each;
    for (const Step& one : changes_) {
        if (each.empty() || each.back().at != one.at) each.push_back({one.at, {}});
        each.back().counts += one.counts;
    }
    changes_ = std::move(each);
    set_now(timeline.now());
}

void TakenCounts::enter(OwnerId owner, const Period& period, const NodesAndCores& taken) {
    remove(owner);
    taken_.emplace(owner, Taken{period, taken});
    add(period.first, taken);
    add(period.end, -taken);
}

void TakenCounts::remove(OwnerId owner) {
    const auto found = taken_.find(owner);
    if (found == taken_.end()) return;
    const Taken taken = found->second;
    taken_.erase(found);
    add(taken.period.first, -taken.counts);
    add(taken.period.end, taken.counts);
}

void TakenCounts::set_now(Instant now) {
    now_ = now;
    is_added_up_ = false;
    const auto later = std::find_if(changes_.begin(), changes_.end(),
                                    [&](const Step& one) { return now < one.at; });
    if (std::distance(changes_.begin(), later) <= 1) return;
    Step until_now{now, {}};
    for (auto at = changes_.begin(); at != later; ++at) until_now.counts += at->counts;
    changes_.erase(std::next(changes_.begin()), later);
    changes_.front() = until_now;
}

void TakenCounts::add(Instant at, const NodesAndCores& counts) {
    is_added_up_ = false;
    at = std::max(at, now_);  // where all before it stands
    const auto place =
        std::lower_bound(changes_.begin(), changes_.end(), at,
                         [](const Step& one, Instant wanted) { return one.at < wanted; });
    if (place != changes_.end() && place->at == at) {
        place->counts += counts;
    } else {
        changes_.insert(place, {at, counts});
    }
}

void TakenCounts::add_up() {
    most_.assign(1, {now_, {}});
    NodesAndCores level;
    for (const Step& one : changes_) {
        level += one.counts;
        if (one.at <= now_) {
            most_.front().counts = level;
            continue;
        }
        NodesAndCores most = most_.back().counts;
        most.nodes = std::max(most.nodes, level.nodes);
        most.cores = std::max(most.cores, level.cores);
        const NodesAndCores& before = most_.back().counts;
        if (most.nodes == before.nodes && most.cores == before.cores) continue;
        most_.push_back({one.at, most});
    }
    is_added_up_ = true;
}

const NodesAndCores& TakenCounts::most_until(Instant end) {
    if (!is_added_up_) add_up();
    const auto behind =
        std::lower_bound(std::next(most_.begin()), most_.end(), end,
                         [](const Step& one, Instant wanted) { return one.at < wanted; });
    return std::prev(behind)->counts;
}

}  // namespace detail

}  // namespace trestle
