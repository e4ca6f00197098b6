// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/print.hpp"

#include <algorithm>

#include "trestle/set/text.hpp"

namespace trestle::slurm {

std::vector<GresDetail> gres_of(const NodeShape& shape, const NodePlacement& placement) {
    std::vector<GresDetail> details;
    for (const DeviceShare& share : placement.devices) {
        TRESTLE_EXPECTS(share.device.value() < shape.devices.size(), "the device exists");
        const Device& device = shape.devices[share.device.value()];
        auto at = std::find_if(details.begin(), details.end(), [&](const GresDetail& known) {
            return known.gres.name == device.name && known.gres.type == device.type;
        });
        if (at == details.end()) {
            details.push_back({{device.name, device.type, Count()}, {}, {}});
            at = details.end() - 1;
        }
        at->gres.count += Count(1);
        if (!device.files.empty()) at->indexes.insert(device.index);
    }
    return details;
}

PuSet cpu_ids(const NodeShape& shape, const NodePlacement& placement) {
    PuSet ids;
    std::uint32_t first = 0;
    for (std::uint32_t i = 0; i < shape.hardware.core_count(); ++i) {
        const auto threads = static_cast<std::uint32_t>(shape.hardware.cores[i].threads.size());
        if (placement.cores.contains(CoreId(i))) ids.insert_range({first, first + threads});
        first += threads;
    }
    return ids;
}

NodeGrant grant_of(const Node& node, const NodePlacement& placement) {
    const NodeShape& shape = *node.shape;
    return {node.name, cpu_ids(shape, placement), Count(threads_of(shape, placement).count()),
            placement.total_memory(), gres_of(shape, placement)};
}

std::string to_text(const NodeGrant& grant) {
    std::string gres;
    for (const GresDetail& item : grant.gres) {
        if (!gres.empty()) gres += ',';
        if (item.indexes.is_empty()) {
            gres += item.gres.name + (item.gres.type.empty() ? "" : ":" + item.gres.type) +
                    "(CNT:" + std::to_string(item.gres.count.value()) + ")";
        } else {
            gres += to_text(item);
        }
    }
    return "Nodes=" + grant.node + " CPU_IDs=" + to_text(grant.cpu_ids) +
           " Mem=" + std::to_string(div_ceil(grant.memory, mib(1).value()).value()) +
           " GRES=" + gres;
}

}  // namespace trestle::slurm
