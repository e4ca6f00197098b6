// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ids of jobs as squeue and sacct print them: `1001`, `1001_7`, `1001_[50-100%4]`.
//
// Layer: dialect/slurm. Main types: JobId; parse_job_id, to_text, tasks_in.
// Pitfall: `1001` is a job, or all of an array. A task of an array has a job id of its own too,
// which this is not.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/text.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/options/terms.hpp"

namespace trestle::slurm {

/// A job, or tasks of an array. A list of one task is that task.
struct JobId {
    std::uint32_t job = 1;          ///< not 0; of an array the id that it was given as a whole
    std::optional<JobArray> tasks;  ///< absent: the job, or all of the array

    static constexpr auto fields(auto list) {
        return list(field("job", &JobId::job), field("tasks", &JobId::tasks));
    }
    friend bool operator==(const JobId&, const JobId&) = default;
};

/// `1001`, `1001_7`, `1001_[1,5-7,20-40:4]`, `1001_[50-100%4]`, the last with the number of tasks
/// that run at the same time. Task ids are below 4,000,001. Components (`1001+1`), steps (`1001.0`)
/// and lists that squeue cut off (`1001_[1-9,...]`) are none of these. Complexity: linear in the
/// text, whatever the ranges.
[[nodiscard]] TextResult<JobId> read_job_id(TextCursor text);

/// The same. Errors: InvalidArgument with offset and token.
[[nodiscard]] StatusOr<JobId> parse_job_id(std::string_view text);

/// What parse_job_id() reads, with the ranges as they are; one task without a limit as `1001_7`.
[[nodiscard]] std::string to_text(const JobId& id);

/// How many tasks of the array it names, each once; 1 for a job without tasks.
/// Complexity: n log n in the tasks.
[[nodiscard]] Count tasks_in(const JobId& id);

}  // namespace trestle::slurm
