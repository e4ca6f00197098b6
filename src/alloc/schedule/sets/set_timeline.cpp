// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/sets/set_timeline.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "alloc/cluster/node_part.hpp"
#include "alloc/cluster/states/node_classes.hpp"
#include "alloc/cluster/states/node_states.hpp"
#include "base/cow/cow_map.hpp"

namespace trestle {

namespace detail {

bool are_of_one_class(const Cluster& cluster) {
    if (!cluster.partitions().empty()) return false;
    const NodeStates& states = cluster.states();
    std::optional<ClassId> first;
    bool are = true;
    states.for_each([&](StateId state) {
        const ClassId one = states[state]->node_class;
        are = are && first.value_or(one) == one && is_usable(cluster.classes()[one]);
        first = one;
    });
    return are;
}

bool SetTimeline::knows_nodes(const Cluster& cluster) const {
    const auto nodes = cluster.journal().since(nodes_followed_);
    return nodes && description_.is_same_object(cluster.description()) &&
           std::all_of(nodes->begin(), nodes->end(),
                       [&](NodeId node) { return cluster.state(node).node_class == class_; });
}

bool SetTimeline::follow(const Timeline& timeline) {
    changed_.clear();
    const auto owners = timeline.journal().since(followed_);
    is_anew_ = !is_known_ || !owners || timeline.now() < calendar_.now() ||
               !knows_nodes(timeline.cluster());
    if (is_anew_) {
        is_only_freed_ = false;
        is_known_ = start_anew(timeline);
    } else {
        std::vector<OwnerId> changed(owners->begin(), owners->end());
        changed.insert(changed.end(), started_.begin(), started_.end());
        std::sort(changed.begin(), changed.end());
        changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
        const Instant before = calendar_.now();
        calendar_.set_now(timeline.now());
        // What ends or moves makes room first.
        std::vector<std::pair<OwnerId, Taken>> entered;
        for (const OwnerId owner : changed) {
            auto has = what_has(timeline, owner);
            const auto known = taken_.find(owner);
            const bool is_same = known != taken_.end() ? has == known->second : !has;
            const bool has_begun =
                has && before < has->period.first && has->period.first <= timeline.now();
            if (!is_same || has_begun) changed_.push_back(owner);
            if (is_same) continue;
            if (known != taken_.end()) {
                const Period& was = known->second.period;
                const Period left{std::max(was.first, timeline.now()), was.end};
                if (left.first < left.end) {
                    freed_.push_back({bits_of(known->second), left});
                    calendar_.give_back(freed_.back().nodes, left);
                }
                taken_.erase(known);
            }
            if (has) entered.emplace_back(owner, *std::move(has));
        }
        is_only_freed_ = is_only_freed_ && entered.empty();
        for (auto& [owner, has] : entered) is_known_ = is_known_ && enter(owner, std::move(has));
        if (calendar_.moments() > 64 + 4 * taken_.size()) calendar_.drop_equal();
    }
    started_.clear();
    followed_ = timeline.journal().position();
    nodes_followed_ = timeline.cluster().journal().position();
    return is_known_;
}

std::optional<std::vector<SetTimeline::Freed>> SetTimeline::take_freed() {
    std::vector<Freed> freed = std::exchange(freed_, {});
    if (!std::exchange(is_only_freed_, true)) return std::nullopt;
    return freed;
}

bool SetTimeline::start_anew(const Timeline& timeline) {
    const Cluster& cluster = timeline.cluster();
    taken_.clear();
    if (cluster.node_count() == 0 || !cluster.network().is_empty() || !are_of_one_class(cluster)) {
        return false;
    }
    description_ = cluster.description();
    class_ = cluster.state(NodeId(0)).node_class;
    calendar_.reset(cluster.node_count(), timeline.now());
    bool are_alone = true;
    timeline.periods().for_each([&](OwnerId owner, const Period&) {
        if (!are_alone) return;
        auto has = what_has(timeline, owner);
        are_alone = enter(owner, *std::move(has));
    });
    return are_alone;
}

bool SetTimeline::enter(OwnerId owner, Taken taken) {
    const Period left{std::max(taken.period.first, calendar_.now()), taken.period.end};
    const NodeBits nodes = bits_of(taken);
    NodeBits free;
    calendar_.free_in(left, free);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if ((nodes[i] & ~free[i]) != 0) return false;
    }
    calendar_.take(nodes, left);
    taken_.emplace(owner, std::move(taken));
    return true;
}

std::optional<SetTimeline::Taken> SetTimeline::what_has(const Timeline& timeline,
                                                        OwnerId owner) const {
    const auto period = timeline.period_of(owner);
    if (!period) return std::nullopt;
    Taken taken{{}, *period};
    for (const NodePlacement& part : timeline.find_allocation(owner)->placement.nodes) {
        if (is_empty(part)) continue;
        const std::uint32_t node = part.node.value();
        if (!taken.nodes.empty() && node <= taken.nodes.back().end) {
            taken.nodes.back().end = node + 1;  // a node may stand once for each component
        } else {
            taken.nodes.push_back({node, node + 1});
        }
    }
    return taken;
}

NodeBits SetTimeline::bits_of(const Taken& taken) const {
    NodeBits bits((std::size_t{calendar_.node_count()} + 63) / 64);
    for (const Run& run : taken.nodes) insert_run(bits, run.first, run.end);
    return bits;
}

void SetTimeline::start(OwnerId owner, const Period& period, NodeWords nodes) {
    Taken taken{{}, period};
    for_each_bit(nodes, [&](std::uint32_t node) {
        if (!taken.nodes.empty() && taken.nodes.back().end == node) {
            ++taken.nodes.back().end;
        } else {
            taken.nodes.push_back({node, node + 1});
        }
    });
    calendar_.take(nodes, period);
    taken_.emplace(owner, std::move(taken));
    started_.push_back(owner);
}

void SetTimeline::take_back() {
    for (const OwnerId owner : started_) {
        const auto known = taken_.find(owner);
        calendar_.give_back(bits_of(known->second), known->second.period);
        taken_.erase(known);
    }
    started_.clear();
}

}  // namespace detail

}  // namespace trestle
