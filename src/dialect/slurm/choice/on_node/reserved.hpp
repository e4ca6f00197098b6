// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cores that GPUs keep to themselves (RestrictedCoresPerGPU), once it is known how many GPUs of a
// node a job has.
//
// Layer: dialect/slurm, inside. Main function: return_reserved.

#include "devices.hpp"

namespace trestle::slurm::choice {

/// Takes from a chosen node what the job has of such cores above what its GPUs there bring, and
/// gives it others of `offered` for them, of the same socket where there is one. Those that its
/// own GPUs keep stay before others. Whole nodes stay whole. Requires: devices were chosen.
/// False: there are too few others; with enforce-binding, on the same socket.
[[nodiscard]] bool return_reserved(const ChoiceJob& job, const CoreSet& offered,
                                   ChosenNode& chosen);

}  // namespace trestle::slurm::choice
