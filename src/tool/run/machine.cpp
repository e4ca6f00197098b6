// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/App.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../site/job_words.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/dialect/slurm/choice/load.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"
#include "trestle/dialect/slurm/options/environment.hpp"
#include "trestle/dialect/slurm/options/job_end.hpp"
#include "trestle/dialect/slurm/print.hpp"
#include "trestle/enforce/limits/requirements.hpp"
#include "trestle/os/discover.hpp"

namespace trestle::tool {
namespace {

StatusOr<std::string> text_of(const std::string& path) {
    const auto text = slurm::read_file(path);
    if (!text.ok()) return with_context(path, text.status());
    if (!*text) return not_found("{}: no such file", path);
    return **text;
}

StatusOr<std::vector<Node>> read_nodes(const MachineOptions& options) {
    if (options.node_conf.empty()) {
        if (!options.gres_conf.empty()) {
            return invalid_argument("--gres-conf: alone, expected beside --node-conf");
        }
        TRESTLE_TRY(Node node, os::discover({options.machine, ""}));
        return std::vector<Node>{std::move(node)};
    }
    if (!options.machine.empty()) return invalid_argument("--machine: not with --node-conf");
    TRESTLE_TRY(const std::string node_conf, text_of(options.node_conf));
    std::string gres_conf;
    if (!options.gres_conf.empty()) {
        TRESTLE_TRY(gres_conf, text_of(options.gres_conf));
    }
    TRESTLE_TRY(slurm::BuiltNodes built,
                slurm::parse_nodes({.slurm_conf = node_conf, .gres_conf = gres_conf}));
    for (const slurm::ConfWarning& warning : built.warnings) {
        fmt::print(stderr, "{}\n", to_text(warning));
    }
    return std::move(built.nodes);
}

/// What the command sees: it is the only task on its node.
std::vector<EnvironmentVariable> environment_of(const slurm::JobContext& job, std::size_t node,
                                                const PuSet& cpus) {
    slurm::TaskContext task;
    task.node = static_cast<std::uint32_t>(node);
    task.task = task.node;
    task.cpus = {cpus};
    for (const slurm::GresDetail& item : job.nodes[node].gres) {
        if (item.gres.name == "gpu") task.gpus |= item.indexes;
    }
    std::vector<EnvironmentVariable> all = slurm::job_environment(job);
    for (auto& part : {slurm::node_environment(job, node), slurm::task_environment(task)}) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

slurm::JobContext context_of(const Cluster& cluster, const Placement& placement,
                             const slurm::JobOptions& options) {
    slurm::JobContext context;
    context.id = static_cast<std::uint64_t>(::getpid());
    context.options = options;
    context.options.ntasks = Count(0);
    for (const NodePlacement& part : placement.nodes) {
        *context.options.ntasks += part.tasks;
        context.nodes.push_back(slurm::grant_of(cluster.node(part.node), part));
    }
    return context;
}

/// When and how the job is ended, by srun's --time and --signal.
EndPolicy end_of(const slurm::ParsedOptions& parsed) {
    slurm::EndRules rules;
    rules.time_limit = parsed.request.time_limit;
    rules.signal = parsed.options.signal;
    return slurm::end_policy(rules);
}

}  // namespace

void add_machine_options(CLI::App& command, MachineOptions& options) {
    command
        .add_option("--machine", options.machine,
                    "The machine from a file of hwloc XML, not this one")
        ->type_name("FILE");
    command.add_option("--node-conf", options.node_conf, "The machine from lines of slurm.conf")
        ->type_name("FILE");
    command.add_option("--gres-conf", options.gres_conf, "Its devices from lines of gres.conf")
        ->type_name("FILE");
}

StatusOr<Cluster> read_machine(const MachineOptions& options) {
    ClusterParts parts;
    TRESTLE_TRY(parts.nodes, read_nodes(options));
    return Cluster::create(parts);
}

StatusOr<slurm::ParsedOptions> options_alone(const std::vector<std::string>& words) {
    TRESTLE_TRY_STATUS(all_mistakes(slurm::read_arguments(words)));
    TRESTLE_TRY(slurm::ParsedOptions parsed, slurm::parse_options(words));
    if (parsed.command.empty()) return parsed;
    return invalid_argument("unexpected word {}, expected options of sbatch",
                            parsed.command.front());
}

Request request_on(const Cluster& cluster, const slurm::ParsedOptions& parsed) {
    Request request = parsed.request;
    if (parsed.wants_all_memory && cluster.node_count() > 0) {
        request.memory = Range<Bytes>::exactly(cluster.shape(NodeId(0)).ordinary_memory());
    }
    return request;
}

StatusOr<Job> job_on(const Cluster& cluster, const Placement& placement, std::size_t index,
                     const slurm::ParsedOptions& parsed, Requirement requirement) {
    const NodePlacement& part = placement.nodes[index];
    Job job{cluster.node(part.node), request_on(cluster, parsed), part, {}, {}};
    if (part.component > 0) {
        Request of_component = std::move(job.request.components[part.component - 1]);
        job.request = std::move(of_component);
    }
    job.policy.requirements = Requirements::all(requirement);
    PlanOptions with;
    with.owner = OwnerId(static_cast<std::uint64_t>(::getpid()));
    with.group = fmt::format("job_{}", with.owner);
    with.environment = environment_of(context_of(cluster, placement, parsed.options), index,
                                      threads_of(*job.node.shape, part));
    with.end = end_of(parsed);
    TRESTLE_TRY(job.plan, plan(job.node, job.placement, job.request, job.policy, with));
    return job;
}

}  // namespace trestle::tool
