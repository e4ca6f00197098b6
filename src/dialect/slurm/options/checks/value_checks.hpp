// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which values sbatch refuses of options that Trestle only carries along, and what a release
// refuses of those that are read.
//
// Layer: dialect/slurm, inside. Main names: check_value, takes_empty. The rules were learnt by
// asking sbatch 22.05, 24.11 and 26.05; where they differ, a rule is looked at for the release that
// is asked for. Without one a value is right if any of them takes it.

#include <optional>
#include <string_view>

#include "trestle/base/text.hpp"
#include "trestle/dialect/slurm/release.hpp"

namespace trestle::slurm {

/// What is wrong with the value of an option, by its long name. Nothing: it is taken, or the option
/// is not one of this table.
[[nodiscard]] std::optional<TextError> check_value(std::string_view option, TextCursor value,
                                                   std::optional<Release> release);

/// Whether an empty value of an option that needs one means that nothing was said.
[[nodiscard]] bool takes_empty(std::string_view option, std::optional<Release> release);

/// What is wrong with a time of --begin and --deadline: one or several of a date, a time of day and
/// a word, or now with a distance.
[[nodiscard]] std::optional<TextError> check_clock_time(TextCursor text,
                                                        std::optional<Release> release);

}  // namespace trestle::slurm
