// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a CgroupEnforcer holds, for those of its calls that have a file of their own.
//
// Layer: os, private. Main types: CgroupEnforcer::State.

#include <utility>

#include "../process/scratch_marks.hpp"
#include "../process/start_process.hpp"
#include "group/tree.hpp"
#include "os/directory.hpp"
#include "trestle/os/cgroup_enforcer.hpp"
#include "trestle/os/kernel.hpp"

namespace trestle::os {

class CgroupEnforcer::State {
  public:
    State(detail::GroupDirectory root, const CgroupOptions& chosen, detail::ScratchOwner owner)
        : kernel(root.kernel()),
          options(chosen),
          scratch{options.scratch_root, std::move(owner), kernel},
          tree(std::move(root)),
          children(kernel) {}

    [[nodiscard]] detail::Deadline deadline() const {
        return detail::Deadline::in(options.patience);
    }

    Kernel& kernel;
    const CgroupOptions options;
    const detail::ScratchRoot scratch;
    const detail::GroupTree tree;
    detail::ChildTable children;
};

}  // namespace trestle::os
