// SPDX-License-Identifier: Apache-2.0
#pragma once

// What srun's options ask inside of a job.
//
// Layer: dialect/slurm. Main names: step_request_of, StepRequest; place_step() of the core decides.
// A reader would get wrong: a step without --exact has whole nodes of the job, as with --whole,
// and so it waits while another step has anything there.

#include "trestle/alloc/job/job_steps.hpp"
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
/// - --whole, or neither --exact nor --cpus-per-task (which stands for --exact): all cores that the
///   job has on the nodes; else no more than asked.
/// - Where no option names a GRES (--gres=none names them all) the step has the job's whole
/// devices:
///   of each name and type as many a node as the node of the job that has the fewest.
///
/// Errors: those of request_of(); InvalidArgument for --exact and --whole together.
[[nodiscard]] StatusOr<StepRequest> step_request_of(const JobOptions& options, const JobState& job);

}  // namespace trestle::slurm
