// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/market/offers/instance.hpp"

#include <string>

#include "trestle/base/status.hpp"

namespace trestle {

namespace {

/// Ok when the part names only what the machine has.
Status check_part(const NodeShape& shape, const NodePlacement& part) {
    if (const auto stranger = (part.cores - shape.hardware.all_cores()).first()) {
        return invalid_argument("a block has core {}, which does not exist", stranger->value());
    }
    for (const MemoryShare& share : part.memory) {
        if (share.domain.value() < shape.memory.size()) continue;
        return invalid_argument("a block has memory of domain {}, which does not exist",
                                share.domain.value());
    }
    for (const DeviceShare& share : part.devices) {
        if (share.device.value() < shape.devices.size()) continue;
        return invalid_argument("a block has device {}, which does not exist",
                                share.device.value());
    }
    return {};
}

}  // namespace

Status check(const Instance& instance) {
    const HostBlocks& blocks = instance.blocks;
    if (instance.name.empty()) return invalid_argument("instance: it has no name");
    if (blocks.owners.empty() || blocks.count() != instance.offer.blocks) {
        return invalid_argument("instance {}: {} blocks have owners or none, its offer has {}",
                                instance.name, blocks.owners.size(), instance.offer.blocks.value());
    }
    if (blocks.split.has_value() != instance.shape.has_value()) {
        return invalid_argument("instance {}: expected a shape and how it is cut, or neither",
                                instance.name);
    }
    if (!instance.shape) return {};
    if (blocks.split->blocks.size() != blocks.owners.size()) {
        return invalid_argument("instance {}: {} blocks are described, expected {}", instance.name,
                                blocks.split->blocks.size(), blocks.owners.size());
    }
    const std::string where = "instance " + instance.name;
    TRESTLE_TRY_STATUS(with_context(where, check(**instance.shape)));
    const HostBlocks::Split& split = *blocks.split;
    TRESTLE_TRY_STATUS(with_context(where, check_part(**instance.shape, split.rest)));
    for (const NodePlacement& block : split.blocks) {
        TRESTLE_TRY_STATUS(with_context(where, check_part(**instance.shape, block)));
    }
    return {};
}

}  // namespace trestle
