// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "gres_records.hpp"

namespace trestle::slurm {
namespace {

Count promised_by(const NodeView& view, std::string_view name) {
    Count promised;
    for (const NodeGres& one : view.node.gres) {
        if (one.gres.name == name) promised = saturating_add(promised, one.gres.count);
    }
    return promised;
}

/// More GPUs than gres.conf has files for, or more parts than its lines have. Slurm looks at no
/// other GRES, and at the name as written; parts need no line.
std::optional<NodeFault> missing_gres(const NodeView& view, const GresRecords& records,
                                      std::string_view name) {
    const auto is_its = [&](const auto& one) { return one->name == name; };
    const auto line = std::find_if(view.lines.begin(), view.lines.end(), is_its);
    const bool has_line = line != view.lines.end();
    Count described;
    if (is_shared_gres(name)) {
        if (!has_line) return std::nullopt;
        for (const GresLine* one : view.lines) {
            if (is_its(one)) described = saturating_add(described, count_of_line(*one));
        }
    } else {
        described = Count(static_cast<std::int64_t>(std::count_if(
            records.devices.begin(), records.devices.end(),
            [&](const GresRecord& one) { return one.name == name && !one.files.empty(); })));
    }
    const Count promised = promised_by(view, name);
    if (promised <= described) return std::nullopt;
    return NodeFault{NodeFaultKind::missing_gpus, has_line ? (*line)->place : view.node.place,
                     fmt::format("gres/{} count reported lower than configured ({} < {})", name,
                                 described.value(), promised.value())};
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
        if (auto fault = missing_gres(view, records, "gpu")) return fault;
    }
    for (const std::string_view parts : {"shard", "mps"}) {
        if (auto fault = missing_gres(view, records, parts)) return fault;
    }
    return part_of_socket(records, hardware);
}

}  // namespace trestle::slurm
