// SPDX-License-Identifier: Apache-2.0
// Whether devices have a value of each attribute in common, as Request::CommonAttribute says it:
// the values of each device in words, then one value that all of them have. Shares with the library
// core_groups and how an DeviceRequest::AttributeTest compares values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "alloc/node/device_match.hpp"
#include "model/core_groups.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/model/node.hpp"

namespace trestle {

/// The devices that links lead to, one after the other.
[[nodiscard]] inline std::set<std::uint32_t> oracle_island(const NodeShape& shape,
                                                           std::uint32_t device) {
    std::set<std::uint32_t> island{device};
    for (std::size_t before = 0; before != island.size();) {
        before = island.size();
        for (const DeviceLink& link : shape.links) {
            if (link.strength == 0) continue;
            if (island.count(link.a.value()) > 0) island.insert(link.b.value());
            if (island.count(link.b.value()) > 0) island.insert(link.a.value());
        }
    }
    return island;
}

[[nodiscard]] inline std::vector<std::string> oracle_values(const NodeShape& shape, std::uint32_t i,
                                                            const std::string& name) {
    const Device& device = shape.devices[i];
    std::vector<std::string> values;
    for (const Device::Attribute& one : device.attributes) {
        if (one.name == name) values.push_back(one.value);
    }
    if (!values.empty()) return values;
    const auto add = [&](std::string value) {
        if (!value.empty()) values.push_back(std::move(value));
    };
    if (name == "type") add(device.type);
    if (name == "vendor") add(device.vendor);
    if (name == "model") {
        for (char& letter : values.emplace_back(device.model)) {
            if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter + 'a' - 'A');
        }
        if (device.model.empty()) values.clear();
    }
    if (name == "island") add(std::to_string(*oracle_island(shape, i).begin()));
    for (const std::uint32_t one : device.switches) {
        const bool is_outermost = one == device.switches.front();
        if (name == "switch" || (name == "root_switch" && is_outermost)) add(std::to_string(one));
    }
    for (const auto& [level, word] :
         {std::pair(HardwareLevel::package, "package"), std::pair(HardwareLevel::die, "die"),
          std::pair(HardwareLevel::numa, "numa"), std::pair(HardwareLevel::l3, "l3"),
          std::pair(HardwareLevel::l2, "l2")}) {
        if (name != word) continue;
        const std::vector<CoreSet> groups = core_groups(shape, level);
        if (groups.empty()) add("0");
        for (std::size_t g = 0; g < groups.size(); ++g) {
            const bool is_near = device.cores.is_empty() || device.cores.intersects(groups[g]);
            if (is_near) add(std::to_string(g));
        }
    }
    return values;
}

/// `chosen`: devices, each with the number of the demand that it answers.
[[nodiscard]] inline bool oracle_has_common(
    const NodeShape& shape, const NodeDemand& demand,
    const std::vector<std::pair<std::uint32_t, std::size_t>>& chosen) {
    return std::all_of(
        demand.common_attributes.begin(), demand.common_attributes.end(),
        [&](const Request::CommonAttribute& common) {
            std::vector<std::vector<std::string>> all;
            for (const auto& [device, d] : chosen) {
                const auto& names = common.devices;
                const bool is_meant =
                    names.empty() ||
                    std::count(names.begin(), names.end(), demand.devices[d].request.name) > 0;
                if (is_meant) all.push_back(oracle_values(shape, device, common.name));
            }
            if (all.empty()) return true;
            return std::any_of(all[0].begin(), all[0].end(), [&](const std::string& value) {
                return std::all_of(all.begin(), all.end(), [&](const auto& values) {
                    return std::any_of(values.begin(), values.end(), [&](const auto& other) {
                        return detail::compare_values(value, other) == 0;
                    });
                });
            });
        });
}

}  // namespace trestle
