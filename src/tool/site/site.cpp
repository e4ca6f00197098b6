// SPDX-License-Identifier: Apache-2.0
#include "site.hpp"

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../call/command.hpp"
#include "../call/progress.hpp"
#include "job_words.hpp"
#include "live_answers.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/choice/load.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"

namespace trestle::tool {
namespace {

/// Where Slurm's programs look.
std::string directory_here() {
    const char* const conf = std::getenv("SLURM_CONF");
    if (conf == nullptr) return "/etc/slurm";
    return std::filesystem::path(conf).parent_path().string();
}

/// How long a job runs at most, by its own limit or its partition's; absent: for ever.
std::optional<Seconds> limit_of(const slurm::Controller& controller,
                                const slurm::Decision& decision) {
    if (decision.options.time) return decision.options.time->limit;
    for (const slurm::PartitionLine& line : controller.rules().partitions) {
        if (line.name == decision.partition) {
            return line.default_time ? line.default_time : line.max_time;
        }
    }
    return std::nullopt;
}

Status start_job(const slurm::Submission& job, slurm::LiveCluster& live) {
    TRESTLE_TRY(const auto decisions, live.controller.submit_all(job));
    for (const slurm::Decision& decision : decisions) {
        if (decision.answer != slurm::Answer::allocated) {
            return invalid_argument("it does not start: {}", decision.message);
        }
        slurm::JobOptions options = decision.options;
        options.partitions = {decision.partition};
        live.running.push_back({*decision.owner, fmt::format("job {}", decision.owner->value()),
                                limit_of(live.controller, decision), std::move(options)});
    }
    return {};
}

}  // namespace

void add_release_option(CLI::App& command, std::string& release) {
    command
        .add_option(
            "--release", release,
            "The release of Slurm that is followed: 22.05, 24.11 or 26.05 (default: 24.11; of "
            "a live state the one nearest to that of its controller)")
        ->type_name("R");
}

void add_plugin_options(CLI::App& command, std::vector<std::string>& options) {
    add_list(command, "--plugin-option", options,
             "An option that a plug-in of the site adds to sbatch, as --help of sbatch shows it: "
             "container-image=IMAGE, container-env[=NAMES] or no-container-mount-home",
             "O");
}

StatusOr<slurm::KnownOptions> known_options(const std::vector<std::string>& options) {
    slurm::KnownOptions known;
    for (const std::string& text : options) {
        TRESTLE_TRY(slurm::PluginOption option, slurm::parse_plugin_option(text));
        known.plugins.push_back(std::move(option));
    }
    return known;
}

void add_site_options(CLI::App& command, SiteOptions& options) {
    command
        .add_option(
            "--cluster", options.directory,
            "The folder with slurm.conf (default: that of SLURM_CONF, else /etc/slurm); live: ask "
            "Slurm's commands; FILE.json: what kubectl get nodes,pods,jobs -A -o json printed "
            "(where, why, what-if, show)")
        ->type_name("DIR|live|FILE.json");
    command
        .add_option("--jobs", options.jobs,
                    "The jobs that run, a line each, as `trestle sim` takes them (default: none)")
        ->type_name("FILE");
    command
        .add_option("--state", options.state,
                    "A folder with answers of Slurm: nodes, jobs, reservations, as .json or .txt")
        ->type_name("DIR");
    add_release_option(command, options.release);
    add_plugin_options(command, options.plugin_options);
}

StatusOr<slurm::Release> release_of(const std::string& text) {
    if (text.empty()) return slurm::default_release;
    auto release = slurm::parse_release(text);
    if (!release.ok()) return with_context("--release", release.status());
    return release;
}

namespace {

/// The folder that the options name, or the one of this machine.
std::string directory_of(const SiteOptions& options) {
    return options.directory.empty() ? directory_here() : options.directory;
}

void print_warnings(const std::vector<slurm::ConfWarning>& warnings) {
    for (const slurm::ConfWarning& warning : warnings) {
        fmt::print(stderr, "warning: {}\n", to_text(warning));
    }
}

}  // namespace

StatusOr<slurm::ClusterReading> checked(slurm::ClusterReading reading,
                                        const std::string& directory) {
    for (const slurm::ConfError& error : reading.errors) {
        fmt::print(stderr, "error: {}\n", to_text(error));
    }
    if (!reading.errors.empty()) {
        return invalid_argument("{} errors in the files of {}", reading.errors.size(), directory);
    }
    print_warnings(reading.built.warnings);
    return reading;
}

namespace {

StatusOr<slurm::ClusterReading> read_files(const std::string& directory, slurm::Release release) {
    TRESTLE_TRY(slurm::ClusterReading reading,
                slurm::load_cluster(directory, slurm::MendedMistakes::warnings, release));
    return checked(std::move(reading), directory);
}

}  // namespace

StatusOr<slurm::Controller> read_controller(const SiteOptions& options) {
    TRESTLE_TRY(const slurm::Release release, release_of(options.release));
    TRESTLE_TRY(slurm::ClusterReading reading, read_files(directory_of(options), release));
    return slurm::Controller::of(std::move(reading), release);
}

namespace {

StatusOr<Site> read_live_site(const LiveAnswers& answers, const SiteOptions& options,
                              Progress& progress) {
    std::optional<slurm::Release> release;
    if (!options.release.empty()) {
        TRESTLE_TRY(release, release_of(options.release));
    }
    const std::string directory =
        answers.directory.empty() ? directory_of(options) : answers.directory;
    progress.next("reading slurm.conf");
    TRESTLE_TRY(slurm::ClusterReading reading, slurm::load_cluster(directory));
    if (!reading.errors.empty()) {
        progress.hide();
        return checked(std::move(reading), directory).status();
    }
    const std::vector<slurm::ConfWarning> warnings = reading.built.warnings;
    progress.next("reading the answers and adopting jobs");
    TRESTLE_TRY(slurm::LiveCluster live,
                slurm::read_live_cluster(std::move(reading),
                                         {answers.nodes, answers.jobs, answers.reservations,
                                          answers.now, answers.release},
                                         release));
    progress.hide();
    print_warnings(warnings);
    for (const std::string& problem : live.problems) fmt::print(stderr, "live: {}\n", problem);
    return Site{std::move(live), directory};
}

StatusOr<Site> read_job_file(const SiteOptions& options) {
    TRESTLE_TRY(slurm::Controller controller, read_controller(options));
    Site site{{std::move(controller)}, directory_of(options)};
    if (options.jobs.empty()) return site;
    TRESTLE_TRY(const slurm::KnownOptions known, known_options(options.plugin_options));
    TRESTLE_TRY_STATUS(for_each_job(options.jobs, known,
                                    [&](const std::string& /*line*/, const slurm::Submission& job) {
                                        return start_job(job, site.live);
                                    }));
    return site;
}

}  // namespace

StatusOr<Site> read_site(const SiteOptions& options) {
    const bool is_live = options.directory == "live";
    if (!is_live && options.state.empty()) return read_job_file(options);
    if (!options.jobs.empty()) return invalid_argument("--jobs: not with a live state");
    Progress progress(is_live ? 6 : 3);
    if (!is_live) progress.next("reading files");
    TRESTLE_TRY(const LiveAnswers answers,
                is_live ? ask_commands(progress) : read_answers(options.state));
    return read_live_site(answers, options, progress);
}

}  // namespace trestle::tool
