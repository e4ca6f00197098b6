// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "gres_records.hpp"

namespace trestle::slurm {
namespace {

/// More GPUs than gres.conf has files for. Slurm looks at no other GRES, and at the name as
/// written.
std::optional<NodeFault> missing_gpus(const NodeView& view, const GresRecords& records) {
    Count promised;
    for (const NodeGres& one : view.node.gres) {
        if (one.gres.name == "gpu") promised = saturating_add(promised, one.gres.count);
    }
    const auto described = static_cast<std::int64_t>(std::count_if(
        records.devices.begin(), records.devices.end(),
        [](const GresRecord& one) { return one.name == "gpu" && !one.files.empty(); }));
    if (promised <= Count(described)) return std::nullopt;
    const auto line = std::find_if(view.lines.begin(), view.lines.end(),
                                   [](const GresLine* one) { return one->name == "gpu"; });
    return NodeFault{NodeFaultKind::missing_gpus,
                     line != view.lines.end() ? (*line)->place : view.node.place,
                     fmt::format("gres/gpu count reported lower than configured ({} < {})",
                                 described, promised.value())};
}

/// A device with a file whose cores cut a socket.
std::optional<NodeFault> part_of_socket(const GresRecords& records, const HardwareTree& hardware) {
    for (const GresRecord& record : records.devices) {
        if (record.files.empty() || !record.cores || record.line == nullptr) continue;
        for (const CoreGroup& socket : hardware.groups) {
            const std::uint32_t near = socket.cores.count_and(*record.cores);
            if (near == 0 || near == socket.cores.count()) continue;
            return NodeFault{
                NodeFaultKind::part_of_socket, record.line->place,
                fmt::format("gres/{} GRES core specification {} doesn't match socket boundaries "
                            "(socket {} is cores {})",
                            record.name, to_text(*record.cores), socket.os_index.value(),
                            to_text(socket.cores))};
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<NodeFault> fault_of(const NodeView& view, const GresRecords& records,
                                  const HardwareTree& hardware, bool is_detecting) {
    if (!is_detecting) {
        if (auto fault = missing_gpus(view, records)) return fault;
    }
    return part_of_socket(records, hardware);
}

}  // namespace trestle::slurm
