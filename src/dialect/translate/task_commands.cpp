// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "../dstack/spec_reader.hpp"
#include "../words.hpp"
#include "command_notes.hpp"
#include "task_draft.hpp"
#include "trestle/enforce/detail/join.hpp"

namespace trestle::translate {
namespace {

void add_interpreter(TaskDraft& draft, const std::string& interpreter) {
    if (interpreter.empty()) return;
    const bool is_shell = interpreter.starts_with('/') && interpreter.ends_with("sh") &&
                          interpreter.find_first_of(" \t") == std::string::npos;
    if (is_shell) return draft.carry("shell", dstack::quoted_yaml(interpreter));
    draft.losses.push_back({LossKind::dropped, "#!", interpreter,
                            "the key shell takes the path of a shell, without arguments"});
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
    add_interpreter(draft, script.interpreter);
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
    for (const slurm::CarriedOption& one : draft.options.carried) {
        if (one.name == "wrap") take(one.value.value_or(""), "--wrap");
    }
    if (commands.empty()) return;
    draft.carry("commands", "[" + dstack::quoted_yaml(commands) + "]");
    if (Count(1) < draft.needs.nodes) {
        draft.losses.push_back({LossKind::note, "commands", "",
                                "Slurm runs a script on the first node, dstack commands on each"});
    }
    add_slurm_notes(draft.losses, commands);
}

}  // namespace trestle::translate
