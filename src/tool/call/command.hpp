// SPDX-License-Identifier: Apache-2.0
#pragma once

// The subcommands of the program `trestle`.
//
// Layer: tool. Main types: Call, what is common to a call; add_NAME() declares the options of one
// subcommand to CLI11 and what it does. Exit statuses are those of ExitStatus, but for `run`.
// Pitfall: words behind `--` never reach CLI11, which would take them for its own.

#include <CLI/App.hpp>

#include <string>
#include <vector>

#include "trestle/base/status.hpp"

namespace trestle::tool {

constexpr const char* program_description =
    "Answers questions about clusters and jobs: of Slurm, of dstack, of this machine.";

/// What a subcommand ends with.
enum ExitStatus { exit_yes = 0, exit_no = 1, exit_bad_input = 2 };

/// What subcommands are given, and what became of the call.
struct Call {
    std::vector<std::string> behind;  ///< the words behind `--`
    bool has_dashes = false;          ///< there was a `--`
    StatusOr<int> result = exit_yes;  ///< an exit status; an error is bad input
};

/// The words that are no options of the subcommand, and those behind `--`.
[[nodiscard]] std::vector<std::string> words_of(const CLI::App& command, const Call& call);

/// The line of `--help` that says how to call the subcommand: `usage` behind `trestle`.
void set_usage(CLI::App& command, const std::string& usage);

/// Declares an option that may be given several times, with one word each.
void add_list(CLI::App& command, const char* name, std::vector<std::string>& list,
              const char* description, const char* type);

void add_lint(CLI::App& program, Call& call);
void add_where(CLI::App& program, Call& call);
void add_why(CLI::App& program, Call& call);
void add_what_if(CLI::App& program, Call& call);
void add_show(CLI::App& program, Call& call);
void add_limits(CLI::App& program, Call& call);
void add_translate(CLI::App& program, Call& call);
void add_offers(CLI::App& program, Call& call);
void add_run(CLI::App& program, Call& call);
void add_sim(CLI::App& program, Call& call);

/// Declares the options and subcommands of the whole program.
void declare_program(CLI::App& program, Call& call);

/// Reads the arguments, does what they say, and returns the exit status.
[[nodiscard]] int run_program(const std::vector<std::string>& arguments);

}  // namespace trestle::tool
