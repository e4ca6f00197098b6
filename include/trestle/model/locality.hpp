// SPDX-License-Identifier: Apache-2.0
#pragma once

// Locality: which cores belong together at a level of the hardware tree.
//
// Layer: model. Main functions: core_groups(shape, level), widen(groups, cores). Nearness between
// cores, memory and devices is a question about such groups, at any level.
// A reader would get wrong: the groups of level numa are the cores with the same set of near
// memory, so that a node with DRAM and fast memory at each package has one group a package.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trestle/base/ids.hpp"
#include "trestle/model/hardware.hpp"
#include "trestle/model/node.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// The ordinary memory domains with a core in `cores`.
[[nodiscard]] inline DomainSet domains_near(const NodeShape& shape, const CoreSet& cores) {
    DomainSet near;
    for (std::uint32_t i = 0; i < shape.memory.size(); ++i) {
        const MemoryDomain& domain = shape.memory[i];
        if (is_ordinary(domain) && domain.cores.intersects(cores)) near.insert(DomainId(i));
    }
    return near;
}

namespace detail {

[[nodiscard]] inline std::vector<CoreSet> groups_by_memory(const NodeShape& shape) {
    std::vector<CoreSet> groups;
    std::vector<DomainSet> domains;
    for (std::uint32_t i = 0; i < shape.hardware.core_count(); ++i) {
        const DomainSet near = domains_near(shape, CoreSet::of({CoreId(i)}));
        const auto at = std::find(domains.begin(), domains.end(), near);
        const auto group = static_cast<std::size_t>(at - domains.begin());
        if (at == domains.end()) {
            domains.push_back(near);
            groups.emplace_back();
        }
        groups[group].insert(CoreId(i));
    }
    return groups;
}

}  // namespace detail

/// All cores of the node, parted by the groups of `level`, by lowest core. A core that is in no
/// group of the level is together with the others like it: on a node that does not report the
/// level, all cores are one group. Levels core and thread: each core by itself.
/// Complexity: linear in cores times groups.
[[nodiscard]] inline std::vector<CoreSet> core_groups(const NodeShape& shape,
                                                      HardwareLevel level) {
    if (level == HardwareLevel::numa) return detail::groups_by_memory(shape);
    std::vector<CoreSet> groups;
    CoreSet rest = shape.hardware.all_cores();
    if (level == HardwareLevel::core || level == HardwareLevel::thread) {
        for (const CoreId core : rest) groups.push_back(CoreSet::of({core}));
        return groups;
    }
    for (const CoreGroup& group : shape.hardware.groups) {
        const CoreSet cores = group.cores & rest;
        if (group.level != level || cores.is_empty()) continue;
        groups.push_back(cores);
        rest -= cores;
    }
    if (!rest.is_empty()) groups.push_back(rest);
    std::sort(groups.begin(), groups.end());
    return groups;
}

/// All cores of those groups that hold one of `cores`.
[[nodiscard]] inline CoreSet widen(const std::vector<CoreSet>& groups, const CoreSet& cores) {
    CoreSet wide = cores;
    for (const CoreSet& group : groups) {
        if (group.intersects(cores)) wide |= group;
    }
    return wide;
}

}  // namespace trestle
