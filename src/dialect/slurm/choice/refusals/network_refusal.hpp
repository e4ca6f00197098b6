// SPDX-License-Identifier: Apache-2.0
#pragma once

// Why nodes that serve a job each do not lie as it asks: in a row, below one switch, in one block.
//
// Layer: dialect/slurm, inside. Main function: why_apart.

#include <string>

#include "../nodes/choose_nodes.hpp"

namespace trestle::slurm::choice {

/// What is asked for, and the most nodes, CPUs or devices that lie together. `is_now`: the question
/// is about what jobs leave. Empty: what lies together is enough, each by itself.
[[nodiscard]] std::string why_apart(const Question& question, const std::string& partition,
                                    bool is_now);

}  // namespace trestle::slurm::choice
