// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a process gets into its group.
//
// Layer: os. Main type: StartMethod.
// Pitfall: with either method the command never runs outside its group; they differ in what the
// kernel has to offer and in the cost.

#include <array>

#include "trestle/base/enums.hpp"

namespace trestle::os {

/// How a process gets into its group.
enum class StartMethod {
    /// clone3(CLONE_INTO_CGROUP) where the kernel has it, else fork_and_move. The same for a child
    /// that the kernel kills at once: Linux since 6.14 does, in a group that was killed before. So
    /// a write to cgroup.kill at that very moment does not end it.
    automatic,
    fork_and_move,  ///< the child waits until it was written to cgroup.procs
};

constexpr auto enum_names(StartMethod) {
    return std::array{named(StartMethod::automatic, "automatic"),
                      named(StartMethod::fork_and_move, "fork_and_move")};
}

}  // namespace trestle::os
