// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/core_groups.hpp"
#include "scene.hpp"
#include "set/masks.hpp"
#include "trestle/model/locality.hpp"
#include "trestle/set/text.hpp"

namespace trestle::svg {
namespace {

struct Level {
    HardwareLevel level = HardwareLevel::package;
    std::vector<CoreSet> groups;
};

/// The levels below packages, coarse ones first.
[[nodiscard]] std::vector<Level> inner_levels(const NodeShape& shape) {
    std::vector<Level> levels;
    for (const HardwareLevel level : {HardwareLevel::die, HardwareLevel::numa, HardwareLevel::l3}) {
        levels.push_back({level, core_groups(shape, level)});
    }
    std::stable_sort(levels.begin(), levels.end(), [](const Level& a, const Level& b) {
        return a.groups.size() < b.groups.size();
    });
    return levels;
}

[[nodiscard]] std::string label_of(const NodeShape& shape, HardwareLevel level,
                                   const CoreSet& cores) {
    if (level == HardwareLevel::numa) {
        SmallSet<> numbers;
        for (const DomainId domain : domains_near(shape, cores)) {
            numbers.insert(shape.memory[domain.value()].os_index.value());
        }
        return numbers.is_empty() ? "no memory" : "numa " + to_space_list(numbers);
    }
    for (const CoreGroup& group : shape.hardware.groups) {
        if (group.level == level && group.cores.intersects(cores)) {
            return fmt::format("{} {}", to_text(level), group.os_index.value());
        }
    }
    return "cores";
}

void add_parts(const NodeShape& shape, Box& box, const Level& level) {
    for (const CoreSet& group : level.groups) {
        const CoreSet cores = group & box.cores;
        if (cores.is_empty()) continue;
        box.parts.push_back({label_of(shape, level.level, cores), cores, {}, {}, {}, {}});
    }
}

/// Splits the box by each level that parts its cores into several groups, not all of one core.
void split(const NodeShape& shape, Box& box, std::span<const Level> levels) {
    for (; !levels.empty() && box.parts.empty(); levels = levels.subspan(1)) {
        add_parts(shape, box, levels.front());
        if (box.parts.size() < 2 || box.parts.size() == box.cores.count()) box.parts.clear();
    }
    for (Box& part : box.parts) split(shape, part, levels);
}

/// The smallest box that holds all of `cores`; the machine for those near to all alike.
[[nodiscard]] Box& home_of(Box& box, const CoreSet& cores) {
    if (!cores.is_empty()) {
        for (Box& part : box.parts) {
            if (part.cores.contains_all(cores)) return home_of(part, cores);
        }
    }
    return box;
}

[[nodiscard]] bool holds_all(const Box& box, const std::vector<DeviceId>& devices) {
    std::vector<DeviceId> here = box.devices;
    std::vector<const Box*> open{&box};
    while (!open.empty()) {
        const Box* next = open.back();
        open.pop_back();
        here.insert(here.end(), next->devices.begin(), next->devices.end());
        for (const Box& part : next->parts) open.push_back(&part);
    }
    return std::all_of(devices.begin(), devices.end(), [&](DeviceId device) {
        return std::find(here.begin(), here.end(), device) != here.end();
    });
}

[[nodiscard]] Box& home_of(Box& box, const std::vector<DeviceId>& devices) {
    for (Box& part : box.parts) {
        if (holds_all(part, devices)) return home_of(part, devices);
    }
    return box;
}

/// Parts the linked devices into groups without a link from one to another.
[[nodiscard]] std::vector<LinkGroup> link_groups(const NodeShape& shape) {
    std::vector<std::size_t> leader(shape.devices.size());
    std::iota(leader.begin(), leader.end(), std::size_t{0});
    const auto find = [&](DeviceId device) {
        std::size_t at = device.value();
        while (leader[at] != at) at = leader[at];
        return at;
    };
    for (const DeviceLink& link : shape.links) {
        if (link.strength == 0) continue;
        const auto [low, high] = std::minmax({find(link.a), find(link.b)});
        leader[high] = low;
    }
    std::vector<LinkGroup> by_leader(shape.devices.size());
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
        by_leader[find(DeviceId(i))].devices.emplace_back(i);
    }
    for (const DeviceLink& link : shape.links) {
        if (link.strength > 0) by_leader[find(link.a)].links.push_back(link);
    }
    std::erase_if(by_leader, [](const LinkGroup& group) { return group.links.empty(); });
    return by_leader;
}

}  // namespace

bool LinkGroup::is_uniform() const {
    const std::size_t n = devices.size();
    return links.size() == n * (n - 1) / 2 &&
           std::all_of(links.begin(), links.end(), [&](const DeviceLink& link) {
               return link.strength == links.front().strength;
           });
}

Box box_tree(const NodeShape& shape) {
    Box machine;
    machine.cores = shape.hardware.all_cores();
    add_parts(shape, machine, {HardwareLevel::package, core_groups(shape, HardwareLevel::package)});
    const std::vector<Level> levels = inner_levels(shape);
    for (Box& package : machine.parts) split(shape, package, levels);
    for (std::uint32_t i = 0; i < shape.memory.size(); ++i) {
        home_of(machine, shape.memory[i].cores).memory.emplace_back(i);
    }
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
        home_of(machine, shape.devices[i].cores).devices.emplace_back(i);
    }
    for (LinkGroup& group : link_groups(shape)) {
        home_of(machine, group.devices).links.push_back(std::move(group));
    }
    return machine;
}

}  // namespace trestle::svg
