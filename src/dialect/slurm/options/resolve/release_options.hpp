// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether a release of Slurm has the options of a job.
//
// Layer: dialect/slurm, inside. Main name: check_options_of. What was read as text is checked by
// its reader already (KnownOptions::release), from the same table.

#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"
#include "trestle/dialect/slurm/release.hpp"

namespace trestle::slurm {

/// Errors: InvalidArgument for the first option, or word of a value, that the release lacks.
[[nodiscard]] Status check_options_of(const JobOptions& options, Release release);

}  // namespace trestle::slurm
