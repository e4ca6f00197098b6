// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which options there are, and what each does with its value.
//
// Layer: dialect/slurm, inside. Main names: OptionRow, option_rows; names from Slurm's
// src/common/slurm_opt.c.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "../known_releases.hpp"
#include "trestle/base/text.hpp"
#include "trestle/dialect/slurm/options/known_options.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle::slurm {

/// Which programs have an option, as bits.
inline constexpr std::uint8_t of_sbatch = 1;
inline constexpr std::uint8_t of_srun = 2;
inline constexpr std::uint8_t of_salloc = 4;
inline constexpr std::uint8_t of_all = 7;

struct OptionRow {
    std::string_view name;
    char letter;  ///< or '\0'
    OptionValue value;
    std::uint8_t tools;
    /// Null for one that is passed through. The value of one without is empty.
    std::optional<TextError> (*apply)(JobOptions&, TextCursor value);
    KnownReleases releases = {};
    bool is_own = false;  ///< an option of Trestle that Slurm lacks; found by its whole name only
};

/// Whether the program has the option in any release.
[[nodiscard]] bool has_option(const OptionRow& row, Tool tool);

/// Sorted by name.
[[nodiscard]] std::span<const OptionRow> option_rows();

/// What a name stands for: one row, or why none.
struct FoundOption {
    const OptionRow* row = nullptr;
    bool is_ambiguous = false;  ///< the beginning of several
};
/// Those of plug-ins come behind Slurm's own. An option that the release lacks, or today's releases
/// where none is given, is found by its whole name only, not by the beginning of it. Where that
/// name begins one that the program has in the release, this one is found.
[[nodiscard]] FoundOption find_long_option(std::string_view name, Tool tool,
                                           std::span<const OptionRow> plugins,
                                           std::optional<Release> release = {});
[[nodiscard]] const OptionRow* find_option_letter(char letter, Tool tool);

/// A word or sign in the value of an option, and the releases that have it.
struct OptionWord {
    std::string_view option;
    std::string_view word;
    KnownReleases releases;
    bool is_sign = false;  ///< it may stand anywhere in the value; else between commas
};

/// The first word or sign of a value that the release lacks; null: there is none.
[[nodiscard]] const OptionWord* find_foreign_word(std::string_view option, std::string_view value,
                                                  Release release);

/// A variable of the environment and the option it stands for.
struct OptionVariable {
    std::string_view variable;
    std::string_view option;
};
/// Those that the program reads, sorted; of two for one option the later goes before the earlier.
[[nodiscard]] std::span<const OptionVariable> option_variables(Tool tool);
/// The variable that says how long --switches may wait, where --switches itself does not.
[[nodiscard]] std::string_view switch_wait_variable(Tool tool);

}  // namespace trestle::slurm
