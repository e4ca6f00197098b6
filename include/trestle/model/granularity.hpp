// SPDX-License-Identifier: Apache-2.0
#pragma once

// Units of allocation: the description of the same machine with threads or sockets in place of
// cores.
//
// Layer: model. Main function: with_granularity(shape, level). Slurm's SelectType parameters choose
// among CR_CPU (threads), CR_Core and CR_Socket. Here that choice is a change of the shape. So all
// other functions (fit, usage, layout) have one kind of unit, the "core" of the changed shape.
// Pitfall: a CoreId of the changed shape is not one of the original. Hardware threads are the same
// in both: threads_of(changed, placement) gives the numbers for the kernel.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trestle/model/hardware.hpp"
#include "trestle/model/node.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// `shape` with the groups of `level` as units of allocation, each as one core.
///
/// - thread: every hardware thread is a core of its own; those of an old core form a group of level
///   core.
/// - core: the shape as it is.
/// - Wider levels: the cores of each group of that level are joined, by lowest core. What the
///   system keeps of a group becomes a unit of its own, so that the rest of the group can be given.
///
/// Sets of cores become the units that contain one of the cores. Near to one core of a unit is near
/// to the unit. A core reserved for a device reserves its unit. Groups that would cut a unit, which
/// are those of narrower levels, are left out. Memory, devices and links stay.
/// Requires: check(shape) is ok. Complexity: linear in cores times groups.
[[nodiscard]] NodeShape with_granularity(const NodeShape& shape, HardwareLevel level);

}  // namespace trestle
