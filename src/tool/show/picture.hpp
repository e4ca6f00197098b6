// SPDX-License-Identifier: Apache-2.0
#pragma once

// A cluster as a picture of characters.
//
// Layer: tool. Main name: picture_text.
// Few nodes of a partition are a line each; many are a cell each, as many in a row as the terminal
// is wide.
// Pitfall: the characters alone say everything; colours repeat it.

#include <cstddef>
#include <string>
#include <vector>

#include "usage.hpp"

namespace trestle::tool {

/// The partitions one below the other, each with its sums, its free and stranded devices, and its
/// nodes; then what the characters mean. No line is wider than `width`, at least 40, but for names.
[[nodiscard]] std::string picture_text(const std::vector<PartitionUse>& partitions,
                                       std::size_t width);

}  // namespace trestle::tool
