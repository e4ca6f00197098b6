// SPDX-License-Identifier: Apache-2.0
#pragma once

// The manual page and the completions of shells, from the declared options.
//
// Layer: tool. Main names: manual_page, bash_completion, zsh_completion, fish_completion.
// Pitfall: options of sbatch are not declared here, so they are not completed.

#include <CLI/App.hpp>

#include <string>

namespace trestle::tool {

/// trestle.1 in the language of man(7).
[[nodiscard]] std::string manual_page(const CLI::App& program);
/// Functions and a call that each shell reads, as it looks for them below its folder of
/// completions.
[[nodiscard]] std::string bash_completion(const CLI::App& program);
[[nodiscard]] std::string zsh_completion(const CLI::App& program);
[[nodiscard]] std::string fish_completion(const CLI::App& program);

}  // namespace trestle::tool
