// SPDX-License-Identifier: Apache-2.0
#pragma once

// What srun's options ask inside of a job.
//
// Layer: dialect/slurm. Main names: step_request_of, StepRequest; place_step() of the core decides.
// Pitfall: a step without --exact has whole nodes of the job, as with --whole, and so it waits
// while another step has anything there.

#include "trestle/alloc/cluster/job_steps.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"
#include "trestle/model/request.hpp"

namespace trestle::slurm {

/// What place_step() takes.
struct StepRequest {
    Request request;
    StepOptions options;

    static constexpr auto fields(auto list) {
        return list(field("request", &StepRequest::request),
                    field("options", &StepRequest::options));
    }
    friend bool operator==(const StepRequest&, const StepRequest&) = default;
};

/// What options ask of a job for one of its steps.
/// - Without -N, -n and -w: all nodes of the job, a task on each. More nodes than the job has are
///   not asked unless -N says so.
/// - --overlap: what other steps have may be had too.
/// - All cores that the job has on the nodes with --whole, or with neither --exact nor CPUs of a
///   task. Those are --cpus-per-task or --tres-per-task=cpu, and stand for --exact. Else no more
///   than asked.
/// - If no option names a GRES (--gres=none names them all), the step has whole devices of the job
///   as if --gres named them. So --cpus-per-gpu and --mem-per-gpu count by them. Each node has as
///   many of each name and type as the job's node with the fewest, and no parts of GPUs.
/// - --mem=0: as much of each node as the job has of the one with the least. If no option names
///   memory, the step's placement has none, and its limit is the job's.
///
/// Errors: those of request_of(), also for the job's GRES (--cpus-per-gpu where it has others than
/// GPUs, types for some GPUs only). InvalidArgument for --exact and --whole together.
[[nodiscard]] StatusOr<StepRequest> step_request_of(const JobOptions& options, const JobState& job);

}  // namespace trestle::slurm
