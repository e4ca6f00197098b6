// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Error.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "call/command.hpp"
#include "trestle/base/status.hpp"
#include "trestle/version.hpp"

namespace trestle::tool {
namespace {

constexpr const char* footer =
    "Nothing here changes a cluster. `trestle COMMAND --help` lists the options of a command.\n"
    "Exit status, except for run: 0 yes; 1 no; 2 bad input, with one line on standard error.";

/// `trestle why`, of the command that was named.
std::string name_of(const CLI::App& program) {
    const auto commands = program.get_subcommands();
    return commands.empty() ? "trestle" : "trestle " + commands.front()->get_name();
}

/// One line, whatever the parser wrote.
std::string first_line(std::string_view text) {
    return std::string(text.substr(0, text.find('\n')));
}

void declare(CLI::App& program, Call& call) {
    program.set_version_flag("--version", std::string(version_text));
    program.require_subcommand(0, 1);
    program.footer(footer);
    set_usage(program, "COMMAND [OPTION...] [WORD...]");
    add_lint(program, call);
    add_where(program, call);
    add_why(program, call);
    add_limits(program, call);
    add_translate(program, call);
    add_offers(program, call);
    add_run(program, call);
    add_sim(program, call);
}

}  // namespace

int run_program(const std::vector<std::string>& arguments) {
    Call call;
    const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
    call.has_dashes = dashes != arguments.end();
    if (call.has_dashes) call.behind.assign(dashes + 1, arguments.end());
    CLI::App program(
        "Answers questions about clusters and jobs: of Slurm, of dstack, of this machine.",
        "trestle");
    declare(program, call);
    std::vector<std::string> own(arguments.begin(), dashes);
    std::reverse(own.begin(), own.end());  // which is how CLI11 takes them
    try {
        program.parse(std::move(own));
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
            return program.exit(error);  // prints the help or the version
        }
        fmt::print(stderr, "{}: {}\n", name_of(program), first_line(error.what()));
        return exit_bad_input;
    }
    if (program.get_subcommands().empty()) {
        fmt::print(stderr, "{}", program.help());
        return exit_bad_input;
    }
    if (call.result.ok()) return *call.result;
    fmt::print(stderr, "{}: {}\n", name_of(program), message(call.result.status()));
    return exit_bad_input;
}

}  // namespace trestle::tool
