// SPDX-License-Identifier: Apache-2.0
#include "ignored_inputs.hpp"

#include <algorithm>
#include <string_view>

#include "../options/resolve/gres_totals.hpp"
#include "network/layers.hpp"
#include "nodes/node_table.hpp"
#include "rules/release_rules.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm::choice {
namespace {

void warn(std::vector<std::string>& warnings, bool is_said, std::string_view what) {
    if (is_said) warnings.push_back(fmt::format("{} is not looked at", what));
}

/// What the cluster says of parts of GPUs and is not used.
void warn_of_devices(const JobOptions& options, const SelectParameters& select,
                     std::vector<std::string>& warnings) {
    const std::vector<GresTotal> totals = gres_totals(options);
    const bool has_parts = std::any_of(totals.begin(), totals.end(), [](const GresTotal& one) {
        return one.name == "shard" || one.name == "mps";
    });
    warn(warnings, has_parts && select.shares_several_devices, "MULTIPLE_SHARING_GRES_PJ");
    warn(warnings, has_parts && select.has_one_task_per_sharing_device,
         "ONE_TASK_PER_SHARING_GRES");
}

/// Whether the job has parts of GPUs for each task.
bool has_parts_of_tasks(const std::vector<GresTotal>& totals) {
    return std::any_of(totals.begin(), totals.end(), [](const GresTotal& one) {
        return one.task && (one.name == "shard" || one.name == "mps");
    });
}

/// A slurmctld 26.05.5 ended at some requests of a resource whose nodes count (MODE_3), where the
/// cluster has one of another mode.
void warn_of_layers(const JobOptions& options, const SelectRules& rules,
                    std::vector<std::string>& warnings) {
    const auto is_by_node = [](const LayeredResource& one) {
        return one.mode == LayerMode::by_node;
    };
    const auto other = std::find_if_not(rules.resources.begin(), rules.resources.end(), is_by_node);
    const auto asked = asked_resources(options, rules);
    if (other == rules.resources.end() || !asked.ok()) return;
    const auto counted = std::find_if(asked->begin(), asked->end(), [&](const AskedResource& one) {
        return is_by_node(*one.resource);
    });
    if (counted == asked->end()) return;
    warnings.push_back(
        fmt::format("--resources: {} is of MODE_3 beside {}, which is not: slurmctld 26.05.5 ended "
                    "at some such requests",
                    counted->resource->name, other->name));
}

/// What docs/slurm_rules.md lists as open: a slurmctld answered otherwise in some cases.
void warn_of_open_rules(const JobOptions& options, const SelectRules& rules,
                        const PartitionLine& line, std::vector<std::string>& warnings) {
    const SelectParameters& select = rules.parameters.select;
    const std::vector<GresTotal> totals = gres_totals(options);
    const auto add = [&](bool is_open, std::string_view what) {
        if (is_open) warnings.push_back(fmt::format("{}: Slurm may answer otherwise", what));
    };
    const bool is_disabled = options.gres_flags && options.gres_flags->disable_binding;
    const bool is_said = options.gres_flags && options.gres_flags->enforce_binding;
    const bool is_bound = !totals.empty() && (is_said || (select.enforces_binding && !is_disabled));
    add(is_bound && options.ntasks_per_socket, "enforce-binding with --ntasks-per-socket");
    add(is_bound && totals.size() > 1, "enforce-binding of several GRES");
    add(is_bound && select.has_one_task_per_core, "enforce-binding with CR_ONE_TASK_PER_CORE");
    add(select.unit == SelectUnit::socket && select.has_one_task_per_core,
        "CR_Socket with CR_ONE_TASK_PER_CORE");
    add(options.ntasks_per_core && options.cpus_per_gpu, "--ntasks-per-core with --cpus-per-gpu");
    add(options.gpus_per_socket && options.cpus_per_gpu, "--gpus-per-socket with --cpus-per-gpu");
    add(options.ntasks_per_gpu && select.has_one_task_per_core,
        "--ntasks-per-gpu with CR_ONE_TASK_PER_CORE");
    const bool is_by_load = select.takes_least_loaded || line.takes_least_loaded;
    add(is_by_load && options.gpus && rules.release == Release::v24_11,
        "--gpus on least loaded nodes");
    add(is_by_load && rules.release == Release::v26_05, "least loaded nodes");
    add(options.spread_job && !totals.empty() && rules_of(rules.release).spreads_tasks_in_turn,
        "--spread-job with GRES");
    add(options.overcommit && !totals.empty(), "--overcommit with GRES");
    add(options.overcommit && options.ntasks_per_socket, "--overcommit with --ntasks-per-socket");
    if (rules.release == Release::v22_05) {
        add(is_by_load && !totals.empty(), "LLN with GRES");
        add(totals.empty() && options.cpus_per_gpu, "--cpus-per-gpu without GPUs");
        const bool has_default =
            line.defaults.cpus_per_gpu || rules.parameters.defaults.cpus_per_gpu;
        add(has_default && options.ntasks_per_gpu, "--ntasks-per-gpu with DefCpuPerGPU");
    }
    const bool sums_parts = rules_of(rules.release).sums_parts && select.shares_several_devices;
    add(sums_parts && has_parts_of_tasks(totals), "parts of several GPUs for each task");
    const bool has_layers =
        std::any_of(options.passthrough.begin(), options.passthrough.end(),
                    [](const PassthroughOption& one) { return one.name == "resources"; });
    add(has_layers && options.segment, "--resources with --segment");
    if (has_layers) warn_of_layers(options, rules, warnings);
}

}  // namespace

void warn_of_options(const JobOptions& options, const ClusterParameters& parameters,
                     std::vector<std::string>& warnings) {
    const auto add = [&](bool is_said, std::string_view option) {
        warn(warnings, is_said, option);
    };
    add(!options.nodefile.empty(), "--nodefile");
    add(options.distribution && options.distribution->nodes == TaskSpread::arbitrary,
        "--distribution=arbitrary");
    add(!options.reservations.empty(), "--reservation");
    add(options.exclusive == ExclusiveKind::user || options.exclusive == ExclusiveKind::mcs,
        "--exclusive of a user or a group");
    add(options.begin.has_value(), "--begin");
    add(options.dependency.has_value(), "--dependency");
    add(!parameters.feature_plugins.empty() && (options.constraint || options.prefer),
        "NodeFeaturesPlugins");
    for (const PassthroughOption& one : options.passthrough) {
        add(one.name == "hold", "--hold");
    }
}

void warn_of_rules(const JobOptions& options, const SelectRules& rules, const PartitionLine& line,
                   Decision& decision) {
    std::vector<std::string>& warnings = decision.warnings;
    const ClusterParameters& parameters = rules.parameters;
    const auto add = [&](bool is_said, std::string_view what) { warn(warnings, is_said, what); };
    if (rules.release == Release::v22_05) warn_of_devices(options, parameters.select, warnings);
    warn_of_open_rules(options, rules, line, warnings);
    add(line.is_user_exclusive, "ExclusiveUser");
    add(parameters.select.type == "select/linear", "select/linear");
    const std::vector<GresTotal> totals = gres_totals(options);
    add(parameters.select.type == "select/cons_res" && !totals.empty(),
        "Cores= of gres.conf under select/cons_res");
    add(parameters.select.unit == SelectUnit::memory_only, "CR_Memory without cores");
    const std::string& plugin =
        parameters.topology.plugin;  // without its file there is no topology
    add(plugin != "topology/flat" && plugin != "topology/tree" && topology_of(rules, line).empty(),
        plugin);
    add(parameters.topology.is_dragonfly, "TopologyParam=Dragonfly");
    add(decision.answer == Answer::pending && decision.reason == Reason::resources &&
            parameters.preempt_type != "preempt/none",
        "preemption");
}

}  // namespace trestle::slurm::choice
