// SPDX-License-Identifier: Apache-2.0
#pragma once

// When and where a job starts, as text and as JSON.
//
// Layer: tool. Main names: start_text, start_json.

#include <string>

#include "start.hpp"
#include "trestle/dialect/json/value.hpp"

namespace trestle::tool {

/// `starts now in partition gpu`, `starts in 01:00:00, when job 3 ends, ...`, `never starts: ...`,
/// then a line for the nodes that give the same.
[[nodiscard]] std::string start_text(const StartAnswer& answer);

/// Members `starts_in` (seconds; null: not by the limits of running jobs), `may_ever_start`,
/// `waits_for`, and `components` with `answer`, `reason`, `message`, `partition`, `nodes`.
[[nodiscard]] json::Object start_json(const StartAnswer& answer);

/// `jobs 3, 4 and 9`; of many the first ten.
[[nodiscard]] std::string jobs_text(const std::vector<RunningJob>& jobs);

/// Why the first component that waits or was refused does: `Resources: ...`, `refused: ...`.
[[nodiscard]] std::string why_text(const std::vector<slurm::Decision>& decisions);

}  // namespace trestle::tool
