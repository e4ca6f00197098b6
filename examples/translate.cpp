// SPDX-License-Identifier: Apache-2.0

// A batch script of Slurm as a file of dstack, a file of dstack as a batch script, and what of each
// is not in the other.
//
//   translate FILE...
//
// A FILE that ends in .yml or .yaml is dstack's, any other one a script. Exit status: 2 when one
// cannot be read.

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/dialect/slurm/choice/load.hpp"
#include "trestle/dialect/translate/dstack_to_slurm.hpp"
#include "trestle/dialect/translate/slurm_to_dstack.hpp"

namespace {

using namespace trestle;

constexpr const char* help_text = R"(usage: translate FILE...

Prints each Slurm batch script as a dstack configuration, and each dstack configuration (a file
that ends in .yml or .yaml) as a batch script. Comments list what the other side lacks.

Exit status: 0; 2 if a file cannot be read.
)";

/// As comments, which both languages have.
std::string comments(const std::vector<translate::Loss>& losses) {
    std::string text;
    for (const translate::Loss& loss : losses) text += "# " + to_text(loss) + "\n";
    return text;
}

StatusOr<std::string> task_of(const std::string& text) {
    TRESTLE_TRY(const slurm::BatchScript script, slurm::parse_batch_script(text));
    TRESTLE_TRY(const translate::TaskTranslation task, translate::to_dstack(script));
    return to_text(task.value) + comments(task.losses);
}

StatusOr<std::string> script_of(const std::string& text) {
    TRESTLE_TRY(const dstack::Configuration file, dstack::parse_configuration(text));
    if (!file.run) return invalid_argument("a fleet: expected a task, service or dev-environment");
    const translate::ScriptTranslation script = translate::to_slurm(*file.run);
    TRESTLE_TRY(const std::string lines, slurm::script_text(script.value));
    return lines + comments(script.losses);
}

StatusOr<std::string> translated(const std::string& path) {
    TRESTLE_TRY(const std::optional<std::string> text, slurm::read_file(path));
    if (!text) return not_found("no such file");
    return path.ends_with(".yml") || path.ends_with(".yaml") ? script_of(*text) : task_of(*text);
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 2 || std::string_view(arguments[1]) == "--help") {
        fmt::print(count < 2 ? stderr : stdout, "{}", help_text);
        return count < 2 ? 2 : 0;
    }
    for (const std::string& path : std::vector<std::string>(arguments + 1, arguments + count)) {
        const auto text = translated(path);
        if (!text.ok()) {
            fmt::print(stderr, "{}: {}\n", path, message(text.status()));
            return 2;
        }
        fmt::print("== {}\n{}", path, *text);
    }
}
