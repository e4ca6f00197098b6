// SPDX-License-Identifier: Apache-2.0
#pragma once

// place_step: which part of a job meets what a step asks.
//
// Layer: alloc. Main functions: place_step(job, request, options) -> Verdict<Placement>, and
// cluster_of(job, use). The latter is the job as a small cluster, on which the step is placed.
// Whatever place(), fit() and explain() know about clusters holds inside a job too.
// Pitfall: a step that asks for no device gets none. Slurm gives it all that the job has.

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/node/job/job.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// How a step takes its part of a job.
struct StepOptions {
    JobStep::Use use = JobStep::Use::alone;
    PlaceOptions place;

    static constexpr auto fields(auto list) {
        return list(field("use", &StepOptions::use), field("place", &StepOptions::place));
    }
    friend bool operator==(const StepOptions&, const StepOptions&) = default;
};

/// The job's nodes, in their order, as a cluster in which its steps have what they have. The owner
/// of each is the step's number. For a step that overlaps, everything is free. What the job does
/// not have is not there: its cores are the system's, its memory is empty, its devices have other
/// names. Of a device the job's shares are all: two of four make the whole. Thousandths of CPUs are
/// those of the job's cores; what it has beside them is not there. Complexity: linear in the
/// descriptions of the job's nodes and in its steps.
[[nodiscard]] Cluster cluster_of(const JobState& job, JobStep::Use use);

/// The part of the job that meets `request`, for JobState::start. place() decides, so nodes, tasks
/// and counts per job are those of the step. With the first policy they are the lowest nodes, and
/// on each of them what is near, then what is lowest. A whole node is all that the job has there,
/// and is refused while another step has anything of it. Thousandths of CPUs are found in the job's
/// cores; those that it has beside them are for steps that name them. What only concerns the choice
/// of nodes for the job (features, partition, architecture, topology, cluster-wide counts) is not
/// looked at. Nodes are required and excluded by name as ever.
///
/// Returns a refusal that names the steps that run. The job is not changed.
/// Requires: check(request) is ok. Complexity: that of place() on the job's nodes.
[[nodiscard]] Verdict<Placement> place_step(const JobState& job, Request request,
                                            const StepOptions& options = {});

}  // namespace trestle
