// SPDX-License-Identifier: Apache-2.0
#pragma once

// A batch script of Slurm in the making, out of a run of dstack.
//
// Layer: dialect/translate, inside.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/dialect/translate/dstack_to_slurm.hpp"

namespace trestle::translate {

/// A script in the making.
struct ScriptDraft {
    const dstack::RunConfiguration& run;
    slurm::BatchScript script;
    std::vector<Loss> losses;

    [[nodiscard]] slurm::JobOptions& options() {
        return script.submission.components.front().options;
    }
    void lose(LossKind kind, std::string_view key, std::string value, std::string_view why) {
        losses.push_back({kind, std::string(key), std::move(value), std::string(why)});
    }
    void drop(std::string_view key, std::string value, std::string_view why) {
        lose(LossKind::dropped, key, std::move(value), why);
    }
    void change(std::string_view key, std::string value, std::string_view why) {
        lose(LossKind::changed, key, std::move(value), why);
    }
    /// Whether a `#SBATCH` line can hold the value; it is dropped where none can.
    [[nodiscard]] bool is_line(std::string_view key, const std::string& value) {
        if (value.find('\n') == std::string::npos) return true;
        drop(key, value, "a line of options holds no line break");
        return false;
    }
};

/// What is no task is changed into one.
void add_kind(ScriptDraft& draft);
void add_env(ScriptDraft& draft);
/// Interpreter, commands and notes on what they use; the other passthrough keys.
void add_program(ScriptDraft& draft);

}  // namespace trestle::translate
