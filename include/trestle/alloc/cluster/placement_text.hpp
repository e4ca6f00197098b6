// SPDX-License-Identifier: Apache-2.0
#pragma once

// A placement in the words of its nodes: names of nodes and devices instead of numbers.
//
// Layer: alloc. Main functions: units_to_text, to_text(placement, node). For text that needs no
// node see model/placement.hpp.
// A reader would get wrong: the text is for people; it is not read back.

#include <string>

#include "trestle/base/fmt.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

/// `cores=0-7 milli_cpus=500 memory=0:16GiB devices=gpu:0,gpu:1(1/4),gpu:2[1g.10gb@4]`: what is
/// given of a node. Requires: the devices exist on the node.
[[nodiscard]] inline std::string units_to_text(const NodePlacement& placement, const Node& node) {
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

/// The same behind the node's name: `n1 cores=0-7 ...`. Requires: as above.
[[nodiscard]] inline std::string to_text(const NodePlacement& placement, const Node& node) {
    return node.name + " " + units_to_text(placement, node);
}

}  // namespace trestle
