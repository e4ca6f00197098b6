// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/split/splits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "alloc/cluster/place/eligibility.hpp"
#include "alloc/cluster/place/node_rules.hpp"
#include "alloc/cluster/states/node_classes.hpp"
#include "alloc/cluster/states/node_states.hpp"
#include "alloc/node/demand_rules.hpp"
#include "trestle/base/units.hpp"

namespace trestle::detail {

namespace {

constexpr std::int64_t instances_max = 64;  ///< that one device is cut into, at most

/// Tasks that so many threads, or thousandths of them, are enough for.
std::int64_t tasks_on(std::int64_t threads, const Request& request) {
    const Count cpus = cpus_of_task(request);
    if (!cpus.is_zero()) return threads / cpus.value();
    return 1000 * threads / std::max<std::int64_t>(1, request.milli_cpus.value());
}

std::int64_t free_threads(const NodeShape& shape, const FreeState& free) {
    std::int64_t threads = 0;
    for (const CoreId core : free.cores) {
        threads += static_cast<std::int64_t>(shape.hardware.cores[core.value()].threads.size());
    }
    return threads;
}

/// Devices that are free, or that there are where `free` is null.
std::int64_t devices_on(const NodeShape& shape, const DeviceRequest& asked, const FreeState* free) {
    std::int64_t devices = 0;
    for (std::size_t i = 0; i < shape.devices.size(); ++i) {
        if (shape.devices[i].name != asked.name) continue;
        if (!asked.slice.empty()) {
            devices += instances_max;
        } else if (free == nullptr || !free->shares[i].is_zero()) {
            ++devices;
        }
    }
    return devices;
}

/// visit(state, nodes) for each state that any of the candidates, or of all nodes, are in.
template <class Visit>
void for_each_state(const Cluster& cluster, const NodeSet* candidates, const Visit& visit) {
    const NodeStates& states = cluster.states();
    if (candidates == nullptr) {
        states.for_each([&](StateId state) { visit(state, std::int64_t{states.nodes_in(state)}); });
        return;
    }
    std::map<StateId, std::int64_t> nodes;
    for (const NodeId node : *candidates) {
        if (node.value() < cluster.node_count()) ++nodes[states.of(node)];
    }
    for (const auto& [state, count] : nodes) visit(state, count);
}

/// The most that `on_node(shape)` is for any node that may be used.
template <class OnNode>
std::int64_t most_of_nodes(const Cluster& cluster, const OnNode& on_node) {
    std::int64_t most = 0;
    for (std::uint32_t i = 0; i < cluster.classes().size(); ++i) {
        const NodeClass& one = cluster.classes()[ClassId(i)];
        if (is_usable(one)) most = std::max(most, on_node(*one.shape));
    }
    return most;
}

SplitAmount tasks_of(const SplitLimits& limits, const Request& request, std::int64_t nodes) {
    SplitAmount tasks;
    tasks.least = std::max<std::int64_t>(1, request.tasks_per_node.least().value());
    const std::int64_t fewest = saturating_product(tasks.least, nodes);
    tasks.total_min = tasks.total_max =
        std::max(fewest, request.tasks ? request.tasks->value() : std::int64_t{0});
    tasks.most = tasks.least + (tasks.total_min - fewest);
    const Count limit = request.tasks_per_node.max.value_or(Count::max());
    if (request.tasks) {
        tasks.most = std::min(tasks.most, limit.value());
        // What the other nodes may not have, this one has.
        const std::int64_t others = saturating_product(tasks.most, nodes - 1);
        tasks.least = std::max(tasks.least, tasks.total_min - std::min(tasks.total_min, others));
    }
    tasks.most = std::min(tasks.most, limits.tasks);
    return tasks;
}

SplitAmount devices_of(const DeviceRequest& asked, std::int64_t most, std::int64_t nodes) {
    SplitAmount devices;
    devices.prefers_most = asked.prefer == DeviceRequest::Prefer::most;
    devices.most = most;
    devices.total_min = asked.count.least().value();
    devices.total_max = saturating_product(devices.most, nodes);
    if (asked.count.max) devices.total_max = std::min(devices.total_max, asked.count.max->value());
    devices.most = std::min(devices.most, devices.total_max);
    return devices;
}

bool keeps_cores(const NodeShape& shape) {
    return std::any_of(shape.devices.begin(), shape.devices.end(),
                       [](const Device& one) { return !one.reserved_cores.is_empty(); });
}

/// Less may be harder: fewer cores have less memory near, fewer tasks dealt to sockets in turn may
/// not lie in one domain, fewer devices have less memory, fewer reserved cores or fewer cores near
/// them, and a partition counts the threads of those cores that fit() chooses.
bool can_take_less(const Cluster& cluster, const Request& request) {
    const bool needs_near_memory =
        request.memory_locality == Strictness::require && !request.memory.least().is_zero();
    const bool is_dealt_near = request.core_locality == Strictness::require &&
                               request.distribution.sockets != Distribution::block;
    if (needs_near_memory || is_dealt_near) return false;
    for (const DeviceRequest& device : request.devices) {
        if (!device.total_memory.is_open() || device.shares_per == Per::node ||
            device.device_locality == Strictness::require ||
            device.locality == Strictness::require) {
            return false;
        }
    }
    const auto partition = find_partition(cluster, request.partition);
    if (partition && PartitionLimits::limits_nodes(cluster.partitions()[*partition])) return false;
    return request.devices.empty() || most_of_nodes(cluster, [](const NodeShape& one) {
                                          return std::int64_t{keeps_cores(one)};
                                      }) == 0;
}

}  // namespace

bool SplitBounds::may_be_uneven(const Request& request, std::int64_t nodes) {
    if (nodes < 2 || request.distribution.split == TaskDistribution::Split::even) return false;
    if (request.tasks) {
        const Range<Count>& each = request.tasks_per_node;
        const std::int64_t tasks = request.tasks->value();
        const Count least = std::max(Count(1), each.least());
        const bool has_more = tasks > saturating_product(least.value(), nodes);
        const bool has_less = !each.max || tasks < saturating_product(each.max->value(), nodes);
        if (has_more && has_less) return true;
    }
    return std::any_of(
        request.devices.begin(), request.devices.end(),
        [](const DeviceRequest& one) { return one.per == Per::job && one.count.max != Count(0); });
}

SplitLimits SplitLimits::of(const Cluster& cluster, const Request& request) {
    SplitLimits limits;
    limits.tasks = most_of_nodes(
        cluster, [&](const NodeShape& one) { return tasks_on(one.cpu_count().value(), request); });
    for (const DeviceRequest& asked : request.devices) {
        if (asked.per != Per::job) continue;
        limits.devices.push_back(most_of_nodes(
            cluster, [&](const NodeShape& one) { return devices_on(one, asked, nullptr); }));
    }
    limits.takes_less = can_take_less(cluster, request);
    return limits;
}

FreeAmounts FreeAmounts::of(const Cluster& cluster, const Request& request, const FitOptions& fit,
                            const NodeSet* candidates) {
    FreeAmounts free;
    free.nodes_.emplace_back();
    for (const DeviceRequest& asked : request.devices) {
        if (asked.per == Per::job) free.nodes_.emplace_back();
    }
    for_each_state(cluster, candidates, [&](StateId state, std::int64_t nodes) {
        const NodeStateData& data = *cluster.states()[state];
        const NodeClass& one = cluster.classes()[data.node_class];
        if (!is_usable(one)) return;
        const NodeShape& shape = *one.shape;
        const bool has_rows = fit.rows > 1;  // what is taken in one row is free in another
        free.nodes_[0][tasks_on(
            has_rows ? shape.cpu_count().value() : free_threads(shape, data.free), request)] +=
            nodes;
        std::size_t amount = 0;
        for (const DeviceRequest& asked : request.devices) {
            if (asked.per == Per::job)
                free.nodes_[++amount][devices_on(shape, asked, &data.free)] += nodes;
        }
    });
    return free;
}

bool FreeAmounts::has_room(const SplitBounds& bounds) const {
    for (std::size_t i = 0; i < bounds.amounts().size(); ++i) {
        const SplitAmount& one = bounds.amounts()[i];
        if (most_on(i, bounds.nodes(), one.most) < one.total_min) return false;
    }
    return true;
}

std::optional<std::int64_t> FreeAmounts::nodes_with(std::size_t amount, std::int64_t total) const {
    std::int64_t nodes = 0;
    for (const auto& [number, count] : nodes_[amount]) {
        if (total <= 0 || number <= 0) break;
        const std::int64_t wanted = total / number + (total % number != 0 ? 1 : 0);
        const std::int64_t here = std::min(count, wanted);
        nodes += here;
        total -= number * here;
    }
    return total <= 0 ? std::optional(nodes) : std::nullopt;
}

std::int64_t FreeAmounts::most_on(std::size_t amount, std::int64_t nodes, std::int64_t most) const {
    std::int64_t sum = 0;
    for (const auto& [number, count] : nodes_[amount]) {
        const std::int64_t here = std::min(count, nodes);
        sum += std::min(number, most) * here;
        nodes -= here;
    }
    return sum;
}

SplitBounds::SplitBounds(const SplitLimits& limits, const Request& request, std::int64_t nodes)
    : nodes_(nodes),
      is_packed_(request.distribution.split == TaskDistribution::Split::packed),
      takes_less_(limits.takes_less) {
    amounts_.push_back(tasks_of(limits, request, nodes));
    std::size_t of_job = 0;
    for (const DeviceRequest& one : request.devices) {
        if (one.per == Per::job)
            amounts_.push_back(devices_of(one, limits.devices[of_job++], nodes));
    }
}

std::optional<std::size_t> SplitBounds::only_amount() const {
    std::optional<std::size_t> only;
    for (std::size_t i = 0; i < amounts_.size(); ++i) {
        if (!amounts_[i].varies()) continue;
        if (only) return std::nullopt;
        only = i;
    }
    return only;
}

bool SplitBounds::has_any() const {
    return std::all_of(amounts_.begin(), amounts_.end(), [&](const SplitAmount& one) {
        return one.least <= one.most && one.total_min <= saturating_product(one.most, nodes_) &&
               saturating_product(one.least, nodes_) <= one.total_max;
    });
}

Share SplitBounds::least_share() const {
    Share share;
    for (const SplitAmount& one : amounts_) share.push_back(one.least);
    return share;
}

Share SplitBounds::share_with(std::size_t amount, std::int64_t number) const {
    Share share = least_share();
    share[amount] = number;
    return share;
}

bool SplitBounds::comes_before(const Split& a, const Split& b) const {
    if (a.empty() || b.empty()) return a.empty() && !b.empty();
    const auto numbers = [](const Split& split, std::size_t amount) {
        std::vector<std::int64_t> all;
        for (const ShareCount& one : split) {
            all.insert(all.end(), static_cast<std::size_t>(one.nodes), one.share[amount]);
        }
        return all;
    };
    const auto total = [&](const Split& split, std::size_t amount) {
        std::int64_t sum = 0;
        for (const ShareCount& one : split) sum += one.share[amount] * one.nodes;
        return sum;
    };
    for (std::size_t i = 1; i < amounts_.size(); ++i) {
        const std::int64_t in_a = total(a, i);
        const std::int64_t in_b = total(b, i);
        if (in_a != in_b) return (in_a < in_b) != amounts_[i].prefers_most;
    }
    for (std::size_t i = 0; i < amounts_.size(); ++i) {
        std::vector<std::int64_t> of_a = numbers(a, i);
        std::vector<std::int64_t> of_b = numbers(b, i);
        std::sort(of_a.rbegin(), of_a.rend());
        std::sort(of_b.rbegin(), of_b.rend());
        if (of_a != of_b) return (of_a < of_b) != is_packed_;
    }
    for (std::size_t i = 1; i < amounts_.size(); ++i) {
        const std::vector<std::int64_t> of_a = numbers(a, i);
        const std::vector<std::int64_t> of_b = numbers(b, i);
        if (of_a != of_b) return of_b < of_a;
    }
    return false;
}

NodePart part_of(const Share& share, std::int64_t nodes) {
    NodePart part{0, nodes, Count(share.front()), {}};
    for (std::size_t i = 1; i < share.size(); ++i) part.devices.emplace_back(share[i]);
    return part;
}

NodePart part_of_one(const Request& request, std::int64_t nodes) {
    if (!SplitBounds::may_be_uneven(request, nodes)) return {0, nodes};
    SplitLimits limits;  // of nodes that have room for anything
    limits.tasks = Count::max().value();
    limits.devices.assign(request.devices.size(), Count::max().value());
    return part_of(SplitBounds(limits, request, nodes).least_share(), nodes);
}

bool SplitEnumerator::run() {
    totals_.assign(bounds_.amounts().size(), 0);
    numbers_.assign(bounds_.amounts().size(), Numbers());
    return choose_total(0);
}

bool SplitEnumerator::choose_total(std::size_t at) {
    if (at == totals_.size()) return choose_numbers(0);
    const SplitAmount& one = bounds_.amounts()[at];
    for (std::int64_t i = 0; one.total_min + i <= one.total_max && budget_.spend(); ++i) {
        totals_[at] = one.prefers_most ? one.total_max - i : one.total_min + i;
        if (choose_total(at + 1)) return true;
    }
    return false;
}

bool SplitEnumerator::choose_numbers(std::size_t at) {
    if (at == numbers_.size()) {
        shares_.assign(static_cast<std::size_t>(bounds_.nodes()), Share());
        return align(0);
    }
    Numbers& chosen = numbers_[at];
    chosen.clear();
    std::int64_t left = totals_[at];
    std::optional<std::int64_t> tried;  // the last number behind those chosen
    while (true) {
        if (const auto number = next_number(at, left, tried)) {
            chosen.push_back(*number);
            left -= *number;
            tried.reset();
            continue;
        }
        const bool is_whole = static_cast<std::int64_t>(chosen.size()) == bounds_.nodes();
        if (is_whole && left == 0 && choose_numbers(at + 1)) return true;
        if (chosen.empty()) return false;
        tried = chosen.back();
        left += *tried;
        chosen.pop_back();
    }
}

std::optional<std::int64_t> SplitEnumerator::next_number(std::size_t at, std::int64_t left,
                                                         std::optional<std::int64_t> tried) {
    const Numbers& chosen = numbers_[at];
    const std::int64_t others = bounds_.nodes() - static_cast<std::int64_t>(chosen.size()) - 1;
    if (others < 0) return std::nullopt;
    const SplitAmount& one = bounds_.amounts()[at];
    const std::int64_t high =
        std::min(chosen.empty() ? one.most : chosen.back(), left - one.least * others);
    const std::int64_t low = std::max(one.least, div_ceil(Count(left), others + 1).value());
    const std::int64_t step = bounds_.is_packed() ? -1 : 1;
    std::int64_t number = tried ? *tried + step : bounds_.is_packed() ? high : low;
    for (; low <= number && number <= high && budget_.spend(); number += step) {
        if (may_have(at, number)) return number;
    }
    return std::nullopt;
}

bool SplitEnumerator::may_have(std::size_t at, std::int64_t number) const {
    const Numbers& chosen = numbers_[at];
    auto wanted = static_cast<std::int64_t>(chosen.size()) + 1;
    if (!bounds_.takes_less()) {
        if (bounds_.only_amount() != at) return true;
        const auto like = std::find_if(chosen.rbegin(), chosen.rend(),
                                       [&](std::int64_t one) { return one != number; });
        wanted = 1 + (like - chosen.rbegin());
    }
    return able_(bounds_.share_with(at, number)) >= wanted;
}

bool SplitEnumerator::align(std::size_t at) {
    if (at == numbers_.size()) return budget_.spend() && visit_(split());
    std::vector<Run> runs;
    for (const std::int64_t number : numbers_[at]) {
        if (runs.empty() || runs.back().number != number) runs.push_back({number, 0});
        ++runs.back().left;
    }
    std::vector<std::size_t> given;  // the run of each node, as far as it was chosen
    std::size_t from = 0;            // the first run that the next node may have
    while (true) {
        const std::size_t node = given.size();
        const bool is_like_last =  // in the amounts given before
            node > 0 && node < shares_.size() &&
            std::equal(shares_[node].begin(), shares_[node].end(), shares_[node - 1].begin());
        if (is_like_last) from = std::max(from, given.back());
        while (from < runs.size() && runs[from].left == 0) ++from;
        if (node < shares_.size() && from < runs.size() && budget_.spend()) {
            --runs[from].left;
            shares_[node].push_back(runs[from].number);
            given.push_back(from);
            from = 0;
            continue;
        }
        if (node == shares_.size() && align(at + 1)) return true;
        if (given.empty()) return false;
        from = given.back() + 1;
        ++runs[given.back()].left;
        given.pop_back();
        shares_[given.size()].pop_back();
    }
}

Split SplitEnumerator::split() const {
    Split split;
    for (const Share& share : shares_) {
        if (split.empty() || split.back().share != share) split.push_back({share, 0});
        ++split.back().nodes;
    }
    return split;
}

}  // namespace trestle::detail
