// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether an expression is a number for every state that a node may be in.
//
// Layer: alloc (private). Main function: is_always_number. What is free lies between 0 and 2^63,
// and from there on bounds say what may be infinite, negative or no number. Where that is so, more
// that is free can only help a request, as with a named policy: searches rely on it. Pitfall: false
// says that it is not known. `a / devices_after` may be 0 / 0.

#include <span>

#include "alloc/cluster/place/score/score_program.hpp"

namespace trestle::detail {

/// True when the result is never NaN. Requires: as for ScoreProgram. Complexity: the steps.
[[nodiscard]] bool is_always_number(std::span<const ScoreStep> steps);

}  // namespace trestle::detail
