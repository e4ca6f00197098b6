// SPDX-License-Identifier: Apache-2.0

// `trestle translate`: a batch script of Slurm as a file of dstack, a file of dstack as a batch
// script, and what of each is not in the other.

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "call/command.hpp"
#include "call/output.hpp"
#include "site/site.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/dialect/slurm/choice/load.hpp"
#include "trestle/dialect/translate/dstack_to_slurm.hpp"
#include "trestle/dialect/translate/slurm_to_dstack.hpp"

namespace trestle::tool {
namespace {

/// A file of the other language, and what it lacks.
struct Translated {
    std::string text;
    std::vector<translate::Loss> losses;
};

StatusOr<Translated> task_of(const std::string& text, const slurm::KnownOptions& known) {
    TRESTLE_TRY(const slurm::BatchScript script, slurm::parse_batch_script(text, known));
    TRESTLE_TRY(translate::TaskTranslation task, translate::to_dstack(script));
    return Translated{to_text(task.value), std::move(task.losses)};
}

StatusOr<Translated> script_of(const std::string& text) {
    TRESTLE_TRY(const dstack::Configuration file, dstack::parse_configuration(text));
    if (!file.run) return invalid_argument("a fleet: expected a task, service or dev-environment");
    translate::ScriptTranslation script = translate::to_slurm(*file.run);
    TRESTLE_TRY(std::string lines, slurm::script_text(script.value));
    return Translated{std::move(lines), std::move(script.losses)};
}

StatusOr<Translated> translated(const std::string& path, const slurm::KnownOptions& known) {
    TRESTLE_TRY(const std::optional<std::string> text, slurm::read_file(path));
    if (!text) return not_found("no such file");
    return path.ends_with(".yml") || path.ends_with(".yaml") ? script_of(*text)
                                                             : task_of(*text, known);
}

void print_translated(const std::string& path, const Translated& result, bool is_json) {
    if (is_json) {
        const json::Object object{{"file", json::to_value(path)},
                                  {"text", json::to_value(result.text)},
                                  {"losses", json::to_value(result.losses)}};
        return print_json({object});
    }
    fmt::print("== {}\n{}", path, result.text);
    for (const translate::Loss& loss : result.losses) {  // comments, which both languages have
        fmt::print("# {}\n", to_text(loss));
    }
}

StatusOr<int> translate_files(const std::vector<std::string>& files,
                              const std::vector<std::string>& plugin_options, bool is_json) {
    TRESTLE_TRY(const slurm::KnownOptions known, known_options(plugin_options));
    for (const std::string& path : files) {
        const auto result = translated(path, known);
        if (!result.ok()) return with_context(path, result.status());
        print_translated(path, *result, is_json);
    }
    return exit_yes;
}

}  // namespace

void add_translate(CLI::App& program, Call& call) {
    auto* const command = program.add_subcommand(
        "translate", "Translates between Slurm batch scripts and dstack files");
    struct Options {
        std::vector<std::string> files;
        std::vector<std::string> plugin_options;
        bool is_json = false;
    };
    const auto options = std::make_shared<Options>();
    set_usage(*command, "translate [--json] [--plugin-option O] FILE...");
    command->footer(
        "Comments list what the other side lacks.\nExit status: 0; 2 if a file cannot be read.");
    command
        ->add_option("FILE", options->files,
                     "A dstack configuration (.yml or .yaml), else a batch script")
        ->required();
    add_plugin_options(*command, options->plugin_options);
    command->add_flag("--json", options->is_json, "Print one line of JSON for each file");
    command->callback([options, &call] {
        call.result = translate_files(options->files, options->plugin_options, options->is_json);
    });
}

}  // namespace trestle::tool
