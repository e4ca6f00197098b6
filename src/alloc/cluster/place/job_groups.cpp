// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/job_groups.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace trestle {

namespace detail {

void add_groups(std::vector<JobGroup>& groups, const Request& request, std::size_t component,
                std::int64_t nodes) {
    std::vector<std::int64_t> starts{0};
    const auto add = [&](std::int64_t total) { starts.push_back(total % nodes); };
    if (request.tasks) add(request.tasks->value());
    for (const DeviceRequest& device : request.devices) {
        if (device.per != Per::job) continue;
        if (device.count.min) add(device.count.min->value());
        if (device.count.max) add(device.count.max->value());
    }
    std::sort(starts.begin(), starts.end());
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    starts.push_back(nodes);
    for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
        const NodePart part{starts[i], nodes};
        const std::int64_t count = starts[i + 1] - starts[i];
        const bool is_alike =
            i != 0 && demand_of(request, part, 1) == demand_of(request, groups.back().part, 1);
        if (is_alike) {
            groups.back().count += count;
        } else {
            groups.push_back({component, part, count});
        }
    }
}

}  // namespace detail

std::vector<JobGroup> groups_of(const Request& request, std::int64_t nodes) {
    std::vector<JobGroup> groups;
    detail::add_groups(groups, request, 0, nodes);
    return groups;
}

bool more_nodes_are_harder(const Request& request) {
    const TopologyRequest& wish = request.topology;
    if (wish.shape || wish.segment_size || wish.level || !request.feature_counts.empty()) {
        return false;
    }
    return !request.tasks &&
           std::none_of(request.devices.begin(), request.devices.end(),
                        [](const DeviceRequest& one) { return one.per == Per::job; });
}

NodeCounts::NodeCounts(const Request& request, Range<Count> allowed, std::int64_t required)
    : request_(&request),
      least_(std::max(
          {std::int64_t{1}, request.nodes.least().value(), allowed.least().value(), required})),
      most_(std::min(request.nodes.max.value_or(Count::max()), allowed.max.value_or(Count::max()))
                .value()) {
    const Range<Count>& each = request.tasks_per_node;
    if (request.tasks && each.max) {
        least_ = std::max(least_, div_ceil(*request.tasks, each.max->value()).value());
    }
    const auto first = accepted(least_);
    if (!first) most_ = std::min(most_, least_ - 1);
    least_ = first.value_or(least_);
    if (!request.tasks) return;
    const std::int64_t tasks = request.tasks->value();
    most_ = std::min(most_, std::max(least_, tasks));
    if (each.least() > Count(1)) most_ = std::min(most_, tasks / each.least().value());
}

std::optional<std::int64_t> NodeCounts::after(std::int64_t before, std::int64_t limit) const {
    const auto nodes = accepted(std::max(before + 1, least_));
    return nodes && *nodes <= std::min(most_, limit) ? nodes : std::nullopt;
}

std::optional<std::int64_t> NodeCounts::accepted(std::int64_t nodes) const {
    const auto& counts = request_->node_counts;
    if (counts.empty()) return nodes;
    const auto at = std::lower_bound(counts.begin(), counts.end(), Count(nodes));
    return at == counts.end() ? std::nullopt : std::optional(at->value());
}

}  // namespace trestle
