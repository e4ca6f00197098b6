// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/locality.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "model/core_groups.hpp"

namespace trestle {

DomainSet domains_near(const NodeShape& shape, const CoreSet& cores) {
    DomainSet near;
    for (std::uint32_t i = 0; i < shape.memory.size(); ++i) {
        const MemoryDomain& domain = shape.memory[i];
        if (domain.is_ordinary() && domain.cores.intersects(cores)) near.insert(DomainId(i));
    }
    return near;
}

void refine(std::vector<CoreSet>& parts, const CoreSet& cores) {
    const std::size_t count = parts.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (!parts[i].intersects(cores) || cores.contains_all(parts[i])) continue;
        parts.push_back(parts[i] & cores);
        parts[i] -= cores;
    }
}

std::vector<CoreSet> core_groups(const NodeShape& shape, HardwareLevel level) {
    std::vector<CoreSet> groups;
    CoreSet rest = shape.hardware.all_cores();
    if (rest.is_empty()) return groups;
    if (level == HardwareLevel::numa) {
        groups.push_back(rest);
        for (const MemoryDomain& domain : shape.memory) {
            if (domain.is_ordinary()) refine(groups, domain.cores);
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

namespace {

std::vector<std::vector<CoreSet>> groups_by_package(const NodeShape& shape, HardwareLevel level) {
    const std::vector<CoreSet> groups = core_groups(shape, level);
    std::vector<std::vector<CoreSet>> by_package;
    for (const CoreSet& package : core_groups(shape, HardwareLevel::package)) {
        std::vector<CoreSet>& inside = by_package.emplace_back();
        for (const CoreSet& group : groups) {
            if (group.intersects(package)) inside.push_back(group & package);
        }
        std::sort(inside.begin(), inside.end());
    }
    return by_package;
}

}  // namespace

std::vector<CoreSet> groups_in_packages(const NodeShape& shape, HardwareLevel level) {
    std::vector<CoreSet> all;
    for (auto& inside : groups_by_package(shape, level)) {
        std::move(inside.begin(), inside.end(), std::back_inserter(all));
    }
    return all;
}

std::vector<CoreSet> groups_to_deal(const NodeShape& shape, HardwareLevel level, Distribution how) {
    if (level == HardwareLevel::package) return core_groups(shape, level);
    if (how == Distribution::block) return groups_in_packages(shape, level);
    const auto by_package = groups_by_package(shape, level);
    std::vector<CoreSet> all;
    for (std::size_t i = 0, before = all.size();; ++i, before = all.size()) {
        for (const auto& inside : by_package) {
            if (i < inside.size()) all.push_back(inside[i]);
        }
        if (all.size() == before) return all;
    }
}

bool lie_inside(const std::vector<CoreSet>& parts, const std::vector<CoreSet>& groups) {
    return std::all_of(parts.begin(), parts.end(), [&](const CoreSet& part) {
        return std::any_of(groups.begin(), groups.end(),
                           [&](const CoreSet& group) { return group.contains_all(part); });
    });
}

CoreSet widen(const std::vector<CoreSet>& groups, const CoreSet& cores) {
    CoreSet wide = cores;
    for (const CoreSet& group : groups) {
        if (group.intersects(cores)) wide |= group;
    }
    return wide;
}

}  // namespace trestle
