// SPDX-License-Identifier: Apache-2.0
#pragma once

// A task of dstack in the making, out of a batch script of Slurm.
//
// Layer: dialect/translate, inside.

#include <string>
#include <string_view>
#include <vector>

#include "node_needs.hpp"
#include "trestle/dialect/slurm/script/print_options.hpp"
#include "trestle/dialect/translate/slurm_to_dstack.hpp"

namespace trestle::translate {

using slurm::OptionText;

constexpr std::string_view one_node = "no number of nodes is said: all on one";

/// A task in the making, and what it is made of.
struct TaskDraft {
    const slurm::JobOptions& options;  ///< resolved
    const SlurmToDstack& rules;
    NodeNeeds needs;
    dstack::RunConfiguration run;
    std::vector<Loss> losses;

    void lose(LossKind kind, const OptionText& option, std::string_view why) {
        losses.push_back({kind, "--" + option.name, option.value.value_or(""), std::string(why)});
    }
    void drop(const OptionText& option, std::string_view why) {
        lose(LossKind::dropped, option, why);
    }
    void change(const OptionText& option, std::string_view why) {
        lose(LossKind::changed, option, why);
    }
    void carry(std::string_view key, const std::string& text) {
        run.passthrough.push_back({std::string(key), 0, text});
    }
    /// Whether Slurm chooses how many nodes there are.
    [[nodiscard]] bool has_open_nodes() const { return !options.nodes && !options.ntasks_per_node; }
    template <class T>
    [[nodiscard]] Range<T> amount(T value) const {
        const bool is_exact = rules.amounts == dstack::BareValue::exact;
        return is_exact ? Range<T>::exactly(value) : Range<T>::at_least(value);
    }
};

/// Names, vendor and memory of the GPUs that the option asks for, and what of it is not theirs.
/// Once for the option that says how many there are; the others agree with it.
void take_gpus(TaskDraft& draft, const OptionText& option);

/// As a shell reads it as one word.
[[nodiscard]] std::string shell_word(const std::string& word);

/// The commands of the script, or else the command behind the options, or else --wrap.
void add_commands(TaskDraft& draft, const slurm::BatchScript& script);

}  // namespace trestle::translate
