// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cores that GPUs keep to themselves (RestrictedCoresPerGPU): before nodes are chosen, and once it
// is known how many GPUs of a node a job has.
//
// Layer: dialect/slurm, inside. Main functions: hold_reserved_back, return_reserved.

#include <span>

#include "devices.hpp"
#include "node_fit.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle::slurm::choice {

/// The cores that GPUs reserve beyond those that the job may have go, a GPU's worth at a time:
/// those of sockets that are not `needed`, then the first of the node. `most`: GPUs that the job
/// may have here, by position in `gres`.
void hold_reserved_back(const NodeView& node, std::span<const SocketGres> gres,
                        std::span<const Number> most, const ChoiceJob& job,
                        const SmallSet<>& needed, SocketCores& sockets);

/// Takes from a chosen node what the job has of such cores above what its GPUs there bring, and
/// gives it others of `offered` for them, of the same socket where there is one. Those that its
/// own GPUs keep stay before others. Whole nodes stay whole. Requires: devices were chosen.
/// False: there are too few others; with enforce-binding, on the same socket.
[[nodiscard]] bool return_reserved(const ChoiceJob& job, const CoreSet& offered,
                                   ChosenNode& chosen);

}  // namespace trestle::slurm::choice
