// SPDX-License-Identifier: Apache-2.0
#include "passed_over.hpp"

#include <algorithm>
#include <string_view>

#include "../options/gres_totals.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm::choice {
namespace {

void warn(std::vector<std::string>& warnings, bool is_said, std::string_view what) {
    if (is_said) warnings.push_back(fmt::format("{} is not looked at", what));
}

/// What of GPUs and their parts the cluster says and nobody looks at.
void warn_of_devices(const JobOptions& options, const SelectRules& rules, const PartitionLine& line,
                     std::vector<std::string>& warnings) {
    const SelectParameters& select = rules.parameters.select;
    const std::vector<GresTotal> totals = gres_totals(options);
    const auto has = [&](std::string_view name) {
        return std::any_of(totals.begin(), totals.end(),
                           [&](const GresTotal& one) { return one.name == name; });
    };
    const auto is_set = [&](auto member) {
        return line.defaults.*member || rules.parameters.defaults.*member;
    };
    if (has("gpu")) {
        const bool has_cpus = options.cpus_per_gpu || options.cpus_per_task;
        const bool has_memory = options.mem || options.mem_per_cpu || options.mem_per_gpu;
        warn(warnings, !has_cpus && is_set(&JobDefaults::cpus_per_gpu), "DefCpuPerGPU");
        warn(warnings, !has_memory && is_set(&JobDefaults::memory_per_gpu), "DefMemPerGPU");
    }
    if (has("shard") || has("mps")) {
        warn(warnings, select.shares_several_devices, "MULTIPLE_SHARING_GRES_PJ");
        warn(warnings, select.has_one_task_per_sharing_device, "ONE_TASK_PER_SHARING_GRES");
    }
}

}  // namespace

void warn_of_options(const JobOptions& options, std::vector<std::string>& warnings) {
    const auto add = [&](bool is_said, std::string_view option) {
        warn(warnings, is_said, option);
    };
    add(!options.nodefile.empty(), "--nodefile");
    add(options.distribution && options.distribution->nodes == TaskSpread::arbitrary,
        "--distribution=arbitrary");
    add(options.nodes && !options.nodes->sizes.empty(), "a list of numbers of nodes");
    add(options.segment.has_value(), "--segment");
    add(!options.reservations.empty(), "--reservation");
    add(options.exclusive && *options.exclusive != ExclusiveKind::whole_node,
        "--exclusive of a user, a group or a topology");
    add(options.tres_per_task && !options.tres_per_task->licenses.empty(),
        "licences of --tres-per-task");
    add(options.gres_flags && options.gres_flags->one_task_per_sharing,
        "--gres-flags=one-task-per-sharing");
    add(options.gres_flags && options.gres_flags->multiple_tasks_per_sharing,
        "--gres-flags=multiple-tasks-per-sharing");
    add(options.begin.has_value(), "--begin");
    add(options.dependency.has_value(), "--dependency");
    for (const CarriedOption& one : options.carried) add(one.name == "hold", "--hold");
}

void warn_of_rules(const JobOptions& options, const SelectRules& rules, const PartitionLine& line,
                   Decision& decision) {
    std::vector<std::string>& warnings = decision.warnings;
    const ClusterParameters& parameters = rules.parameters;
    const auto add = [&](bool is_said, std::string_view what) { warn(warnings, is_said, what); };
    warn_of_devices(options, rules, line, warnings);
    add(line.is_user_exclusive, "ExclusiveUser");
    add(line.is_topology_exclusive, "ExclusiveTopo");
    add(!line.topology.empty(), "Topology of a partition");
    add(parameters.select.type == "select/linear", "select/linear");
    add(parameters.select.unit == SelectUnit::memory_only, "CR_Memory without cores");
    const std::string& plugin = parameters.topology.plugin;
    add(plugin != "topology/flat" && plugin != "topology/tree", plugin);
    add(parameters.topology.is_dragonfly, "TopologyParam=Dragonfly");
    add(decision.answer == Answer::pending && decision.reason == Reason::resources &&
            parameters.preempt_type != "preempt/none",
        "preemption");
}

}  // namespace trestle::slurm::choice
