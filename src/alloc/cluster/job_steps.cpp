// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/job_steps.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "alloc/node/job/detail/job_shape.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/model/node.hpp"

namespace trestle {

Cluster cluster_of(const JobState& job, JobStep::Use use) {
    ClusterParts parts;
    for (const JobNode& node : job.nodes()) {
        Node made;
        made.name = node.name;
        made.shape = detail::shape_with(*node.shape, node.granted);
        parts.nodes.push_back(std::move(made));
    }
    auto cluster = Cluster::create(std::move(parts));
    TRESTLE_EXPECTS(cluster.ok(), "the nodes of a job are described consistently");
    std::map<NodeId, MilliCpu> milli_beside;  // what the job has, and no step yet
    for (const JobNode& node : job.nodes()) {
        milli_beside[node.granted.node] = node.granted.milli_cpus;
    }
    for (const JobStep& step : job.steps()) {
        if (use == JobStep::Use::overlap || step.use == JobStep::Use::overlap) continue;
        Allocation taken{OwnerId(step.id.value()), {}, step.placement};
        for (NodePlacement& part : taken.placement.nodes) {
            MilliCpu& beside = milli_beside[part.node];
            const MilliCpu of_job = std::min(beside, part.milli_cpus);
            beside -= of_job;
            part.milli_cpus -= of_job;
            part.node = *cluster->find_node(job.find_node(part.node)->name);
            part.row.reset();
        }
        const bool is_taken = cluster->commit(std::move(taken)).ok();
        TRESTLE_EXPECTS(is_taken, "steps have parts of the job");
    }
    return *std::move(cluster);
}

Verdict<Placement> place_step(const JobState& job, Request request, const StepOptions& options) {
    request.features = {};
    request.feature_counts.clear();
    request.feature_sets.clear();
    request.cluster_counts.clear();
    request.partition.clear();
    request.architecture.reset();
    request.topology = {};
    PlaceOptions place_options = options.place;
    place_options.fit.rows = 1;
    const auto placed = place(cluster_of(job, options.use), request, place_options);
    if (!placed) {
        Refusal refusal = placed.refusal();
        for (std::size_t i = 0; i < job.steps().size(); ++i) {
            refusal.reason +=
                fmt::format("{}{}", i == 0 ? "; running steps: " : ", ", job.steps()[i].id);
        }
        return refusal;
    }
    Placement placement = *placed;
    for (NodePlacement& part : placement.nodes) {
        const NodePlacement& granted = job.nodes()[part.node.value()].granted;
        part.node = granted.node;
        part.row = granted.row;
        if (part.threads_per_core.is_zero()) part.threads_per_core = granted.threads_per_core;
    }
    return placement;
}

}  // namespace trestle
