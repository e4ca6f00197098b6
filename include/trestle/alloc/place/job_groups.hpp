// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parts of a job, in groups of equal ones.
//
// Layer: alloc. Main types: JobGroup; groups_of(request, nodes). Tasks and counts for the whole job
// are split evenly, the first parts one more, so a job has few different parts, however many nodes.
// Components follow the job's own parts, each on the fewest nodes it allows.
// A reader would get wrong: a part asks as much as the one before it or less, but may still need
// more of a node: fewer cores have less memory near.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trestle/alloc/fit/demand.hpp"
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

/// The groups of a job on so many nodes, and those of its components. Requires: nodes > 0.
[[nodiscard]] inline std::vector<JobGroup> groups_of(const Request& request, std::int64_t nodes) {
    std::vector<JobGroup> groups;
    detail::add_groups(groups, request, 0, nodes);
    for (std::size_t i = 0; i < request.components.size(); ++i) {
        const Request& one = request.components[i];
        const std::int64_t least = std::max<std::int64_t>(1, one.nodes.least().value());
        detail::add_groups(groups, one, i + 1, least);
    }
    return groups;
}

}  // namespace trestle
