// SPDX-License-Identifier: Apache-2.0

// `trestle show`: the cluster as a picture, and which devices no job can use.

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../call/command.hpp"
#include "../call/output.hpp"
#include "../site/picture_file.hpp"
#include "../site/pods.hpp"
#include "../site/site.hpp"
#include "picture.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/json/json.hpp"
#include "usage.hpp"

namespace trestle::tool {
namespace {

struct ShowOptions {
    SiteOptions site;
    std::string svg;
    std::uint32_t watch = 0;  ///< seconds; 0: once
    bool is_json = false;
};

Status show_cluster(const ShowOptions& options, const Cluster& cluster,
                    const slurm::SelectRules* rules, std::vector<svg::OwnerName> names,
                    const std::vector<std::string>& problems) {
    if (!options.svg.empty()) {
        svg::ClusterPictureOptions picture;
        picture.title = "the cluster";
        picture.names = std::move(names);
        TRESTLE_TRY_STATUS(write_picture(options.svg, cluster, picture));
    }
    const std::vector<PartitionUse> uses = partition_uses(cluster, rules);
    if (options.is_json) {
        const json::Object object{{"partitions", json::to_value(uses)},
                                  {"problems", json::to_value(problems)}};
        print_json({object});
    } else {
        fmt::print("{}", picture_text(uses, terminal_width()));
    }
    return {};
}

Status show_once(const ShowOptions& options) {
    if (is_kubernetes(options.site)) {
        TRESTLE_TRY(const container::KubernetesCluster pods, read_pods(options.site));
        print_problems(pods);
        return show_cluster(options, pods.cluster, nullptr, owner_names(pods), pods.problems);
    }
    TRESTLE_TRY(const Site site, read_site(options.site));
    const slurm::Controller& controller = site.live.controller;
    return show_cluster(options, controller.cluster(), &controller.rules(), owner_names(site.live),
                        site.live.problems);
}

/// Again and again, until the program is interrupted. What cannot be read once may be so later.
StatusOr<int> watch(const ShowOptions& options) {
    for (;;) {
        if (!options.is_json) clear_terminal();
        const Status status = show_once(options);
        if (!status.ok()) fmt::print(stderr, "trestle show: {}\n", message(status));
        (void)std::fflush(stdout);
        std::this_thread::sleep_for(std::chrono::seconds(options.watch));
    }
}

StatusOr<int> show(const ShowOptions& options) {
    if (options.watch > 0) return watch(options);
    TRESTLE_TRY_STATUS(show_once(options));
    return exit_yes;
}

}  // namespace

void add_show(CLI::App& program, Call& call) {
    auto* const command = program.add_subcommand(
        "show", "Shows the cluster as a picture, and which devices no job can use");
    const auto options = std::make_shared<ShowOptions>();
    set_usage(*command, "show [OPTION...]");
    command->footer(
        "A device is stranded if it is free when jobs of one device and one core each have taken\n"
        "what they can. Fragmentation is the share of the free devices that are not on idle "
        "nodes.\n"
        "Exit status: 0; 2 bad input.");
    add_site_options(*command, options->site);
    command->add_option("--svg", options->svg, "Write the picture into FILE, too")
        ->type_name("FILE");
    command
        ->add_option("--watch", options->watch,
                     "Show it again every SECONDS, until it is interrupted")
        ->type_name("SECONDS")
        ->check(CLI::Range(1, 86400));
    command->add_flag("--json", options->is_json, "Print the counts as JSON");
    command->callback([options, &call] { call.result = show(*options); });
}

}  // namespace trestle::tool
