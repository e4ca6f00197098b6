// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which cores belong together at a level of the hardware tree, and the memory near to them.
//
// Layer: model. Main functions: core_groups, groups_in_packages, groups_to_deal, widen, refine,
// domains_near.

#include <vector>

#include "trestle/model/hardware.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/request.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// The ordinary memory domains with a core in `cores`.
[[nodiscard]] DomainSet domains_near(const NodeShape& shape, const CoreSet& cores);

/// Cuts every part into what is inside `cores` and what is not.
void refine(std::vector<CoreSet>& parts, const CoreSet& cores);

/// All cores of the node, parted by the groups of `level`, by lowest core. A core that is in no
/// group of the level is together with the others like it: on a node that does not report the
/// level, all cores are one group. Levels core and thread: each core by itself, but for groups of
/// level core, which hold the threads of one where threads are handed out (with_granularity).
/// Complexity: linear in cores times groups.
[[nodiscard]] std::vector<CoreSet> core_groups(const NodeShape& shape, HardwareLevel level);

/// The groups of `level`, cut where packages end: package by package, there by lowest core. On a
/// node that does not report the level these are the packages, on one without packages all cores
/// together.
[[nodiscard]] std::vector<CoreSet> groups_in_packages(const NodeShape& shape, HardwareLevel level);

/// The same in the order in which tasks are dealt to them. block: package by package. Otherwise the
/// first group of each package, then the second of each, ...
[[nodiscard]] std::vector<CoreSet> groups_to_deal(const NodeShape& shape, HardwareLevel level,
                                                  Distribution how);

/// True when each of `parts` lies inside of one of `groups`.
[[nodiscard]] bool lie_inside(const std::vector<CoreSet>& parts,
                              const std::vector<CoreSet>& groups);

/// All cores of those groups that hold one of `cores`.
[[nodiscard]] CoreSet widen(const std::vector<CoreSet>& groups, const CoreSet& cores);

}  // namespace trestle
