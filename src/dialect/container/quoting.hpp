// SPDX-License-Identifier: Apache-2.0
#pragma once

// Words of others' languages that come out as they went in.
//
// Layer: dialect/container, private. Names: shell_quoted, unit_quoted, check_words.

#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/status.hpp"

namespace trestle::container::detail {

/// One word for a POSIX shell: as it is when nothing in it means anything, else in single quotes,
/// between which a shell reads nothing.
[[nodiscard]] std::string shell_quoted(std::string_view word);

/// One word of a unit file, in double quotes with C's escapes; `%` is doubled, since systemd
/// expands it nearly everywhere.
[[nodiscard]] std::string unit_quoted(std::string_view word);

/// Errors: InvalidArgument that names the first word with a NUL byte, which no program is handed.
[[nodiscard]] Status check_words(const std::vector<std::string>& words);

/// True for what shells and systemd take as the name of a variable.
[[nodiscard]] bool is_identifier(std::string_view name);

}  // namespace trestle::container::detail
