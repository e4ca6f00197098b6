// SPDX-License-Identifier: Apache-2.0
// Inside a job: two steps share its GPUs, each task gets its own, and the job shrinks while it
// runs.
#include "trestle/alloc/cluster/job_steps.hpp"
#include "trestle/alloc/node/job/device_bind.hpp"
#include "trestle/alloc/node/job/job.hpp"
#include "trestle/alloc/node/job/task_layout.hpp"
#include "trestle/dialect/slurm/options/options.hpp"
#include "trestle/model/node_builder.hpp"

using namespace trestle;

namespace {

Request request_of(const std::vector<std::string>& options) {
    return slurm::parse_options(options)->request;
}

/// Starts a step and says which cores and GPUs its tasks get.
void start(JobState& job, const Cluster& cluster, StepId id, const Request& request) {
    const Verdict<Placement> placement = place_step(job, request);
    if (!placement) return fmt::print("step {}: {}\n", id, placement);
    if (!job.start({id, JobStep::Use::alone, *placement}).ok()) return;

    const std::vector<Node>& nodes = cluster.parts().nodes;
    DeviceBind one_each;
    one_each.rule = DeviceBind::Rule::per_task;
    auto tasks = layout_tasks(nodes, *placement, request);
    if (tasks) tasks = bind_devices(nodes, *placement, *tasks, one_each);
    if (!tasks) return fmt::print("step {}: {}\n", id, tasks.refusal());
    for (const TaskPlacement& task : *tasks) {
        fmt::print("step {} task {}: {} threads {} gpu {}\n", id, task.task,
                   cluster.node(task.node).name, task.threads, task.devices.front().device);
    }
}

}  // namespace

int main() {
    ClusterParts parts;
    parts.nodes = *make_nodes({.name = "n",
                               .packages = 2,
                               .cores_per_package = 8,
                               .memory = 256_GiB,
                               .devices = {{.name = "gpu", .count = 4}}},
                              2);
    Cluster cluster = *Cluster::create(parts);
    const Request wanted = request_of({"-N2", "-n8", "--gres=gpu:4", "--mem=64G"});
    const OwnerId owner(1);
    if (!cluster.commit({owner, wanted, *place(cluster, wanted)}).ok()) return 1;

    JobState job = *JobState::create(cluster.parts().nodes, *cluster.find_allocation(owner));
    start(job, cluster, StepId(0), request_of({"-N1", "-n2", "--gres=gpu:2", "--mem=16G"}));
    start(job, cluster, StepId(1), request_of({"-N2", "-n4", "--gres=gpu:2", "--mem=16G"}));
    start(job, cluster, StepId(2), request_of({"-N2", "--gres=gpu:1"}));
    fmt::print("\n{}\n\n", to_text(job));

    StatusOr<Placement> part = job.remove_node(NodeId(1));
    fmt::print("{}\n", message(part.status()));
    if (!job.end(StepId(1)).ok()) return 1;
    part = job.remove_node(NodeId(1));
    if (!part.ok() || !cluster.release_part(owner, *part).ok()) return 1;
    fmt::print("{}\n", to_text(job));
    return cluster.find_allocation(owner)->placement == job.allocation().placement ? 0 : 1;
}
