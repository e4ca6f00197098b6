// SPDX-License-Identifier: Apache-2.0
#pragma once

// Changes of a job's options after which it starts, each tried.
//
// Layer: tool. Main names: Change, nearest_changes.
// Pitfall: an amount is lowered as if less of it were always easier, so the change that is found
// starts the job, but a higher amount might do so too.

#include <string>
#include <vector>

#include "../site/job_words.hpp"
#include "../site/start.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle::tool {

/// A change with which the job starts.
struct Change {
    std::string text;  ///< `--gres=gpu:4 instead of --gres=gpu:8`, in the forms that were typed
    slurm::Submission job;
};

/// Single changes with which the job starts now: of where nodes lie, of which ones will do, of
/// types, of the partition, then of amounts, each as little as possible. Where none is enough,
/// pairs of them, three at most. Complexity: an answer for each option that was given, and the
/// logarithm of each amount; for pairs their square.
[[nodiscard]] std::vector<Change> nearest_changes(Asker& asker, const TypedJob& job);

}  // namespace trestle::tool
