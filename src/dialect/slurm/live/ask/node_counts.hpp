// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many nodes each constraint of a job removes.
//
// Layer: dialect/slurm. Main name: explain_nodes.
// Pitfall: the allocator of the core counts, with what Slurm adds to the options; where it finds a
// place that Slurm's choice does not, Explanation::fits says so.

#include <vector>

#include "trestle/alloc/schedule/explain.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/choice/decision.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle::slurm {

/// What the nodes of the job's partition say to it now. `decisions` are the answers to it. Errors:
/// those of request_of(), for options that a request of the core cannot say.
[[nodiscard]] StatusOr<Explanation> explain_nodes(const Controller& controller,
                                                  const Submission& job,
                                                  const std::vector<Decision>& decisions);

}  // namespace trestle::slurm
