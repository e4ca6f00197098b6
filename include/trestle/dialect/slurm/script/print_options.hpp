// SPDX-License-Identifier: Apache-2.0
#pragma once

// Job options as text again: arguments of sbatch and `#SBATCH` lines.
//
// Layer: dialect/slurm. Main names: OptionText, option_texts, option_arguments, directive_lines.
// Options come out by their long names, in the order of JobOptions. The functions read_arguments
// and read_script read them back to equal options, but for the lines of passthrough ones.
// Pitfall: options that no text can say come out as the nearest that one can. An open end of
// --nodes is written as its other end. Only resolve() makes such. Reading does not.

#include <optional>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle::slurm {

/// One option that was given, by its long name.
struct OptionText {
    std::string name;                  ///< without dashes: `gres`, `no-requeue`
    std::optional<std::string> value;  ///< absent: it stands alone

    static constexpr auto fields(auto list) {
        return list(field("name", &OptionText::name), field("value", &OptionText::value));
    }
    friend bool operator==(const OptionText&, const OptionText&) = default;
};
/// `--gres=gpu:2`, `--contiguous`.
[[nodiscard]] std::string to_text(const OptionText& option);

/// All options that are given, passthrough ones last.
[[nodiscard]] std::vector<OptionText> option_texts(const JobOptions& options);

/// A word for each option. Components are parted by `:`; the command of the first one is behind
/// `--` at the end.
[[nodiscard]] std::vector<std::string> option_arguments(const JobOptions& options);
[[nodiscard]] std::vector<std::string> option_arguments(const Submission& submission);

/// A line `#SBATCH --name=value` for each option, with quotes where blanks, quotes or a `#` need
/// them; `#SBATCH hetjob` between components. Commands are not in it.
/// Errors: InvalidArgument for a value with a line break, which no line can hold.
[[nodiscard]] StatusOr<std::string> directive_lines(const Submission& submission);

}  // namespace trestle::slurm
