// SPDX-License-Identifier: Apache-2.0

// `trestle limits`: what options ask, what they are granted, to what the job is limited, by which
// mechanism, and what happens beyond it.

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../call/command.hpp"
#include "../call/output.hpp"
#include "machine.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/dialect/slurm/options/options.hpp"
#include "trestle/enforce/explain_limits.hpp"

namespace trestle::tool {
namespace {

struct LimitsOptions {
    MachineOptions machine;
    bool is_json = false;
};

StatusOr<int> limits(const LimitsOptions& options, const std::vector<std::string>& words) {
    TRESTLE_TRY(const slurm::ParsedOptions parsed, options_alone(words));
    TRESTLE_TRY(const Cluster cluster, read_machine(options.machine));
    const auto placement = place(cluster, request_on(cluster, parsed));
    json::List nodes;
    if (!placement) {
        if (options.is_json) {
            print_json({json::Object{{"refusal", json::to_value(placement.refusal())}}});
        } else {
            fmt::print("{}: {}\n", coloured("does not fit", Tone::bad), placement.refusal());
        }
        return exit_no;
    }
    for (std::size_t i = 0; i < placement->nodes.size(); ++i) {
        TRESTLE_TRY(const Job job, job_on(cluster, *placement, i, parsed, Requirement::require));
        const auto rows = explain_limits(job.request, *job.node.shape, job.placement, job.policy);
        if (!options.is_json) {
            fmt::print("{}\n{}", to_text(job.placement, job.node), limit_table(rows));
            continue;
        }
        nodes.push_back({json::Object{{"node", json::to_value(job.node.name)},
                                      {"placement", json::to_value(job.placement)},
                                      {"limits", json::to_value(rows)}}});
    }
    if (options.is_json) print_json({json::Object{{"nodes", {std::move(nodes)}}}});
    return exit_yes;
}

}  // namespace

void add_limits(CLI::App& program, Call& call) {
    auto* const command =
        program.add_subcommand("limits", "Says to what a job would be limited, and by what");
    const auto options = std::make_shared<LimitsOptions>();
    set_usage(*command, "limits [OPTION...] [--] OPTION OF SRUN...");
    command->footer(
        "The row of a resource says what was asked and granted, the limit, the mechanism that "
        "keeps\n"
        "it, and what happens beyond it.\n"
        "Exit status: 0; 1 if the job does not fit; 2 bad input.");
    command->allow_extras();
    add_machine_options(*command, options->machine);
    command->add_flag("--json", options->is_json, "Print the rows as JSON");
    command->callback(
        [options, command, &call] { call.result = limits(*options, words_of(*command, call)); });
}

}  // namespace trestle::tool
