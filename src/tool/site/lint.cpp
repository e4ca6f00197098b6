// SPDX-License-Identifier: Apache-2.0

// `trestle lint`: every mistake of configuration files and job scripts, and every suspicion.

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../call/command.hpp"
#include "../call/output.hpp"
#include "site.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/dialect/slurm/lint/lint.hpp"

namespace trestle::tool {
namespace {

struct LintOptions {
    std::vector<std::string> paths;
    std::string release;
    std::vector<std::string> plugin_options;
    bool is_json = false;
};

void print_finding(const slurm::Finding& finding) {
    const std::string text = to_text(finding);
    const std::string severity(to_text(finding.severity));
    const std::string marked = ": " + severity + ": ";
    const std::size_t at = text.find(marked);
    const Tone tone = finding.severity == slurm::Severity::error ? Tone::bad : Tone::doubtful;
    fmt::print("{}: {}: {}\n", text.substr(0, at), coloured(severity, tone),
               text.substr(at + marked.size()));
    if (!finding.suggestion.empty()) fmt::print("    suggested: {}\n", finding.suggestion);
}

StatusOr<int> lint(const LintOptions& options) {
    TRESTLE_TRY(slurm::KnownOptions known, known_options(options.plugin_options));
    TRESTLE_TRY(known.release, release_of(options.release));
    std::vector<slurm::Finding> findings;
    for (const std::string& path : options.paths) {
        TRESTLE_TRY(const auto more, slurm::lint(path, known));
        findings.insert(findings.end(), more.begin(), more.end());
    }
    if (options.is_json) {
        print_json(json::to_value(findings));
    } else {
        for (const slurm::Finding& finding : findings) print_finding(finding);
    }
    return findings.empty() ? exit_yes : exit_no;
}

}  // namespace

void add_lint(CLI::App& program, Call& call) {
    auto* const command = program.add_subcommand(
        "lint", "Lists the mistakes and suspicions in configuration files and job scripts");
    const auto options = std::make_shared<LintOptions>();
    set_usage(*command, "lint [--json] [--release R] [--plugin-option O] DIR|FILE...");
    command->footer(
        "FILE is slurm.conf, gres.conf or cgroup.conf, a file of dstack (.yml, .yaml), else a "
        "batch\n"
        "script. Of a folder all files of Slurm are read together.\n"
        "Exit status: 0 if nothing is found; 1 if something is; 2 if a file cannot be read.");
    command->add_option("PATH", options->paths, "A folder with slurm.conf, or a file")->required();
    add_release_option(*command, options->release);
    add_plugin_options(*command, options->plugin_options);
    command->add_flag("--json", options->is_json, "Print the findings as JSON");
    command->callback([options, &call] { call.result = lint(*options); });
}

}  // namespace trestle::tool
