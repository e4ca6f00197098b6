// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which options of one component of a job go on to the next.
//
// Layer: dialect/slurm, inside. Main names: inherit.

#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle::slurm {

/// Writes into each component but the first what it does not say itself and the one before it says
/// of the whole job: time, mail, account and the like, and --mem. What a component is given of a
/// cluster (nodes, tasks, CPUs, devices, partition, ...) is its own.
void inherit(Submission& submission, Tool tool);

}  // namespace trestle::slurm
