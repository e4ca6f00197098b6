// SPDX-License-Identifier: Apache-2.0
#pragma once

// The terms on which a job of Slurm starts: its options as the core's JobTerms.
//
// Layer: dialect/slurm. Main function: job_terms_of(options, entry, find_owners); main types:
// QueueEntry, FindOwners. Read are --dependency, --begin and --hold. Slurm names jobs by numbers
// and tasks of arrays, the core by owners; the caller knows which is which.
// A reader would get wrong: `afternotok:12:13` is two conditions, and with `?` two ways to meet it,
// but an array is one condition on all its tasks: that one of them failed.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trestle/alloc/queue/terms.hpp"
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

/// The owner of a job or of a task; the owners of all tasks for an array without `task`. Empty when
/// no such job is known any more.
using FindOwners = std::function<std::vector<OwnerId>(const DependencyJob& job)>;

/// The terms. As in Slurm aftercorr is afterok of the task of the same number, or of all tasks
/// where there is none; and a job that is not known is no condition, which with `?` is enough.
/// Errors: InvalidArgument for afterok and afternotok of a job that is not known, a --begin that
/// needs a calendar, and singleton without a name; Unimplemented for expand and afterburstbuffer.
/// Complexity: linear in the owners that are found.
[[nodiscard]] StatusOr<JobTerms> job_terms_of(const JobOptions& options, const QueueEntry& entry,
                                              const FindOwners& find_owners);

}  // namespace trestle::slurm
