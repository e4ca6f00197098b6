// SPDX-License-Identifier: Apache-2.0
#pragma once

// Changes of a job's options after which it starts, each tried.
//
// Layer: dialect/slurm. Main name: nearest_changes.
// Pitfall: an amount is lowered as if less of it were always easier, so the change that is found
// starts the job, but a higher amount might do so too.

#include <string>
#include <vector>

#include "asker.hpp"
#include "trestle/dialect/slurm/live/why.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle::slurm {

/// A job, and the words that say it.
struct TypedJob {
    std::vector<std::string> words;
    Submission submission;
};

/// Single changes with which the job starts now: of where nodes lie, of which ones will do, of
/// types, of the partition, then of amounts, each as little as possible. Where none is enough,
/// pairs of them, three at most. Complexity: an answer for each option that was given, and the
/// logarithm of each amount; for pairs their square.
[[nodiscard]] std::vector<JobChange> nearest_changes(Asker& asker, const TypedJob& job);

}  // namespace trestle::slurm
