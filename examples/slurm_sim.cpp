// SPDX-License-Identifier: Apache-2.0

// Where would these jobs go, and why not? A slurmctld that answers and starts nothing.
//
//   slurm_sim DIRECTORY [JOBS]
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
#include <vector>

#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/choice/load.hpp"
#include "trestle/dialect/slurm/choice/show_job.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace {

constexpr const char* help_text = R"(usage: slurm_sim DIRECTORY [JOBS]

Prints where a slurmctld 22.05 would start jobs, and why not. Nothing is started.

  DIRECTORY  has slurm.conf and, where used, gres.conf, topology.conf or topology.yaml
  JOBS       a file, else standard input, with one job a line:
               options as for sbatch, such as -p gpu --gres=gpu:2
               script FILE   the #SBATCH lines of a script
               release N     ends job N

Exit status: 0; 2 if DIRECTORY or JOBS cannot be read, with every error in the files.
)";

using namespace trestle;

void print_refused(std::string_view line, std::string_view why) {
    fmt::print("refused: {}\n   {}\n", line, why);
}

void print(std::string_view line, const slurm::Decision& decision) {
    if (decision.answer == slurm::Answer::refused) {
        print_refused(line, decision.message);
    } else {
        fmt::print("{}\n{}", line, slurm::show_job(decision));
        if (!decision.message.empty()) fmt::print("   why: {}\n", decision.message);
    }
    for (const std::string& warning : decision.warnings) fmt::print("   warning: {}\n", warning);
    fmt::print("\n");
}

/// The answers to the components of a script.
StatusOr<std::vector<slurm::Decision>> submit_script(slurm::Controller& controller,
                                                     const std::string& path) {
    TRESTLE_TRY(const std::optional<std::string> script, slurm::read_file(path));
    if (!script) return not_found("{}: no such script", path);
    const auto submission = slurm::parse_script(*script);
    if (!submission.ok()) return with_context(path, submission.status());
    return controller.submit_all(*submission);
}

Status release(slurm::Controller& controller, std::string_view number) {
    std::uint64_t owner = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), owner);
    if (error != std::errc() || end != number.data() + number.size()) {
        return invalid_argument("release: \"{}\", expected the number of a job", number);
    }
    TRESTLE_TRY_STATUS(controller.release(OwnerId(owner)));
    fmt::print("released: JobId={}\n\n", owner);
    return {};
}

/// Does what one line says.
Status obey(slurm::Controller& controller, const std::string& line) {
    constexpr std::string_view script = "script ";
    constexpr std::string_view end = "release ";
    if (line.starts_with(end)) {
        return release(controller, std::string_view(line).substr(end.size()));
    }
    const auto decisions = line.starts_with(script)
                               ? submit_script(controller, line.substr(script.size()))
                               : controller.submit_all(std::string_view(line));
    if (!decisions.ok()) return decisions.status();
    for (const slurm::Decision& decision : *decisions) print(line, decision);
    return {};
}

void answer(slurm::Controller& controller, const std::string& line) {
    if (line.empty() || line.front() == '#') return;
    const Status status = obey(controller, line);
    if (status.ok()) return;
    print_refused(line, message(status));
    fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
    const auto fail = [](std::string_view what) {
        fmt::print(stderr, "slurm_sim: {}\n", what);
        return 2;
    };
    if (argc == 2 && std::string_view(argv[1]) == "--help") return fmt::print("{}", help_text), 0;
    const bool is_option = argc > 1 && std::string_view(argv[1]).starts_with('-');
    if (is_option || (argc != 2 && argc != 3)) return fail("expected DIRECTORY [JOBS]");
    auto reading = slurm::load_cluster(argv[1]);
    if (!reading.ok()) return fail(message(reading.status()));
    for (const slurm::ConfError& error : reading->errors) {
        fmt::print(stderr, "error: {}\n", to_text(error));
    }
    if (!reading->errors.empty()) {
        return fail(fmt::format("{} errors in the files of {}", reading->errors.size(), argv[1]));
    }
    auto controller = slurm::Controller::of(*std::move(reading));
    if (!controller.ok()) return fail(message(controller.status()));
    for (const slurm::ConfWarning& warning : controller->warnings()) {
        fmt::print(stderr, "warning: {}\n", to_text(warning));
    }
    std::ifstream jobs;
    if (argc == 3) jobs.open(argv[2]);
    if (argc == 3 && !jobs) return fail(fmt::format("{}: it cannot be read", argv[2]));
    std::istream& lines = argc == 3 ? jobs : std::cin;
    for (std::string line; std::getline(lines, line);) answer(*controller, line);
}
