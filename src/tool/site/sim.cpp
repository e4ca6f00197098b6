// SPDX-License-Identifier: Apache-2.0

// `trestle sim`: where would these jobs go, and why not? A slurmctld that answers and starts
// nothing. Each answer is printed as `scontrol show job -d` would; a line that cannot be done is
// answered too.

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <charconv>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "../call/command.hpp"
#include "../call/output.hpp"
#include "job_words.hpp"
#include "site.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/choice/show_job.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle::tool {
namespace {

struct SimOptions {
    std::string directory;
    std::string jobs;  ///< empty: standard input
    std::string release;
    std::vector<std::string> plugin_options;
    bool is_json = false;
};

/// How answers are printed: as text, or one JSON object a line.
struct SimOutput {
    bool is_json = false;

    void refused(std::string_view line, std::string_view why) const {
        if (is_json) return json_line(line, "error", json::to_value(std::string(why)));
        fmt::print("refused: {}\n   {}\n\n", line, why);
    }

    void released(std::string_view line, std::uint64_t owner) const {
        if (is_json) return json_line(line, "released", json::to_value(owner));
        fmt::print("released: JobId={}\n\n", owner);
    }

    void decided(std::string_view line, const slurm::Decision& decision) const {
        if (is_json) {
            const json::Object object{{"answer", json::to_value(decision.answer)},
                                      {"reason", json::to_value(decision.reason)},
                                      {"message", json::to_value(decision.message)},
                                      {"partition", json::to_value(decision.partition)},
                                      {"job", json::to_value(decision.owner)},
                                      {"nodes", json::to_value(decision.grants)},
                                      {"warnings", json::to_value(decision.warnings)}};
            return json_line(line, "decision", {object});
        }
        if (decision.answer == slurm::Answer::refused) {
            fmt::print("refused: {}\n   {}\n", line, decision.message);
        } else {
            fmt::print("{}\n{}", line, slurm::show_job(decision));
            if (!decision.message.empty()) fmt::print("   why: {}\n", decision.message);
        }
        for (const std::string& warning : decision.warnings) {
            fmt::print("   warning: {}\n", warning);
        }
        fmt::print("\n");
    }

  private:
    static void json_line(std::string_view line, const char* name, json::Value value) {
        const json::Object object{{"line", json::to_value(std::string(line))},
                                  {name, std::move(value)}};
        print_json({object});
    }
};

constexpr std::string_view release_word = "release ";

Status release(slurm::Controller& controller, std::string_view line, const SimOutput& out) {
    const std::string_view number = line.substr(release_word.size());
    std::uint64_t owner = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), owner);
    if (error != std::errc() || end != number.data() + number.size()) {
        return invalid_argument("release: \"{}\", expected the number of a job", number);
    }
    TRESTLE_TRY_STATUS(controller.release(OwnerId(owner)));
    out.released(line, owner);
    return {};
}

/// Does what one line says.
Status obey(slurm::Controller& controller, const std::string& line,
            const slurm::KnownOptions& known, const SimOutput& out) {
    if (line.starts_with(release_word)) return release(controller, line, out);
    TRESTLE_TRY(const slurm::Submission job, job_of_line(line, known));
    TRESTLE_TRY(const auto decisions, controller.submit_all(job));
    for (const slurm::Decision& decision : decisions) out.decided(line, decision);
    return {};
}

void answer(slurm::Controller& controller, const std::string& line,
            const slurm::KnownOptions& known, const SimOutput& out) {
    if (is_blank_line(line)) return;
    const Status status = obey(controller, line, known, out);
    if (!status.ok()) out.refused(line, message(status));
}

StatusOr<int> simulate(const SimOptions& options) {
    TRESTLE_TRY(const slurm::KnownOptions known, known_options(options.plugin_options));
    TRESTLE_TRY(slurm::Controller controller,
                read_controller({.directory = options.directory, .release = options.release}));
    std::ifstream jobs;
    if (!options.jobs.empty()) {
        jobs.open(options.jobs);
        if (!jobs) return not_found("{}: it cannot be read", options.jobs);
    }
    std::istream& lines = options.jobs.empty() ? std::cin : jobs;
    const SimOutput out{options.is_json};
    for (std::string line; std::getline(lines, line);) answer(controller, line, known, out);
    return exit_yes;
}

}  // namespace

void add_sim(CLI::App& program, Call& call) {
    auto* const command =
        program.add_subcommand("sim", "Answers jobs line by line as a slurmctld would");
    const auto options = std::make_shared<SimOptions>();
    set_usage(*command, "sim [--json] [--release R] [--plugin-option O] DIRECTORY [JOBS]");
    command->footer(
        "JOBS, else standard input, has one job a line:\n"
        "  options as for sbatch, such as -p gpu --gres=gpu:2\n"
        "  script FILE   the #SBATCH lines of a script\n"
        "  release N     ends job N\n"
        "\n"
        "Exit status: 0; 2 if DIRECTORY or JOBS cannot be read, with every error in the files.");
    command
        ->add_option("DIRECTORY", options->directory,
                     "Has slurm.conf and, where used, gres.conf, topology.conf or topology.yaml, "
                     "resources.yaml")
        ->required();
    command->add_option("JOBS", options->jobs, "A file with the jobs");
    add_release_option(*command, options->release);
    add_plugin_options(*command, options->plugin_options);
    command->add_flag("--json", options->is_json, "Print each answer as one line of JSON");
    command->callback([options, &call] { call.result = simulate(*options); });
}

}  // namespace trestle::tool
