// SPDX-License-Identifier: Apache-2.0

// Where would these jobs go, and why not? A slurmctld that answers and starts nothing.
//
//   slurm_sim DIRECTORY [JOBS]
//
// DIRECTORY has slurm.conf and, where there are such, gres.conf, topology.conf or topology.yaml.
// JOBS, or standard input, has one job a line, as sbatch takes it; `script FILE` reads the #SBATCH
// lines of a script, `release N` ends job N. Each answer is printed as `scontrol show job -d`
// would. Exit status: 2 when something cannot be read.

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace {

using namespace trestle;

std::optional<std::string> read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::error_code error;
    if (!file || std::filesystem::is_directory(path, error)) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
}

StatusOr<slurm::Controller> load(const std::filesystem::path& folder) {
    const auto conf = read_file(folder / "slurm.conf");
    if (!conf) return not_found("{}: no slurm.conf that can be read", folder.string());
    const slurm::ConfFiles files = [&](std::string_view name) { return read_file(folder / name); };
    const std::string gres = read_file(folder / "gres.conf").value_or("");
    const std::string topology = read_file(folder / "topology.conf").value_or("");
    const std::string yaml = read_file(folder / "topology.yaml").value_or("");
    return slurm::Controller::create({*conf, gres, topology, yaml, &files});
}

void print_allocation(const slurm::Decision& decision) {
    slurm::Hostlist names;
    Count cpus;
    Count tasks;
    for (const slurm::NodeGrant& grant : decision.grants) {
        names.push_back(grant.node);
        cpus += grant.cpus;
    }
    for (const NodePlacement& part : decision.placement.nodes) tasks += part.tasks;
    fmt::print("   NodeList={}\n", to_text(names));
    fmt::print("   NumNodes={} NumCPUs={} NumTasks={} TRES={}\n", decision.grants.size(),
               cpus.value(), tasks.value(), slurm::tres_text(decision.tres));
    for (const slurm::NodeGrant& grant : decision.grants) fmt::print("     {}\n", to_text(grant));
}

void print(std::string_view line, const slurm::Decision& decision) {
    using slurm::Answer;
    if (decision.answer == Answer::refused) {
        fmt::print("refused: {}\n   {}\n\n", line, decision.message);
        return;
    }
    const bool runs = decision.answer == Answer::allocated;
    if (runs) {
        fmt::print("JobId={}: {}\n", *decision.owner, line);
    } else {
        fmt::print("not now: {}\n", line);
    }
    fmt::print("   JobState={} Reason={} Partition={}\n",
               trestle::to_text(runs ? slurm::State::running : slurm::State::pending),
               trestle::to_text(decision.reason), decision.partition);
    for (const std::string& warning : decision.warnings) fmt::print("   warning: {}\n", warning);
    if (runs) {
        print_allocation(decision);
    } else {
        fmt::print("   {}\n", decision.message);
    }
    fmt::print("\n");
}

/// The answers to the components of a script.
StatusOr<std::vector<slurm::Decision>> submit_script(slurm::Controller& controller,
                                                     const std::string& path) {
    const auto script = read_file(path);
    if (!script) return not_found("{}: it cannot be read, expected a script", path);
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
Status answer(slurm::Controller& controller, const std::string& line) {
    constexpr std::string_view script = "script ";
    constexpr std::string_view end = "release ";
    if (line.empty() || line.front() == '#') return {};
    if (line.starts_with(end))
        return release(controller, std::string_view(line).substr(end.size()));
    const auto decisions = line.starts_with(script)
                               ? submit_script(controller, line.substr(script.size()))
                               : controller.submit_all(std::string_view(line));
    if (!decisions.ok()) return decisions.status();
    for (const slurm::Decision& decision : *decisions) print(line, decision);
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    const auto fail = [](std::string_view what) {
        fmt::print(stderr, "slurm_sim: {}\n", what);
        return 2;
    };
    if (argc != 2 && argc != 3) return fail("expected DIRECTORY [JOBS]");
    auto controller = load(argv[1]);
    if (!controller.ok()) return fail(message(controller.status()));
    for (const slurm::ConfWarning& warning : controller->warnings()) {
        fmt::print(stderr, "warning: {}\n", to_text(warning));
    }
    std::ifstream jobs;
    if (argc == 3) jobs.open(argv[2]);
    if (argc == 3 && !jobs) return fail(fmt::format("{}: it cannot be read", argv[2]));
    std::istream& lines = argc == 3 ? jobs : std::cin;
    for (std::string line; std::getline(lines, line);) {
        const Status status = answer(*controller, line);
        if (!status.ok()) return fail(message(status));
    }
}
