// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "../dstack/spec_reader.hpp"
#include "../words.hpp"
#include "base/join.hpp"
#include "command_notes.hpp"
#include "task_draft.hpp"

namespace trestle::translate {
namespace {

struct Interpreter {
    std::string shell;  ///< as the key shell takes it; empty: it is none
    bool is_whole = true;
};

/// `/bin/bash -e`, `/usr/bin/env bash`.
Interpreter interpreter_of(const std::string& line) {
    std::istringstream stream(line);
    std::string path;
    std::string argument;
    stream >> path >> argument;
    if (path.ends_with("/env") && (argument == "sh" || argument == "bash")) {
        stream >> path;
        return {argument, stream.fail()};
    }
    const bool is_shell = path.starts_with('/') && path.ends_with("sh");
    return {is_shell ? path : "", argument.empty()};
}

void add_interpreter(TaskDraft& draft, const std::string& line, bool has_commands) {
    if (line.empty()) return;
    const Interpreter found = interpreter_of(line);
    if (found.shell.empty()) {
        draft.losses.push_back(
            {LossKind::dropped, "#!", line, "the key shell takes sh, bash or the path of a shell"});
        if (has_commands) {
            draft.losses.push_back({LossKind::changed, "commands", "",
                                    "they are of another interpreter: a shell reads them"});
        }
        return;
    }
    draft.carry("shell", dstack::quoted_yaml(found.shell));
    if (found.is_whole) return;
    draft.losses.push_back(
        {LossKind::changed, "#!", line, "the key shell takes no arguments: see set"});
}

}  // namespace

std::string shell_word(const std::string& word) {
    const auto is_plain = [](char c) {
        return words::is_letter(c) || words::is_digit(c) ||
               std::string_view("_-./=:,+@%").find(c) != std::string_view::npos;
    };
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
    return text + "'";
}

void add_commands(TaskDraft& draft, const slurm::BatchScript& script) {
    std::string commands = script.commands;
    std::vector<std::string> command;
    for (const std::string& one : script.submission.components.front().command) {
        command.push_back(shell_word(one));
    }
    const auto take = [&](const std::string& text, const char* what) {
        if (commands.empty()) {
            commands = text;
        } else if (!text.empty()) {
            draft.losses.push_back({LossKind::dropped, what, text, "there are commands already"});
        }
    };
    take(trestle::detail::join(command, " "), "command");
    for (const slurm::PassthroughOption& one : draft.options.passthrough) {
        if (one.name == "wrap") take(one.value.value_or(""), "--wrap");
    }
    add_interpreter(draft, script.interpreter, !commands.empty());
    if (commands.empty()) return;
    draft.carry("commands", "[" + dstack::quoted_yaml(commands) + "]");
    if (commands.find("\r\n") != commands.npos) {
        draft.losses.push_back({LossKind::note, "commands", "",
                                "DOS line breaks: sbatch refuses the script, and a shell takes the "
                                "carriage return for a part of the last word"});
    }
    if (Count(1) < draft.needs.nodes) {
        draft.losses.push_back({LossKind::note, "commands", "",
                                "Slurm runs a script on the first node, dstack commands on each"});
    }
    add_slurm_notes(draft.losses, commands);
}

}  // namespace trestle::translate
