// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lines of a batch script: which are directives, and where the commands begin.
//
// Layer: dialect/slurm, inside. Main names: is_blank, is_comment, is_directive. Reading
// options and taking scripts apart both rest on these, so that they agree.

#include <algorithm>
#include <string_view>

#include "../joined_lines.hpp"

namespace trestle::slurm {

inline constexpr std::string_view directive_mark = "#SBATCH";

[[nodiscard]] constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Whether options may stand in lines behind this one: it is empty, or starts with `#`.
[[nodiscard]] inline bool is_comment(std::string_view line) {
    const auto first = std::find_if_not(line.begin(), line.end(), is_blank);
    return first == line.end() || *first == '#';
}

/// Whether options stand behind the mark of this line.
[[nodiscard]] inline bool is_directive(std::string_view line) {
    if (!line.starts_with(directive_mark)) return false;
    line.remove_prefix(directive_mark.size());
    return line.empty() || line.front() == '-' || is_blank(line.front());
}

}  // namespace trestle::slurm
