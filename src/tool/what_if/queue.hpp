// SPDX-License-Identifier: Apache-2.0
#pragma once

// When the jobs of a queue would start, one after the other.
//
// Layer: tool. Main types: WaitingJob, QueuedStart; queue_starts.
// At each moment at which a job or a reservation ends, each waiting job starts that can, in the
// order of the queue. Each runs as long as its limit allows.
// Pitfall: no job keeps nodes for a later start, so a wide job may wait longer than with backfill.

#include <optional>
#include <string>
#include <vector>

#include "../site/job_words.hpp"
#include "../site/site.hpp"
#include "trestle/base/units.hpp"

namespace trestle::tool {

/// A job that has not started, by its name in answers.
struct WaitingJob {
    std::string name;
    slurm::TypedJob job;
};

/// When and where a job of the queue starts.
struct QueuedStart {
    std::optional<Seconds> starts_in;  ///< absent: not by the ends that are known
    std::string partition, nodes;      ///< of the first component
    bool may_ever_start = true;        ///< it starts on the idle cluster
    std::string why;                   ///< it does not start now; empty: it does
};

/// One for each job. Complexity: an answer for each moment and each kind of job that waits then.
[[nodiscard]] std::vector<QueuedStart> queue_starts(const Site& site,
                                                    const std::vector<WaitingJob>& jobs);

}  // namespace trestle::tool
