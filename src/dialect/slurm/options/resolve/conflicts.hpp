// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which options exclude each other.
//
// Layer: dialect/slurm, inside. Main names: Conflict, option_conflicts.

#include <span>
#include <string_view>

#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"

namespace trestle::slurm {

/// One side of a conflict: how it is called, whether it is given, how it is taken back.
struct ConflictSide {
    std::string_view name;
    bool (*is_given)(const JobOptions&);
    void (*take_back)(JobOptions&);
};

struct Conflict {
    ConflictSide first;
    ConflictSide second;
};

/// All pairs that Slurm's clients refuse.
[[nodiscard]] std::span<const Conflict> option_conflicts();

/// The error of the first pair of which both are given.
[[nodiscard]] Status check_conflicts(const JobOptions& options);

/// Takes back of `weak` what excludes something of `strong`.
void drop_overridden(JobOptions& weak, const JobOptions& strong);

}  // namespace trestle::slurm
