// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/nearest_word.hpp"
#include "call/command.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"
#include "trestle/version.hpp"

namespace trestle::tool {
namespace {

constexpr const char* footer =
    "Nothing here changes a cluster. `trestle COMMAND --help` lists the options of a command.\n"
    "Exit status, except for run: 0 yes; 1 no; 2 bad input, with a line on standard error for each "
    "mistake.";

/// `trestle why`, of the command that was named.
std::string name_of(const CLI::App& program) {
    const auto commands = program.get_subcommands();
    return commands.empty() ? "trestle" : "trestle " + commands.front()->get_name();
}

/// CLI11's words for what is missing as ours are, and one line of all others.
std::string parse_error_text(const CLI::ParseError& error) {
    const std::string text = error.what();
    const std::size_t required = text.find(" is required");
    if (required != std::string::npos) return text.substr(0, required) + ": missing";
    const std::size_t count = text.find(": 1 required ");
    const std::size_t missing = text.rfind(" missing");
    if (count == std::string::npos || missing == std::string::npos) {
        return text.substr(0, text.find('\n'));
    }
    const std::size_t type = count + std::string_view(": 1 required ").size();
    return fmt::format("{}: missing value, expected {}", text.substr(0, count),
                       text.substr(type, missing - type));
}

/// Long options of a command, with their dashes.
std::vector<std::string> options_of(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* const option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

/// The nearest of the known words, if one is near; nothing for words that are not.
std::string nearest_of(std::string_view word, const std::vector<std::string>& known) {
    return words::nearest_word(
        word, known, [](const std::string& name) { return std::string_view(name); },
        (word.size() + 2) / 3);
}

std::string unknown_text(std::string_view kind, std::string_view word,
                         const std::vector<std::string>& known) {
    const std::string nearest = nearest_of(word, known);
    return fmt::format("{}: unknown {}, expected {}{}", word, kind, fmt::join(known, ", "),
                       nearest.empty() ? "" : "; the nearest is " + nearest);
}

/// True for an option that sbatch and srun do not have.
bool is_unknown_to_slurm(const std::string& word) {
    const auto reading = slurm::read_arguments(std::vector<std::string>{word});
    return std::any_of(reading.errors.begin(), reading.errors.end(),
                       [](const auto& one) { return one.error.what == "unknown option"; });
}

/// Why the command or an option in front of `--` is none, in a line with the nearest one; nothing
/// when all are known. Commands that take options of Slurm leave those that are near to none of
/// their own to the reader of such options.
std::optional<std::string> find_misspelling(const CLI::App& program,
                                            const std::vector<std::string>& own) {
    if (own.empty()) return std::nullopt;
    if (own.front().starts_with("--")) {
        const std::vector<std::string> options = options_of(program);
        if (std::count(options.begin(), options.end(), own.front()) != 0) return std::nullopt;
        return "trestle: " + unknown_text("option", own.front(), options);
    }
    if (own.front().starts_with('-')) return std::nullopt;
    std::vector<std::string> names;
    const CLI::App* command = nullptr;
    for (const CLI::App* const one :
         program.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(one->get_name());
        if (one->get_name() == own.front()) command = one;
    }
    if (command == nullptr) return "trestle: " + unknown_text("command", own.front(), names);
    const std::vector<std::string> known = options_of(*command);
    for (std::size_t i = 1; i < own.size(); ++i) {
        const std::string name = own[i].substr(0, own[i].find('='));
        if (!name.starts_with("--") || std::count(known.begin(), known.end(), name) != 0) continue;
        const bool may_be_slurms = command->get_allow_extras();
        if (may_be_slurms && (nearest_of(name, known).empty() || !is_unknown_to_slurm(own[i]))) {
            continue;
        }
        return fmt::format("trestle {}: {}", command->get_name(),
                           unknown_text("option", name, known));
    }
    return std::nullopt;
}

/// Each line of `mistakes` on standard error, with the name of the program.
void print_mistakes(std::string_view name, std::string_view mistakes) {
    for (std::size_t begin = 0; begin <= mistakes.size();) {
        const std::size_t end = std::min(mistakes.find('\n', begin), mistakes.size());
        fmt::print(stderr, "{}: {}\n", name, mistakes.substr(begin, end - begin));
        begin = end + 1;
    }
}

}  // namespace

void declare_program(CLI::App& program, Call& call) {
    program.set_version_flag("--version", std::string(version_text));
    program.require_subcommand(0, 1);
    program.footer(footer);
    set_usage(program, "COMMAND [OPTION...] [WORD...]");
    add_lint(program, call);
    add_where(program, call);
    add_why(program, call);
    add_what_if(program, call);
    add_show(program, call);
    add_limits(program, call);
    add_translate(program, call);
    add_offers(program, call);
    add_run(program, call);
    add_sim(program, call);
}

int run_program(const std::vector<std::string>& arguments) {
    Call call;
    const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
    call.has_dashes = dashes != arguments.end();
    if (call.has_dashes) call.behind.assign(dashes + 1, arguments.end());
    CLI::App program(program_description, "trestle");
    declare_program(program, call);
    std::vector<std::string> own(arguments.begin(), dashes);
    if (const auto misspelling = find_misspelling(program, own)) {
        fmt::print(stderr, "{}\n", *misspelling);
        return exit_bad_input;
    }
    std::reverse(own.begin(), own.end());  // which is how CLI11 takes them
    try {
        program.parse(std::move(own));
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
            return program.exit(error);  // prints the help or the version
        }
        fmt::print(stderr, "{}: {}\n", name_of(program), parse_error_text(error));
        return exit_bad_input;
    }
    if (program.get_subcommands().empty()) {
        fmt::print(stderr, "{}", program.help());
        return exit_bad_input;
    }
    if (call.result.ok()) return *call.result;
    print_mistakes(name_of(program), message(call.result.status()));
    return exit_bad_input;
}

}  // namespace trestle::tool
