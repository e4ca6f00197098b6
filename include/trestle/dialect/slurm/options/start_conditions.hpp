// SPDX-License-Identifier: Apache-2.0
#pragma once

// The conditions on which a job of Slurm starts: its options as the core's StartConditions and
// QueueState::Array.
//
// Layer: dialect/slurm. Main functions: start_conditions_of(options, entry, find_jobs),
// array_conditions_of(options, array); main types: QueueEntry, FoundJobs, FindJobs. They read
// --dependency, --begin, --hold, and the number of concurrent tasks of --array. Slurm numbers jobs
// and arrays alike; the core has owners and arrays, and the caller maps the numbers.
// Pitfall: `afternotok:12:13` is two conditions, and with `?` two ways to meet it. An array is one
// condition on all its tasks: that one of them failed.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trestle/alloc/schedule/start_conditions.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"
#include "trestle/dialect/slurm/options/terms.hpp"

namespace trestle::slurm {

/// What a job is in the caller's queue.
struct QueueEntry {
    OwnerId owner;
    Instant submitted;                  ///< from when `--begin=now+1hour` counts
    std::string name;                   ///< for singleton: of user and job
    std::optional<ArrayId> array;       ///< of --array
    std::optional<std::uint32_t> task;  ///< its number in the array, for aftercorr

    static constexpr auto fields(auto list) {
        return list(field("owner", &QueueEntry::owner), field("submitted", &QueueEntry::submitted),
                    field("name", &QueueEntry::name), field("array", &QueueEntry::array),
                    field("task", &QueueEntry::task));
    }
    friend bool operator==(const QueueEntry&, const QueueEntry&) = default;
};

/// What a job number stands for: no known job, owners, or all tasks of an array.
struct FoundJobs {
    std::vector<OwnerId> owners;   ///< of a job or a task; also of all tasks, one by one
    std::optional<ArrayId> array;  ///< whose tasks go by it in their QueueEntry

    [[nodiscard]] bool is_empty() const { return owners.empty() && !array; }

    static constexpr auto fields(auto list) {
        return list(field("owners", &FoundJobs::owners), field("array", &FoundJobs::array));
    }
    friend bool operator==(const FoundJobs&, const FoundJobs&) = default;
};

/// Those that a dependency names; an array is named without `task`.
using FindJobs = std::function<FoundJobs(const DependencyJob& job)>;

/// The conditions. As in Slurm aftercorr is afterok of the task of the same number, or of all tasks
/// where there is none. A job that is not known is no condition, which with `?` is enough.
/// Errors: InvalidArgument for afterok and afternotok of a job that is not known, a --begin that
/// needs a calendar, and singleton without a name. Unimplemented for expand and afterburstbuffer.
/// Complexity: linear in the owners that are found.
[[nodiscard]] StatusOr<StartConditions> start_conditions_of(const JobOptions& options,
                                                            const QueueEntry& entry,
                                                            const FindJobs& find_jobs);

/// The throttle of `--array=1-100%4`; nothing where there is none.
[[nodiscard]] std::optional<QueueState::Array> array_conditions_of(const JobOptions& options,
                                                                   ArrayId array);

}  // namespace trestle::slurm
