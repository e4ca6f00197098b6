// SPDX-License-Identifier: Apache-2.0
#include "ignored_inputs.hpp"

#include <algorithm>
#include <string_view>

#include "../options/resolve/gres_totals.hpp"
#include "nodes/node_table.hpp"
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

}  // namespace

void warn_of_options(const JobOptions& options, std::vector<std::string>& warnings) {
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
