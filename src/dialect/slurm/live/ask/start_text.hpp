// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parts of what is said of a start, as text and as JSON.
//
// Layer: dialect/slurm. Main names: start_json, jobs_text, why_text, counts_text.

#include <string>
#include <vector>

#include "trestle/alloc/schedule/explain.hpp"
#include "trestle/dialect/json/value.hpp"
#include "trestle/dialect/slurm/live/start.hpp"

namespace trestle::slurm {

/// The members of to_json_text().
[[nodiscard]] json::Object start_json(const StartAnswer& answer);

/// `jobs 3, 4 and 9`; of many the first ten.
[[nodiscard]] std::string jobs_text(const std::vector<RunningJob>& jobs);

/// Why the first component that waits or was refused does: `Resources: ...`, `refused: ...`.
[[nodiscard]] std::string why_text(const std::vector<Decision>& decisions);

/// A line for each constraint that removes nodes, and one for the nodes that are left.
[[nodiscard]] std::string counts_text(const Explanation& nodes);

/// The words with blanks between, as a shell would take them.
[[nodiscard]] std::string joined_words(const std::vector<std::string>& words);

}  // namespace trestle::slurm
