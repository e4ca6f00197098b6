// SPDX-License-Identifier: Apache-2.0

// Where would these jobs go, and why not? A slurmctld that answers and starts nothing.
//
//   slurm_sim [--json] [--release=24.11] DIRECTORY [JOBS]
//
// DIRECTORY has slurm.conf and, where there are such, gres.conf, topology.conf or topology.yaml.
// JOBS, or standard input, has one job a line, as sbatch takes it; `script FILE` reads the #SBATCH
// lines of a script, `release N` ends job N. Each answer is printed as `scontrol show job -d`
// would; a line that cannot be done is answered too. Exit status: 2 when DIRECTORY or JOBS cannot
// be read; every mistake of the files is printed then.

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/dialect/json/json.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/choice/load.hpp"
#include "trestle/dialect/slurm/choice/show_job.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace {

constexpr const char* help_text = R"(usage: slurm_sim [--json] [--release=R] DIRECTORY [JOBS]

Prints where a slurmctld would start jobs, and why not. Nothing is started.

  DIRECTORY  has slurm.conf and, where used, gres.conf, topology.conf or topology.yaml
  JOBS       a file, else standard input, with one job a line:
               options as for sbatch, such as -p gpu --gres=gpu:2
               script FILE   the #SBATCH lines of a script
               release N     ends job N
  --json     print each answer as one line of JSON
  --release  the release of Slurm that is followed: 22.05, 24.11 (the default) or 26.05

Exit status: 0; 2 if DIRECTORY or JOBS cannot be read, with every error in the files.
)";

using namespace trestle;

/// How answers are printed: as text, or one JSON object a line.
struct Output {
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
        fmt::print("{}\n", json::print({object}));
    }
};

/// The answers to the components of a script.
StatusOr<std::vector<slurm::Decision>> submit_script(slurm::Controller& controller,
                                                     const std::string& path) {
    TRESTLE_TRY(const std::optional<std::string> script, slurm::read_file(path));
    if (!script) return not_found("{}: no such script", path);
    const auto submission = slurm::parse_script(*script);
    if (!submission.ok()) return with_context(path, submission.status());
    return controller.submit_all(*submission);
}

constexpr std::string_view release_word = "release ";

Status release(slurm::Controller& controller, std::string_view line, const Output& out) {
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
Status obey(slurm::Controller& controller, const std::string& line, const Output& out) {
    constexpr std::string_view script = "script ";
    if (line.starts_with(release_word)) return release(controller, line, out);
    const auto decisions = line.starts_with(script)
                               ? submit_script(controller, line.substr(script.size()))
                               : controller.submit_all(std::string_view(line));
    if (!decisions.ok()) return decisions.status();
    for (const slurm::Decision& decision : *decisions) out.decided(line, decision);
    return {};
}

void answer(slurm::Controller& controller, const std::string& line, const Output& out) {
    if (line.empty() || line.front() == '#') return;
    const Status status = obey(controller, line, out);
    if (!status.ok()) out.refused(line, message(status));
}

}  // namespace

int main(int argc, char** argv) {
    const auto fail = [](std::string_view what) {
        fmt::print(stderr, "slurm_sim: {}\n", what);
        return 2;
    };
    std::vector<std::string> words(argv + 1, argv + argc);
    if (words == std::vector<std::string>{"--help"}) return fmt::print("{}", help_text), 0;
    const Output out{std::erase(words, "--json") > 0};
    slurm::Release release = slurm::default_release;
    constexpr std::string_view release_option = "--release=";
    if (!words.empty() && words.front().starts_with(release_option)) {
        const auto read = slurm::parse_release(words.front().substr(release_option.size()));
        if (!read.ok()) return fail(message(read.status()));
        release = *read;
        words.erase(words.begin());
    }
    const bool is_option = !words.empty() && words.front().starts_with('-');
    if (is_option || words.empty() || words.size() > 2) {
        return fail("expected [--json] [--release=R] DIRECTORY [JOBS]");
    }
    const std::string& directory = words.front();
    auto reading = slurm::load_cluster(directory);
    if (!reading.ok()) return fail(message(reading.status()));
    for (const slurm::ConfError& error : reading->errors) {
        fmt::print(stderr, "error: {}\n", to_text(error));
    }
    if (!reading->errors.empty()) {
        return fail(fmt::format("{} errors in the files of {}", reading->errors.size(), directory));
    }
    auto controller = slurm::Controller::of(*std::move(reading), release);
    if (!controller.ok()) return fail(message(controller.status()));
    for (const slurm::ConfWarning& warning : controller->warnings()) {
        fmt::print(stderr, "warning: {}\n", to_text(warning));
    }
    std::ifstream jobs;
    if (words.size() == 2) jobs.open(words[1]);
    if (words.size() == 2 && !jobs) return fail(fmt::format("{}: it cannot be read", words[1]));
    std::istream& lines = words.size() == 2 ? jobs : std::cin;
    for (std::string line; std::getline(lines, line);) answer(*controller, line, out);
}
