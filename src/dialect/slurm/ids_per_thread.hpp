// SPDX-License-Identifier: Apache-2.0
#pragma once

// Abstract CPU ids of cores of which one thread alone is a CPU.
//
// Layer: dialect/slurm, inside. Where CPUs= counts cores, Slurm numbers the other threads all the
// same; a node of such a configuration has cores of one thread whose numbers leave them out.
// Pitfall: the kernel of a machine whose second threads are switched off counts in the same steps,
// and Slurm does not. A configuration describes one level of groups, a machine that was looked at
// has several.

#include <algorithm>
#include <cstdint>

#include "trestle/model/hardware.hpp"

namespace trestle::slurm {

/// Ids that each thread of the tree stands for: k where core i has the thread i * k alone and all
/// groups are of one level, else 1.
[[nodiscard]] inline std::uint32_t ids_per_thread(const HardwareTree& hardware) {
    if (hardware.core_count() < 2 || hardware.cores[1].threads.size() != 1) return 1;
    const auto& groups = hardware.groups;
    const bool is_configured = std::all_of(groups.begin(), groups.end(), [&](const auto& group) {
        return group.level == groups.front().level;
    });
    if (!is_configured) return 1;
    const std::uint32_t step = hardware.cores[1].threads.front().value();
    for (std::uint32_t i = 0; i < hardware.core_count(); ++i) {
        const auto& threads = hardware.cores[i].threads;
        if (threads.size() != 1 || threads.front().value() != i * step) return 1;
    }
    return step == 0 ? 1 : step;
}

/// visit(core, ids) for each core in order, with the range of its abstract CPU ids.
template <class Visit>
void for_each_core_ids(const HardwareTree& hardware, const Visit& visit) {
    const std::uint32_t each = ids_per_thread(hardware);
    std::uint32_t first = 0;
    for (std::uint32_t i = 0; i < hardware.core_count(); ++i) {
        const auto threads = static_cast<std::uint32_t>(hardware.cores[i].threads.size());
        const std::uint32_t end = first + threads * each;
        visit(CoreId(i), PuSet::Run{first, end});
        first = end;
    }
}

}  // namespace trestle::slurm
