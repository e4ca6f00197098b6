// SPDX-License-Identifier: Apache-2.0
#include "release_options.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "../option_table.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm {
namespace {

Status check_option(std::string name, Release release) {
    std::replace(name.begin(), name.end(), '_', '-');
    // The field of --tres-bind is that of --gpu-bind too, which is older.
    if (name == "tres-bind") return {};
    const OptionRow* const row = find_long_option(name, Tool::sbatch, {}).row;
    if (row == nullptr || row->name != name || includes(row->releases, release)) return {};
    return invalid_argument("--{}: no option of Slurm {} ({})", name, version_of(release),
                            to_text(row->releases));
}

Status check_word(std::string_view option, std::string_view word, Release release) {
    const OptionWord* const foreign = find_foreign_word(option, word, release);
    if (foreign == nullptr) return {};
    return invalid_argument("--{}: \"{}\" is unknown to Slurm {} ({})", option, foreign->word,
                            version_of(release), to_text(foreign->releases));
}

}  // namespace

Status check_options_of(const JobOptions& options, Release release) {
    const JobOptions nothing;
    Status status;
    const auto check_field = [&](const auto& one) {
        if (status.ok() && !(options.*one.pointer == nothing.*one.pointer)) {
            status = check_option(std::string(one.name), release);
        }
    };
    JobOptions::fields([&](const auto&... one) { (check_field(one), ...); });
    TRESTLE_TRY_STATUS(status);
    for (const PassthroughOption& one : options.passthrough) {
        TRESTLE_TRY_STATUS(check_option(one.name, release));
    }
    if (options.exclusive) {
        TRESTLE_TRY_STATUS(check_word("exclusive", trestle::to_text(*options.exclusive), release));
    }
    if (options.requeue == Requeue::expedite) {
        TRESTLE_TRY_STATUS(check_word("requeue", "expedite", release));
    }
    if (options.nodes && !options.nodes->sizes.empty()) {
        TRESTLE_TRY_STATUS(check_word("nodes", ",", release));
    }
    if (options.licenses && options.licenses->is_any_of) {
        TRESTLE_TRY_STATUS(check_word("licenses", "|", release));
    }
    const GresFlags flags = options.gres_flags.value_or(GresFlags());
    for (const auto& [is_said, word] :
         {std::pair(flags.one_task_per_sharing, "one-task-per-sharing"),
          std::pair(flags.multiple_tasks_per_sharing, "multiple-tasks-per-sharing"),
          std::pair(flags.allow_task_sharing, "allow-task-sharing")}) {
        if (is_said) TRESTLE_TRY_STATUS(check_word("gres-flags", word, release));
    }
    return {};
}

}  // namespace trestle::slurm
