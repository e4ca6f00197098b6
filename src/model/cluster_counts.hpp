// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arithmetic of lists of ClusterCount.
//
// Layer: model. Main functions: count_of, refuse, contains, add, subtract.

#include <optional>
#include <string_view>
#include <vector>

#include "trestle/base/verdict.hpp"
#include "trestle/model/cluster_count.hpp"

namespace trestle {

/// How many of `name` a list has; 0 when it is not named. Requires: check(counts) is ok, as in all
/// that follows. Complexity: logarithmic.
[[nodiscard]] Count count_of(const std::vector<ClusterCount>& counts, std::string_view name);

/// Why `wanted` is not in `free`; nothing when it is.
[[nodiscard]] std::optional<Refusal> refuse(const std::vector<ClusterCount>& free,
                                            const std::vector<ClusterCount>& wanted);

/// True when `whole` has at least what `part` has.
[[nodiscard]] bool contains(const std::vector<ClusterCount>& whole,
                            const std::vector<ClusterCount>& part);

/// Both together. Requires: no sum exceeds 63 bits. Complexity: linear.
[[nodiscard]] std::vector<ClusterCount> add(const std::vector<ClusterCount>& a,
                                            const std::vector<ClusterCount>& b);

/// What is left of `whole` without `part`. Requires: contains(whole, part).
[[nodiscard]] std::vector<ClusterCount> subtract(std::vector<ClusterCount> whole,
                                                 const std::vector<ClusterCount>& part);

}  // namespace trestle
