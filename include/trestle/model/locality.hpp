// SPDX-License-Identifier: Apache-2.0
#pragma once

// Locality: which cores belong together at a level of the hardware tree.
//
// Layer: model. Main type: Locality, how much nearness matters; main functions: core_groups(shape,
// level), widen(groups, cores), refine(parts, cores). Nearness between cores, memory and devices is
// a question about such groups, at any level.
// A reader would get wrong: the groups of level numa are the cores with the same set of near
// memory, so that a node with DRAM and fast memory at each package has one group a package.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/model/hardware.hpp"
#include "trestle/model/node.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// How much nearness matters.
enum class Locality { ignore, prefer, require };

constexpr auto enum_names(Locality) {
    using enum Locality;
    return std::array{named(ignore, "ignore"), named(prefer, "prefer"), named(require, "require")};
}

/// The ordinary memory domains with a core in `cores`.
[[nodiscard]] inline DomainSet domains_near(const NodeShape& shape, const CoreSet& cores) {
    DomainSet near;
    for (std::uint32_t i = 0; i < shape.memory.size(); ++i) {
        const MemoryDomain& domain = shape.memory[i];
        if (is_ordinary(domain) && domain.cores.intersects(cores)) near.insert(DomainId(i));
    }
    return near;
}

/// Cuts every part into what is inside `cores` and what is not.
inline void refine(std::vector<CoreSet>& parts, const CoreSet& cores) {
    const std::size_t count = parts.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (!parts[i].intersects(cores) || cores.contains_all(parts[i])) continue;
        parts.push_back(parts[i] & cores);
        parts[i] -= cores;
    }
}

/// All cores of the node, parted by the groups of `level`, by lowest core. A core that is in no
/// group of the level is together with the others like it: on a node that does not report the
/// level, all cores are one group. Levels core and thread: each core by itself, but for groups of
/// level core, which hold the threads of one where threads are handed out (with_unit).
/// Complexity: linear in cores times groups.
[[nodiscard]] inline std::vector<CoreSet> core_groups(const NodeShape& shape, HardwareLevel level) {
    std::vector<CoreSet> groups;
    CoreSet rest = shape.hardware.all_cores();
    if (rest.is_empty()) return groups;
    if (level == HardwareLevel::numa) {
        groups.push_back(rest);
        for (const MemoryDomain& domain : shape.memory) {
            if (is_ordinary(domain)) refine(groups, domain.cores);
        }
        std::sort(groups.begin(), groups.end());
        return groups;
    }
    for (const CoreGroup& group : shape.hardware.groups) {
        const CoreSet cores = group.cores & rest;
        if (group.level != level || cores.is_empty()) continue;
        groups.push_back(cores);
        rest -= cores;
    }
    if (level == HardwareLevel::core || level == HardwareLevel::thread) {
        for (const CoreId core : rest) groups.push_back(CoreSet::of({core}));
    } else if (!rest.is_empty()) {
        groups.push_back(rest);
    }
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
