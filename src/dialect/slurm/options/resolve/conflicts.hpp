// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which options exclude each other.
//
// Layer: dialect/slurm, inside. Main names: check_conflicts, drop_overridden, drop_idle_hint.

#include <string>

#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"

namespace trestle::slurm {

/// The error of the first pair of which both are given.
[[nodiscard]] Status check_conflicts(const JobOptions& options);

/// Takes back of `weak` what excludes something of `strong`.
void drop_overridden(JobOptions& weak, const JobOptions& strong);

/// Takes back a hint beside what says the same in numbers, as Slurm does. Why; empty: it stays.
[[nodiscard]] std::string drop_idle_hint(JobOptions& options);

}  // namespace trestle::slurm
