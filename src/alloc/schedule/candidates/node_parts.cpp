// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/candidates/node_parts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "alloc/cluster/node_part.hpp"
#include "alloc/cluster/states/node_classes.hpp"
#include "alloc/schedule/timeline/owner_moment.hpp"
#include "base/cow/cow_map.hpp"

namespace trestle {

namespace detail {

namespace {

NodeParts::Part part_of(const KnownClass& known, const NodePlacement& placement, OwnerId owner,
                        const Period& period) {
    NodeParts::Part part{period, owner};
    if (!placement.row) part.cores = static_cast<std::int64_t>(placement.cores.count());
    part.memory = placement.total_memory().value();
    for (const DeviceShare& share : placement.devices) {
        if (share.device.value() < 64 && !known.unconsumed.contains(share.device)) {
            part.devices |= std::uint64_t{1} << share.device.value();
        }
    }
    return part;
}

bool comes_before(const NodeParts::Part& a, const NodeParts::Part& b) {
    return std::tie(a.period.first, a.owner) < std::tie(b.period.first, b.owner);
}

}  // namespace

void NodeParts::follow(const Timeline& timeline) {
    const Cluster& now = timeline.cluster();
    const bool is_known = follows_ && followed_.cluster().node_count() == now.node_count() &&
                          followed_.cluster().description().is_same_object(now.description());
    if (is_known) {
        std::vector<OwnerId> owners;
        const auto add = [&](OwnerId owner) { owners.push_back(owner); };
        if (const auto changed = timeline.journal().since(followed_.journal().position())) {
            owners.assign(changed->begin(), changed->end());
        } else {
            timeline.for_each_different_owner(followed_, add);
        }
        std::sort(owners.begin(), owners.end());
        owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
        for (const OwnerId owner : owners) {
            remove(owner);
            enter(timeline, owner);
        }
    } else {
        start_anew(timeline);
    }
    if (is_known) note_classes(now);
    followed_ = timeline;
    follows_ = true;
    if (changed_.size() > 4 * by_node_.size() + 1024) {
        ++generation_;
        changed_.clear();
    }
}

void NodeParts::note_classes(const Cluster& now) {
    const Cluster& before = followed_.cluster();
    const auto look_at = [&](NodeId node) {
        if (before.state(node).node_class != now.state(node).node_class) changed_.push_back(node);
    };
    if (const auto changed = now.journal().since(before.journal().position())) {
        for (const NodeId node : *changed) look_at(node);
    } else {
        now.for_each_different_node(before, look_at);
    }
}

Instant NodeParts::next_end(NodeId node, Instant after) {
    Instant next = end_of_time;
    for (const Part& part : on(node)) {
        if (after < part.period.end) next = std::min(next, part.period.end);
    }
    return next;
}

bool NodeParts::is_taken(NodeId node, Instant at) {
    const std::span<const Part> parts = on(node);
    return std::any_of(parts.begin(), parts.end(),
                       [&](const Part& part) { return part.period.contains(at); });
}

std::optional<std::span<const NodeId>> NodeParts::changed_since(const Position& position) const {
    if (position.generation != generation_) return std::nullopt;
    return std::span<const NodeId>(changed_).subspan(position.at);
}

template <class Visit>
void NodeParts::for_each_part(const Timeline& timeline, OwnerId owner, const Period& period,
                              const Visit& visit) {
    const Cluster& cluster = timeline.cluster();
    for (const NodePlacement& one : timeline.find_allocation(owner)->placement.nodes) {
        if (is_empty(one)) continue;
        const KnownClass& known = cluster.classes().known(cluster.state(one.node).node_class);
        visit(one.node, part_of(known, one, owner, period));
    }
}

void NodeParts::start_anew(const Timeline& timeline) {
    by_node_.assign(timeline.cluster().node_count(), {});
    is_read_.assign(by_node_.size(), false);
    timeline.starts().for_each([&](const OwnerMoment& start, char) {
        const Period period = *timeline.period_of(start.owner);
        for_each_part(timeline, start.owner, period, [&](NodeId node, const Part& part) {
            by_node_[node.value()].push_back(part);
        });
    });
    ++generation_;
    changed_.clear();
}

void NodeParts::read(NodeId node) {
    std::vector<Part>& parts = by_node_[node.value()];
    const Cluster& cluster = followed_.cluster();
    const KnownClass& known = cluster.classes().known(cluster.state(node).node_class);
    const std::size_t reserved = parts.size();
    for (const OwnerId owner : cluster.owners_on(node)) {
        const Period period = *followed_.period_of(owner);
        for (const NodePlacement& one : parts_on(cluster.find_allocation(owner)->placement, node)) {
            if (!is_empty(one)) parts.push_back(part_of(known, one, owner, period));
        }
    }
    if (parts.size() != reserved) std::sort(parts.begin(), parts.end(), comes_before);
    is_read_[node.value()] = true;
}

void NodeParts::enter(const Timeline& timeline, OwnerId owner) {
    const auto period = timeline.period_of(owner);
    if (!period) return;
    const bool runs = !timeline.reserved().contains(owner);
    for_each_part(timeline, owner, *period, [&](NodeId node, const Part& part) {
        changed_.push_back(node);
        if (runs && !is_read_[node.value()]) return;
        std::vector<Part>& parts = by_node_[node.value()];
        parts.insert(std::upper_bound(parts.begin(), parts.end(), part, comes_before), part);
    });
}

void NodeParts::remove(OwnerId owner) {
    const Allocation* const had = followed_.find_allocation(owner);
    if (had == nullptr) return;
    for (const NodePlacement& one : had->placement.nodes) {
        const auto is_part = [&](const Part& part) { return part.owner == owner; };
        const bool is_read = is_read_[one.node.value()];
        const bool is_any = std::erase_if(by_node_[one.node.value()], is_part) != 0;
        if (is_any || !is_read) changed_.push_back(one.node);
    }
}

}  // namespace detail

}  // namespace trestle
