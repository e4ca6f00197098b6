// SPDX-License-Identifier: Apache-2.0

// `trestle run`: srun without a daemon. Reads the machine and the request, decides, says what it
// will do, does it. The report goes to standard output with --dry-run, else to standard error:
// standard output belongs to the command, or to the OCI document that --container prints.

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../call/command.hpp"
#include "container.hpp"
#include "machine.hpp"
#include "to_the_end.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/dialect/slurm/options/options.hpp"
#include "trestle/enforce/explain_limits.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/os/cgroup_enforcer.hpp"
#include "trestle/os/cgroup_probe.hpp"
#include "trestle/os/plain_enforcer.hpp"
#include "trestle/os/program.hpp"

namespace trestle::tool {
namespace {

constexpr const char* run_footer =
    "What is no option here is one of srun: --gres=gpu:1 -c 2 --mem=512M --time=10 "
    "--signal=USR1@60.\n"
    "\n"
    "SIGINT and SIGTERM end the job as its time limit would, a second one at once.\n"
    "Exit status: the command's own; 128+n for signal n; 124 over its time limit; 125 killed for\n"
    "memory; 130 interrupted before it was started; 1 the machine refuses; 2 bad input; 3 does not "
    "fit.";
constexpr const char* crowd_help =
    "start trestle in a cgroup of its own (systemd-run --scope --property=Delegate=yes), or name "
    "another one with --cgroup";
constexpr int exit_refused = 1;
constexpr int exit_no_place = 3;

struct RunOptions {
    MachineOptions machine;
    bool dry_run = false;
    bool is_json = false;
    bool requires_enforcement = false;
    bool is_contained = false;
    std::string root;    ///< of the container; empty: its document is printed only
    std::string cgroup;  ///< below which the job's group is made; empty: that of this process

    bool is_dry() const { return dry_run || (is_contained && root.empty()); }
    /// The report is all that there is.
    bool is_report() const { return is_dry() && !is_contained; }
};

/// Another status than that of bad input, with its line.
int failed(const Status& status, int exit_status) {
    fmt::print(stderr, "trestle run: {}\n", message(status));
    return exit_status;
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
StatusOr<int> start(const Job& job, const Command& command, const os::CgroupSupport& support) {
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

/// What groups of the job can have, where they are to be.
os::CgroupSupport probe(const RunOptions& options) {
    return options.cgroup.empty() ? os::probe_cgroup() : os::probe_cgroup(options.cgroup);
}

/// Prints the container's document, or runs it; returns the exit status.
StatusOr<int> contain(const RunOptions& options, const Job& job, const Command& command) {
    const os::CgroupSupport support = probe(options);
    TRESTLE_TRY(const auto document, document_of(job.plan, command, options.root, support));
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

/// Does what is left of the job once it is decided; returns the exit status.
StatusOr<int> run_placed(const RunOptions& options, const Cluster& cluster,
                         const Placement& placement, const slurm::ParsedOptions& parsed,
                         const Command& command) {
    const bool is_strict = options.is_dry() || options.requires_enforcement;
    const os::CgroupSupport support = options.is_dry() ? os::CgroupSupport() : probe(options);
    if (!support.crowd.empty()) fmt::print(stderr, "{}; {}\n", support.crowd, crowd_help);
    for (std::size_t i = 0; i < placement.nodes.size(); ++i) {
        TRESTLE_TRY(const Job job,
                    job_on(cluster, placement, i, parsed,
                           is_strict ? Requirement::require : Requirement::best_effort));
        report(options.is_report() ? stdout : stderr, job, options.is_json);
        if (options.is_report()) continue;
        const auto status =
            options.is_contained ? contain(options, job, command) : start(job, command, support);
        return status.ok() ? *status : failed(status.status(), exit_refused);
    }
    return exit_yes;
}

StatusOr<int> run(const RunOptions& options, const std::vector<std::string>& words,
                  const std::vector<std::string>& arguments) {
    TRESTLE_TRY(slurm::ParsedOptions parsed, options_alone(words));
    const Command command{arguments, os::current_environment(), ""};
    const auto program = os::find_program(command);
    if (!options.is_dry() && !options.is_contained && !program.ok()) {
        return with_context("command", program.status());
    }
    TRESTLE_TRY(const Cluster cluster, read_machine(options.machine));
    const auto placement = place(cluster, request_on(cluster, parsed));
    if (!placement) {
        return failed(failed_precondition("does not fit: {}", placement.refusal()), exit_no_place);
    }
    if (placement->nodes.size() > 1 && !options.is_dry()) {
        return invalid_argument("--nodes: a command is started on 1 node only");
    }
    return run_placed(options, cluster, *placement, parsed, command);
}

}  // namespace

void add_run(CLI::App& program, Call& call) {
    auto* const command = program.add_subcommand(
        "run", "Starts a command on this machine under limits that the kernel enforces");
    const auto options = std::make_shared<RunOptions>();
    set_usage(*command, "run [OPTION...] [OPTION OF SRUN...] -- COMMAND...");
    command->footer(run_footer);
    command->allow_extras();
    add_machine_options(*command, options->machine);
    command->add_flag("--dry-run", options->dry_run,
                      "Print placement, limits and plan; start nothing");
    command->add_flag("--json", options->is_json, "Print them as JSON");
    command->add_flag("--require-enforcement", options->requires_enforcement,
                      "Fail if a limit cannot be enforced here");
    command
        ->add_option("--cgroup", options->cgroup,
                     "Make the job's group below this one, not below that of trestle itself")
        ->type_name("DIRECTORY");
    auto* const container =
        command
            ->add_option(
                "--container", options->root,
                "Print the plan as an OCI document; with ROOT, run it with crun or runc there")
            ->expected(0, 1)
            ->type_name("[ROOT]");
    command->callback([options, command, container, &call] {
        options->is_contained = container->count() > 0;
        if (!call.has_dashes) {
            call.result = invalid_argument("command: missing, expected -- COMMAND...");
            return;
        }
        call.result = run(*options, command->remaining(), call.behind);
    });
}

}  // namespace trestle::tool
