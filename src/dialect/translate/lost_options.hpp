// SPDX-License-Identifier: Apache-2.0
#pragma once

// Options of Slurm that dstack has nothing for.
//
// Layer: dialect/translate, inside.

#include <string_view>

namespace trestle::translate {

/// Why the option of this long name is lost; a general reason for an unknown one.
[[nodiscard]] std::string_view why_option_is_lost(std::string_view option);

/// The same of a key of a run.
[[nodiscard]] std::string_view why_key_is_lost(std::string_view key);

}  // namespace trestle::translate
