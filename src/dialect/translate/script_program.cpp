// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../words.hpp"
#include "../yaml.hpp"
#include "base/join.hpp"
#include "command_notes.hpp"
#include "lost_options.hpp"
#include "script_draft.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::translate {
namespace {

using trestle::to_text;
using trestle::detail::join;

/// Each command, or nothing where the text is no list of them.
std::optional<std::vector<std::string>> commands_of(const std::string& text) {
    yaml::YamlProblem problem;
    const auto node = yaml::load_yaml(text, std::size_t{1} << 20, problem);
    if (!node || !node->IsSequence()) return std::nullopt;
    std::vector<std::string> commands;
    for (const auto& item : *node) {
        if (!item.IsScalar()) return std::nullopt;
        commands.push_back(item.Scalar());
    }
    return commands;
}

std::optional<std::string> word_of(const std::string& text) {
    yaml::YamlProblem problem;
    const auto node = yaml::load_yaml(text, std::size_t{1} << 16, problem);
    if (!node || !node->IsScalar() || node->Scalar().empty()) return std::nullopt;
    return node->Scalar();
}

/// What `&&` behind it would not join: several lines, a comment, what runs behind.
bool wants_braces(std::string_view command) {
    return command.find_first_of("\n#") != command.npos || command.ends_with('&') ||
           command.ends_with(';');
}

/// Of which a shell makes nothing: all lines are comments, or blank.
bool is_comment(std::string_view command) {
    while (!command.empty()) {
        const std::size_t end = std::min(command.find('\n'), command.size());
        const std::size_t at = command.find_first_not_of(" \t\r");
        if (at < end && command[at] != '#') return false;
        command.remove_prefix(std::min(end + 1, command.size()));
    }
    return true;
}

/// Between braces, which hold a command at least and stand on lines of their own.
std::string in_braces(const std::string& command) {
    std::string text = is_comment(command) ? "{\n:\n" : "{\n";
    text += command + "\n";
    if (command.ends_with('\\')) text += "\n";  // it joins its line with the next
    return text + "}";
}

/// One command that fails with the first that fails.
std::string joined_commands(std::vector<std::string> commands) {
    for (std::string& one : commands) {
        const std::size_t last = one.find_last_not_of(" \t\r\n");
        one.resize(last == std::string::npos ? 0 : last + 1);
    }
    std::erase(commands, "");
    if (commands.size() < 2) return join(commands, "");
    for (std::string& one : commands) {
        if (wants_braces(one)) one = in_braces(one);
    }
    return join(commands, " &&\n");
}

void add_passthrough(ScriptDraft& draft) {
    for (const dstack::PassthroughKey& key : draft.run.passthrough) {
        const auto word = word_of(key.text);
        if (key.name == "commands") {
            const auto commands = commands_of(key.text);
            if (commands) {
                draft.script.commands = joined_commands(*commands);
            } else {
                draft.drop(key.name, key.text, "it is no list of commands");
            }
        } else if (word && !draft.is_line(key.name, *word)) {
            continue;
        } else if (key.name == "image" && word) {
            draft.options().container = *word;
            draft.change(key.name, *word,
                         "dstack names an image in a registry, Slurm the folder of a bundle");
        } else if (key.name == "working_dir" && word) {
            draft.options().passthrough.push_back({"chdir", *word, 0});
        } else if (key.name == "shell" && word) {
            draft.script.interpreter = word->find('/') == 0 ? *word : "/bin/" + *word;
        } else {  // losses are shown around, passwords are not
            const bool is_secret = key.name == "registry_auth";
            draft.drop(key.name, is_secret ? "" : key.text, why_key_is_lost(key.name));
        }
    }
}

}  // namespace

void add_kind(ScriptDraft& draft) {
    if (draft.run.kind == dstack::RunKind::task) return;
    const bool is_service = draft.run.kind == dstack::RunKind::service;
    draft.change("type", std::string(to_text(draft.run.kind)),
                 is_service ? "a job is no service: its commands run once"
                            : "a batch job is not used from outside; see salloc");
}

void add_env(ScriptDraft& draft) {
    slurm::ExportedVariables exported{slurm::ExportBase::all, {}};
    for (const dstack::EnvEntry& entry : draft.run.env) {
        std::string variable = entry.value ? entry.name + "=" + *entry.value : entry.name;
        if (!draft.is_line("env", variable)) continue;
        if (entry.name.empty() || (!entry.value && words::same_word(entry.name, "all"))) {
            draft.drop("env", std::move(variable), "--export takes it for something else");
            continue;
        }
        if (variable.find("${{") != std::string::npos) {
            draft.lose(LossKind::note, "env", variable,
                       "Slurm puts nothing in the place of ${{ }}, and has no secrets");
        }
        exported.variables.push_back(std::move(variable));
    }
    if (!exported.variables.empty()) draft.options().exported = std::move(exported);
}

void add_program(ScriptDraft& draft) {
    add_passthrough(draft);
    // dstack's own images have bash; of others it asks no more than sh.
    if (draft.script.interpreter.empty()) {
        draft.script.interpreter = draft.options().container.empty() ? "/bin/bash" : "/bin/sh";
    }
    if (draft.script.commands.empty()) return;
    // A comment at its start may look like an option: no option stands behind a command.
    if (!slurm::script_text(draft.script).ok()) draft.script.commands.insert(0, ":\n");
    if (Count(1) < draft.run.nodes) {
        draft.lose(LossKind::note, "commands", "",
                   "dstack runs commands on each node, Slurm a script on the first; see srun");
    }
    add_dstack_notes(draft.losses, draft.script.commands);
}

}  // namespace trestle::translate
