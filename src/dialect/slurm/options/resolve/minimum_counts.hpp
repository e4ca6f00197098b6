// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counts that are 1 or more, in options that no text was read for.
//
// Layer: dialect/slurm, inside.

#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"

namespace trestle::slurm {

/// The error of the first count of 0, of those that the grammars of the options keep at 1 or
/// more: the arithmetic of resolve() divides by them.
[[nodiscard]] Status check_least_counts(const JobOptions& options);

}  // namespace trestle::slurm
