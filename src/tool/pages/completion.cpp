// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "declared.hpp"
#include "dialect/slurm/known_releases.hpp"
#include "pages.hpp"
#include "trestle/dialect/slurm/release.hpp"

namespace trestle::tool {
namespace {

bool is_folder(const DeclaredOption& option) { return option.value.starts_with("DIR"); }

std::string blank_joined(const std::vector<std::string>& words) {
    return fmt::format("{}", fmt::join(words, " "));
}

std::vector<std::string> names_of(const DeclaredCommand& command) {
    std::vector<std::string> names;
    for (const DeclaredOption& option : command.options) {
        if (option.is_positional) continue;
        names.insert(names.end(), option.names.begin(), option.names.end());
    }
    return names;
}

std::vector<std::string> subcommands_of(const std::vector<DeclaredCommand>& commands) {
    std::vector<std::string> names;
    for (std::size_t i = 1; i < commands.size(); ++i) names.push_back(commands[i].name);
    return names;
}

std::string releases() {
    std::vector<std::string> names;
    for (const slurm::Release release :
         {slurm::Release::v22_05, slurm::Release::v24_11, slurm::Release::v26_05}) {
        names.push_back(slurm::version_of(release));
    }
    return blank_joined(names);
}

/// Names of the options of any command that take a value of the kind.
template <class Is>
std::vector<std::string> options_with(const std::vector<DeclaredCommand>& commands, Is is) {
    std::vector<std::string> names;
    for (const DeclaredCommand& command : commands) {
        for (const DeclaredOption& option : command.options) {
            if (option.is_positional || option.value.empty() || !is(option)) continue;
            names.insert(names.end(), option.names.begin(), option.names.end());
        }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

/// In single quotes of a shell.
std::string in_single_quotes(std::string_view text) {
    std::string made = "'";
    for (const char c : text) made += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return made + "'";
}

}  // namespace

std::string bash_completion(const CLI::App& program) {
    const auto commands = commands_of(program);
    const auto folders = options_with(commands, is_folder);
    const auto is_release = [](const DeclaredOption& option) { return option.value == "R"; };
    std::string text = fmt::format(
        "# Completes the arguments of trestle.\n"
        "_trestle() {{\n"
        "    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} "
        "options=\n"
        "    COMPREPLY=()\n"
        "    case $before in\n"
        "        {}) COMPREPLY=($(compgen -d -- \"$word\")); return ;;\n"
        "        {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n"
        "    esac\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        COMPREPLY=($(compgen -W '{} {}' -- \"$word\"))\n"
        "        return\n"
        "    fi\n"
        "    case ${{COMP_WORDS[1]}} in\n",
        fmt::join(folders, "|"), fmt::join(options_with(commands, is_release), "|"), releases(),
        blank_joined(subcommands_of(commands)), blank_joined(names_of(commands.front())));
    for (std::size_t i = 1; i < commands.size(); ++i) {
        text += fmt::format("        {}) options='{}' ;;\n", commands[i].name,
                            blank_joined(names_of(commands[i])));
    }
    return text +
           "    esac\n"
           "    case $word in\n"
           "        -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
           "        *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
           "    esac\n"
           "}\n"
           "complete -o filenames -F _trestle trestle\n";
}

std::string zsh_completion(const CLI::App& program) {
    const auto commands = commands_of(program);
    std::string text =
        "#compdef trestle\n"
        "# Completes the arguments of trestle.\n"
        "local -a commands\n"
        "commands=(\n";
    for (std::size_t i = 1; i < commands.size(); ++i) {
        text += fmt::format("    {}\n",
                            in_single_quotes(commands[i].name + ":" + commands[i].description));
    }
    text +=
        ")\n"
        "if (( CURRENT == 2 )); then\n"
        "    _describe command commands\n"
        "    return\n"
        "fi\n"
        "case $words[2] in\n";
    for (std::size_t i = 1; i < commands.size(); ++i) {
        text += fmt::format("    {})\n        _arguments", commands[i].name);
        for (const DeclaredOption& option : commands[i].options) {
            if (option.is_positional) continue;
            for (const std::string& name : option.names) {
                std::string description;
                for (const char c : option.description) {
                    if (c == '[' || c == ']' || c == ':') description += '\\';
                    description += c;
                }
                std::string action;
                if (!option.value.empty()) {
                    action = fmt::format(":{}:{}", option.value,
                                         is_folder(option)     ? "_files -/"
                                         : option.value == "R" ? "(" + releases() + ")"
                                                               : "_files");
                }
                text +=
                    " \\\n            " + in_single_quotes(name + "[" + description + "]" + action);
            }
        }
        text += " \\\n            '*:file:_files' ;;\n";
    }
    return text + "esac\n";
}

std::string fish_completion(const CLI::App& program) {
    const auto commands = commands_of(program);
    std::string text = "# Completes the arguments of trestle.\n";
    for (std::size_t i = 1; i < commands.size(); ++i) {
        text += fmt::format("complete -c trestle -n __fish_use_subcommand -a {} -d {}\n",
                            commands[i].name, in_single_quotes(commands[i].description));
        for (const DeclaredOption& option : commands[i].options) {
            if (option.is_positional) continue;
            text += fmt::format("complete -c trestle -n '__fish_seen_subcommand_from {}'",
                                commands[i].name);
            for (const std::string& name : option.names) {
                const bool is_long = name.starts_with("--");
                text += fmt::format(" {} {}", is_long ? "-l" : "-s", name.substr(is_long ? 2 : 1));
            }
            if (option.value == "R") text += " -x -a " + in_single_quotes(releases());
            if (option.value != "R" && !option.value.empty()) text += " -r";
            text += fmt::format(" -d {}\n", in_single_quotes(option.description));
        }
    }
    return text;
}

}  // namespace trestle::tool
