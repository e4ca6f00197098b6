// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which modes of a memory policy are about nodes.
//
// Layer: enforce (private). Main function: has_nodes.

#include "trestle/enforce/process/memory_policy.hpp"

namespace trestle {

/// True for the modes that are about nodes in particular.
[[nodiscard]] constexpr bool has_nodes(MemoryPolicy::Mode mode) {
    return mode != MemoryPolicy::Mode::standard && mode != MemoryPolicy::Mode::local;
}

}  // namespace trestle
