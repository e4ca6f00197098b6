// SPDX-License-Identifier: Apache-2.0

// `trestle where`: on which nodes, cores and devices a job would run, now or once others end.

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../call/command.hpp"
#include "../call/output.hpp"
#include "../call/progress.hpp"
#include "dialect/slurm/live/ask/start_text.hpp"
#include "job_words.hpp"
#include "picture_file.hpp"
#include "pods.hpp"
#include "site.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/live/start.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::tool {
namespace {

struct WhereOptions {
    SiteOptions site;
    std::string svg;
    bool is_json = false;
};

/// What the job takes of the nodes.
Placement placement_of(const slurm::StartAnswer& answer) {
    Placement all;
    for (const slurm::Decision& decision : answer.then) {
        for (const NodePlacement& part : decision.placement.nodes) all.nodes.push_back(part);
    }
    return all;
}

StatusOr<int> where(const WhereOptions& options, std::vector<std::string> words) {
    if (is_kubernetes(options.site)) {
        if (!options.svg.empty()) {
            return invalid_argument("--svg: trestle show draws the pods of {}",
                                    options.site.directory);
        }
        return ask_pods({options.site, options.is_json, false}, std::move(words));
    }
    TRESTLE_TRY(const slurm::KnownOptions known, known_options(options.site.plugin_options));
    TRESTLE_TRY(const slurm::TypedJob job, job_of_words(std::move(words), known));
    TRESTLE_TRY(const Site site, read_site(options.site));
    Progress progress(1);
    progress.next("looking for the moment");
    const slurm::StartAnswer answer = slurm::where(site.live, job.submission);
    progress.hide();
    if (options.is_json) {
        fmt::print("{}\n", to_json_text(answer));
    } else {
        fmt::print("{}\n{}", slurm::joined_words(job.words), with_tones(to_text(answer)));
    }
    if (!options.svg.empty() && answer.starts_in) {
        svg::ClusterPictureOptions picture;
        picture.title = "where the job runs";
        picture.names = owner_names(site.live);
        picture.proposed = placement_of(answer);
        TRESTLE_TRY_STATUS(write_picture(options.svg, site.live.controller.cluster(), picture));
    }
    return answer.starts_in ? exit_yes : exit_no;
}

}  // namespace

void add_where(CLI::App& program, Call& call) {
    auto* const command =
        program.add_subcommand("where", "Says where a job would run, now or when others end");
    const auto options = std::make_shared<WhereOptions>();
    set_usage(*command, "where [OPTION...] [--] POD | OPTION OF SBATCH... [SCRIPT]");
    command->footer(
        "Lines of nodes are those of `scontrol show job -d`.\n"
        "Exit status: 0 if it starts, now or when jobs end by their limits; 1 if not; 2 bad "
        "input.");
    command->allow_extras();
    add_site_options(*command, options->site);
    command
        ->add_option("--svg", options->svg, "Write a picture of the cluster with the job into FILE")
        ->type_name("FILE");
    command->add_flag("--json", options->is_json, "Print the answer as JSON");
    command->callback(
        [options, command, &call] { call.result = where(*options, words_of(*command, call)); });
}

}  // namespace trestle::tool
