// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/split/splits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "alloc/cluster/place/eligibility.hpp"
#include "alloc/cluster/place/node_rules.hpp"
#include "alloc/node/demand_rules.hpp"

namespace trestle::detail {

namespace {

constexpr std::int64_t instances_max = 64;  ///< that one device is cut into, at most

/// The product, or the largest Count.
std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
    return checked_mul(Count(a), b).value_or(Count::max()).value();
}

/// Tasks that a node of the shape has threads, or thousandths of them, for.
std::int64_t tasks_on(const NodeShape& shape, const Request& request) {
    const std::int64_t threads = shape.cpu_count().value();
    const Count cpus = cpus_of_task(request);
    if (!cpus.is_zero()) return threads / cpus.value();
    return 1000 * threads / std::max<std::int64_t>(1, request.milli_cpus.value());
}

std::int64_t devices_on(const NodeShape& shape, const DeviceRequest& asked) {
    const auto devices =
        std::count_if(shape.devices.begin(), shape.devices.end(),
                      [&](const Device& device) { return device.name == asked.name; });
    return devices * (asked.slice.empty() ? 1 : instances_max);
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
    tasks.most = tasks.least;
    tasks.total_min = saturating_product(tasks.least, nodes);
    if (request.tasks) tasks.total_min = std::max(tasks.total_min, request.tasks->value());
    tasks.total_max = tasks.total_min;
    if (!request.tasks || request.tasks->value() <= saturating_product(tasks.least, nodes)) {
        return tasks;
    }
    tasks.most = tasks.total_min - tasks.least * (nodes - 1);
    const Count limit = request.tasks_per_node.max.value_or(Count::max());
    if (tasks.total_min == saturating_product(limit.value(), nodes)) {
        tasks.least = tasks.most = limit.value();
        return tasks;
    }
    tasks.most = std::min({tasks.most, limit.value(), limits.tasks});
    return tasks;
}

SplitAmount devices_of(const DeviceRequest& asked, std::int64_t most, std::int64_t nodes) {
    SplitAmount devices;
    devices.prefers_most = asked.prefer == Prefer::most;
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

/// Less may be harder: fewer cores have less memory near, fewer devices less memory or fewer
/// reserved cores, and a partition counts the threads of those cores that fit() chooses.
bool can_take_less(const Cluster& cluster, const Request& request) {
    const bool needs_near_memory =
        request.memory_locality == Strictness::require && !request.memory.least().is_zero();
    if (needs_near_memory) return false;
    for (const DeviceRequest& device : request.devices) {
        if (!device.total_memory.is_open() || device.shares_per == Per::node ||
            device.device_locality == Strictness::require) {
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
    if (nodes < 2 || request.distribution.split == JobSplit::even) return false;
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
    limits.tasks =
        most_of_nodes(cluster, [&](const NodeShape& one) { return tasks_on(one, request); });
    for (const DeviceRequest& asked : request.devices) {
        if (asked.per != Per::job) continue;
        limits.devices.push_back(
            most_of_nodes(cluster, [&](const NodeShape& one) { return devices_on(one, asked); }));
    }
    limits.takes_less = can_take_less(cluster, request);
    return limits;
}

SplitBounds::SplitBounds(const SplitLimits& limits, const Request& request, std::int64_t nodes)
    : nodes_(nodes),
      is_packed_(request.distribution.split == JobSplit::packed),
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

NodePart part_of(const Share& share, std::int64_t nodes) {
    NodePart part{0, nodes, Count(share.front()), {}};
    for (std::size_t i = 1; i < share.size(); ++i) part.devices.emplace_back(share[i]);
    return part;
}

NodePart part_of_one(const Request& request, std::int64_t nodes) {
    NodePart part{0, nodes};
    if (!SplitBounds::may_be_uneven(request, nodes)) return part;
    part.tasks = std::max(Count(1), request.tasks_per_node.least());
    for (const DeviceRequest& one : request.devices) {
        if (one.per == Per::job) part.devices.emplace_back(0);
    }
    return part;
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
    if (at < numbers_.size()) return choose_number(at, totals_[at]);
    shares_.assign(static_cast<std::size_t>(bounds_.nodes()), Share());
    return align(0, 0);
}

bool SplitEnumerator::choose_number(std::size_t at, std::int64_t left) {
    Numbers& chosen = numbers_[at];
    const std::int64_t others = bounds_.nodes() - static_cast<std::int64_t>(chosen.size()) - 1;
    if (others < 0) return left == 0 && choose_numbers(at + 1);
    const SplitAmount& one = bounds_.amounts()[at];
    const std::int64_t high =
        std::min(chosen.empty() ? one.most : chosen.back(), left - one.least * others);
    const std::int64_t low = std::max(one.least, (left + others) / (others + 1));
    for (std::int64_t i = 0; low + i <= high && budget_.spend(); ++i) {
        const std::int64_t number = bounds_.is_packed() ? high - i : low + i;
        if (!may_have(at, number)) continue;
        chosen.push_back(number);
        const bool is_found = choose_number(at, left - number);
        chosen.pop_back();
        if (is_found) return true;
    }
    return false;
}

bool SplitEnumerator::may_have(std::size_t at, std::int64_t number) const {
    const Numbers& chosen = numbers_[at];
    auto wanted = static_cast<std::int64_t>(chosen.size()) + 1;
    if (!bounds_.takes_less()) {
        if (bounds_.only_amount() != at) return true;
        wanted = 1 + std::count(chosen.begin(), chosen.end(), number);
    }
    return able_(bounds_.share_with(at, number)) >= wanted;
}

bool SplitEnumerator::align(std::size_t at, std::size_t node) {
    if (at == numbers_.size()) return budget_.spend() && visit_(split());
    if (node == shares_.size()) return align(at + 1, 0);
    const bool is_like_last =
        node > 0 && std::equal(shares_[node].begin(), shares_[node].end(),
                               shares_[node - 1].begin());  // in the amounts given before
    Numbers& numbers = numbers_[at];
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::int64_t number = numbers[i];
        if (i > 0 && numbers[i - 1] == number) continue;
        if (is_like_last && shares_[node - 1][at] < number) continue;
        if (!budget_.spend()) return false;
        const auto place = numbers.begin() + static_cast<std::ptrdiff_t>(i);
        numbers.erase(place);
        shares_[node].push_back(number);
        const bool is_found = align(at, node + 1);
        shares_[node].pop_back();
        numbers.insert(numbers.begin() + static_cast<std::ptrdiff_t>(i), number);
        if (is_found) return true;
    }
    return false;
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
