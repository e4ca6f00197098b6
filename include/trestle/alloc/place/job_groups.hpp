// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parts of a job, in groups of equal ones.
//
// Layer: alloc. Main types: JobGroup, NodeCounts; groups_of(request, nodes). Tasks and counts for
// the whole job are split evenly, the first parts one more, so a job has few different parts,
// however many nodes. Components are dealt with in the same way, each by itself. A reader would get
// wrong: a part asks as much as the one before it or less, but may still need more of a node: fewer
// cores have less memory near.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/alloc/fit/demand.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// Parts that ask the same.
struct JobGroup {
    std::size_t component = 0;  ///< 0: the job itself, then its components from 1 on
    NodePart part;              ///< the first of them
    std::int64_t count = 0;

    friend bool operator==(const JobGroup&, const JobGroup&) = default;
};

namespace detail {

/// Adds the groups of one request on so many nodes. Complexity: its different parts.
inline void add_groups(std::vector<JobGroup>& groups, const Request& request, std::size_t component,
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

/// The groups of a request on so many nodes, without its components. Requires: nodes > 0.
[[nodiscard]] inline std::vector<JobGroup> groups_of(const Request& request, std::int64_t nodes) {
    std::vector<JobGroup> groups;
    detail::add_groups(groups, request, 0, nodes);
    return groups;
}

/// True when a larger job asks the same of each node, and any of its nodes make a smaller job: what
/// does not fit on few nodes then does not fit on more.
[[nodiscard]] inline bool more_nodes_are_harder(const Request& request) {
    const TopologyRequest& wish = request.topology;
    if (wish.shape || wish.segment_size || wish.level || !request.feature_counts.empty()) {
        return false;
    }
    return !request.tasks &&
           std::none_of(request.devices.begin(), request.devices.end(),
                        [](const DeviceRequest& one) { return one.per == Per::job; });
}

/// The numbers of nodes that a request, or a component, may be given, rising: those it accepts and
/// its partition allows, from the required nodes on. Where tasks are counted, a node beyond them is
/// given only if it is asked for.
class NodeCounts {
  public:
    NodeCounts(const Request& request, Range<Count> allowed, std::int64_t required)
        : request_(&request),
          least_(std::max(
              {std::int64_t{1}, request.nodes.least().value(), allowed.least().value(), required})),
          most_(
              std::min(request.nodes.max.value_or(Count::max()), allowed.max.value_or(Count::max()))
                  .value()) {
        if (request.tasks) most_ = std::min(most_, std::max(least_, request.tasks->value()));
    }

    [[nodiscard]] std::int64_t least() const { return least_; }
    /// False when the required nodes are too many.
    [[nodiscard]] bool has_any() const { return least_ <= most_; }
    /// The lowest number that is more than `before`, and at most `limit`; or nothing.
    [[nodiscard]] std::optional<std::int64_t> after(std::int64_t before, std::int64_t limit) const {
        std::int64_t nodes = std::max(before + 1, least_);
        const auto& counts = request_->node_counts;
        if (!counts.empty()) {
            const auto at = std::lower_bound(counts.begin(), counts.end(), Count(nodes));
            if (at == counts.end()) return std::nullopt;
            nodes = at->value();
        }
        return nodes <= std::min(most_, limit) ? std::optional(nodes) : std::nullopt;
    }

  private:
    const Request* request_;
    std::int64_t least_;
    std::int64_t most_;
};

}  // namespace trestle
