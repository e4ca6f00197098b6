// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/placement_text.hpp"

#include <string>

#include "alloc/cluster/units_text.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

std::string units_to_text(const NodePlacement& placement, const Node& node) {
    std::string text = "cores=" + to_text(placement.cores);
    if (!placement.milli_cpus.is_zero()) text += " milli_cpus=" + to_text(placement.milli_cpus);
    if (!placement.memory.empty()) {
        text += " memory=";
        for (std::size_t i = 0; i < placement.memory.size(); ++i) {
            const MemoryShare& share = placement.memory[i];
            text += fmt::format("{}{}:{}", i == 0 ? "" : ",", share.domain, share.bytes);
        }
    }
    if (!placement.devices.empty()) {
        text += " devices=";
        for (std::size_t i = 0; i < placement.devices.size(); ++i) {
            const DeviceShare& share = placement.devices[i];
            const Device& device = node.shape->devices[share.device.value()];
            text += fmt::format("{}{}:{}", i == 0 ? "" : ",", device.name, device.index);
            if (share.slice) {
                text += fmt::format("[{}@{}]", share.slice->profile, share.slice->start);
            } else if (share.shares != device.shares) {
                text += fmt::format("({}/{})", share.shares, device.shares);
            }
        }
    }
    return text;
}

std::string to_text(const NodePlacement& placement, const Node& node) {
    return node.name + " " + units_to_text(placement, node);
}

}  // namespace trestle
