// SPDX-License-Identifier: Apache-2.0
#pragma once

// What of a job's options can be asked for less strictly.
//
// Layer: dialect/slurm. Main names: Knob, knobs_of.
// Pitfall: a knob changes the options as they were read; resolve() may still refuse the result.

#include <cstdint>
#include <functional>
#include <vector>

#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"

namespace trestle::slurm {

/// One option, or one item of it, from its typed value down to what asks the least.
struct Knob {
    /// How many values below the typed one there are: of an amount n they are n-1 down to 1, of
    /// what can only be left out or replaced, one.
    std::int64_t steps = 1;
    /// Sets the value that is `step` below the typed one; 1 to steps.
    std::function<void(JobOptions& options, std::int64_t step)> set;
};

/// The knobs of the options that were given, nearest kind first.
[[nodiscard]] std::vector<Knob> knobs_of(const JobOptions& options, const Controller& controller);

}  // namespace trestle::slurm
