// SPDX-License-Identifier: Apache-2.0
#pragma once

// The words and signs by which Slurm prints the state of a node.
//
// Layer: dialect/slurm. Main name: node_state_of.
// Pitfall: a state that is not known is nothing, and not "up".

#include <optional>
#include <string>
#include <vector>

#include "trestle/model/node.hpp"

namespace trestle::slurm::live {

/// What the words together mean: the worst of them. Absent: one is not known.
[[nodiscard]] std::optional<NodeState> node_state_of(const std::vector<std::string>& words);

/// `IDLE+DRAIN`, `MIXED*` as words; `*` is NOT_RESPONDING.
[[nodiscard]] std::vector<std::string> state_words(const std::string& text);

/// `IDLE+DRAIN`.
[[nodiscard]] std::string state_text(const std::vector<std::string>& words);

}  // namespace trestle::slurm::live
