// SPDX-License-Identifier: Apache-2.0

// srun without a daemon: reads the machine and the request, decides, says what it will do, does it.
//
//   run_job [--machine FILE.xml | --node-conf FILE [--gres-conf FILE]] [--dry-run] [--json]
//           [--require-enforcement] [--container[=ROOT]]
//           [options of srun, such as --gres=gpu:1 -c 2 --mem=512M --time=10 --signal=USR1@60]
//           -- COMMAND...
//
// The report goes to stdout with --dry-run, else to stderr: stdout belongs to the command, or to
// the OCI document that --container prints. With a root (and without --dry-run) crun or runc runs
// it. SIGINT and SIGTERM end the job as its time limit would, a second one at once.
// Exit status: the command's own; 128+n for signal n; 124 over its time; 125 killed for memory;
// 130 interrupted before it was started; 1 the machine refuses; 2 bad input; 3 does not fit.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "run_job/arguments.hpp"
#include "run_job/container.hpp"
#include "run_job/to_the_end.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/dialect/slurm/options/environment.hpp"
#include "trestle/dialect/slurm/options/job_end.hpp"
#include "trestle/dialect/slurm/options/options.hpp"
#include "trestle/enforce/explain_limits.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/os/cgroup_enforcer.hpp"
#include "trestle/os/cgroup_probe.hpp"
#include "trestle/os/plain_enforcer.hpp"
#include "trestle/os/program.hpp"

namespace {

using namespace run_job;

constexpr const char* help_text = R"(usage: run_job [OPTION...] [options of srun...] -- COMMAND...

Starts COMMAND on this machine with what srun's options request, under limits that the kernel enforces.
Options of srun are, for example, --gres=gpu:1 -c 2 --mem=512M --time=10 --signal=USR1@60.

  --machine FILE         the machine from a file of hwloc XML, not this one
  --node-conf FILE       the machine from lines of slurm.conf
  --gres-conf FILE       its devices from lines of gres.conf
  --dry-run              print placement, limits and plan; start nothing
  --json                 print them as JSON
  --require-enforcement  fail if a limit cannot be enforced here
  --container            print the plan as an OCI document
  --container=ROOT       run it with crun or runc on this root file system

Exit status: the command's own; 128+n for signal n; 124 over its time limit; 125 killed for memory;
130 interrupted before it was started; 1 the machine refuses; 2 bad input; 3 does not fit.
)";

/// What one run decided.
struct Job {
    Node node;
    std::vector<EnvironmentVariable> environment;
    Request request;
    NodePlacement placement;
    EndPolicy end;
    LimitPolicy policy = {};
    Plan plan = {};
};

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

StatusOr<Job> make_job(const Options& options, Job job) {
    const bool is_strict = options.is_dry() || options.has("--require-enforcement");
    job.policy.requirements =
        Requirements::all(is_strict ? Requirement::require : Requirement::best_effort);
    PlanOptions with;
    with.owner = OwnerId(static_cast<std::uint64_t>(getpid()));
    with.group = fmt::format("job_{}", with.owner);
    with.environment = job.environment;
    with.end = job.end;
    TRESTLE_TRY(job.plan, plan(job.node, job.placement, job.request, job.policy, with));
    return job;
}

void report(std::FILE* out, const Job& job, bool is_json) {
    const auto rows = explain_limits(job.request, *job.node.shape, job.placement, job.policy);
    if (is_json) {
        fmt::print(out, "{{\"placement\":{},\"limits\":{},\"plan\":{}}}\n",
                   json::to_json_text(job.placement), json::to_json_text(rows),
                   json::to_json_text(job.plan));
        return;
    }
    fmt::print(out, "placement\n  {}\n\nlimits\n{}\n{}", to_text(job.placement, job.node),
               limit_table(rows), to_text(job.plan));
}

/// Starts the command inside its group, waits, reports and cleans up; returns the exit status.
StatusOr<int> run(const Job& job, const Command& command, const os::CgroupSupport& support) {
    std::unique_ptr<Enforcer> enforcer = std::make_unique<os::PlainEnforcer>(support.reason);
    if (support.is_usable) {
        TRESTLE_TRY(enforcer, os::CgroupEnforcer::open(support.directory));
    }
    const Interrupts interrupts;  // before there is anything that one could leave behind
    TRESTLE_TRY(const Applied applied, enforcer->apply(job.plan));
    if (!applied.shortfalls.empty()) fmt::print(stderr, "not enforced: {}\n", applied);
    if (interrupts.take()) {
        TRESTLE_TRY_STATUS(enforcer->remove(job.plan.group));
        fmt::print(stderr, "ended: user_stop, before it was started\n");
        return 130;
    }
    const Plan& plan = job.plan;
    const auto child = enforcer->spawn(plan, command);
    if (!child.ok()) return joined(child.status(), enforcer->remove(plan.group));
    const auto end = run_to_the_end(*enforcer, plan, *child, interrupts);
    const auto usage = enforcer->observe(plan.group);
    TRESTLE_TRY_STATUS(joined(end.status(), enforcer->remove(plan.group)));
    fmt::print(stderr, "ended: {}; exit status {}, peak memory {}\n", to_text(*end),
               exit_status(*end),
               usage.ok() && usage->memory_peak ? to_text(*usage->memory_peak) : "unknown");
    return exit_status(*end);
}

/// Prints the container's document, or runs it; returns the exit status.
StatusOr<int> contain(const Options& options, const Job& job, const Command& command) {
    const os::CgroupSupport support = os::probe_cgroup();
    TRESTLE_TRY(const auto document,
                document_of(job.plan, command, options.file("--container"), support));
    for (const container::KeptLimit& lost : container::losses(document.limits)) {
        fmt::print(stderr, "not enforced: {} {}: {}\n", lost.resource, lost.limit, lost.how);
    }
    if (options.is_dry()) {
        fmt::print("{}\n", json::to_json_text(document.content));
        return 0;
    }
    TRESTLE_TRY(const JobEnd end, run_container(job.plan, document.content));
    fmt::print(stderr, "ended: {}; exit status {}\n", to_text(end), exit_status(end));
    return exit_status(end);
}

/// When and how the job is ended, by srun's --time and --signal.
EndPolicy end_of(const slurm::ParsedOptions& parsed) {
    slurm::EndRules rules;
    rules.time_limit = parsed.request.time_limit;
    rules.signal = parsed.options.signal;
    return slurm::end_policy(rules);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view(argv[1]) == "--help") return fmt::print("{}", help_text), 0;
    const auto fail = [](const Status& status, int exit_code) {
        fmt::print(stderr, "run_job: {}\n", message(status));
        return exit_code;
    };
    const auto options = read_arguments({argv + 1, argv + argc});
    if (!options.ok()) return fail(options.status(), 2);
    const bool is_dry = options->is_dry();
    const bool is_contained = options->has("--container");
    auto parsed = slurm::parse_options(options->request);
    if (!parsed.ok()) return fail(parsed.status(), 2);
    const Command command{parsed->command, os::current_environment(), ""};
    const auto program = os::find_program(command);
    if (!is_dry && !is_contained && !program.ok())
        return fail(with_context("command", program.status()), 2);
    auto nodes = read_nodes(*options);
    if (!nodes.ok()) return fail(nodes.status(), 2);
    ClusterParts parts;
    parts.nodes = *std::move(nodes);
    const auto cluster = Cluster::create(parts);
    if (!cluster.ok()) return fail(cluster.status(), 2);
    Request& request = parsed->request;
    if (parsed->wants_all_memory && cluster->node_count() > 0) {
        request.memory = Range<Bytes>::exactly(cluster->node(NodeId(0)).shape->ordinary_memory());
    }

    const auto placement = place(*cluster, request);
    if (!placement) {
        return fail(failed_precondition("does not fit: {}", placement.refusal()), 3);
    }
    if (placement->nodes.size() > 1 && !is_dry) {
        return fail(invalid_argument("--nodes: a command is started on 1 node only"), 2);
    }
    const os::CgroupSupport support = is_dry ? os::CgroupSupport() : os::probe_cgroup();
    slurm::JobContext context;
    context.id = static_cast<std::uint64_t>(getpid());
    context.options = parsed->options;
    context.options.ntasks = Count(0);
    for (const NodePlacement& part : placement->nodes) {
        *context.options.ntasks += part.tasks;
        context.nodes.push_back(slurm::grant_of(cluster->node(part.node), part));
    }
    for (std::size_t i = 0; i < placement->nodes.size(); ++i) {
        const NodePlacement& part = placement->nodes[i];
        const Node node = cluster->node(part.node);
        const Job given = {node, environment_of(context, i, threads_of(*node.shape, part)), request,
                           part, end_of(*parsed)};
        const auto job = make_job(*options, given);
        if (!job.ok()) return fail(job.status(), 2);
        report(is_dry && !is_contained ? stdout : stderr, *job, options->has("--json"));
        if (is_dry && !is_contained) continue;
        const auto status =
            is_contained ? contain(*options, *job, command) : run(*job, command, support);
        return status.ok() ? *status : fail(status.status(), 1);
    }
}
