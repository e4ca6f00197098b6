// SPDX-License-Identifier: Apache-2.0
#pragma once

// fit: cores, memory and devices on one node, chosen together and exactly.
//
// Layer: alloc. Main function: fit(shape, ledger, demand, options). The answer is the best
// placement under a total order, a Refusal that proves there is none, or Constraint::gave_up.
// Pitfall: cores are given whole. Each counts as many CPUs as it has threads, so one CPU of a core
// of two threads is two. To allocate single threads, or whole sockets, transform the node's
// description first: see with_granularity in model/granularity.hpp.

#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/fit_options.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

/// The best placement of `demand` on a node with this shape and ledger. Its `node` is id 0.
///
/// Requirements only exclude placements. Among the others the first difference of this list
/// decides:
///
/// 1. the lowest row;
/// 2. counts of devices as preferred, in the order of the demands;
/// 3. fewest devices with a warning;
/// 4. fewest cores that are not of the preferred kind;
/// 5. fewest CPUs, where cores differ;
/// 6. fewest devices with no core near them;
/// 7. fewest cores that lack near devices for the CPUs that come with the devices;
/// 8. fewest pairs of a core and a device far from it;
/// 9. fewest devices that should lie below one switch with a device of an earlier demand, and do
///    not;
/// 10. least memory far from the cores;
/// 11. fewest groups of the core level;
/// 12. fewest untouched devices that would be given in part;
/// 13. fewest instances to create or remove, then the greatest potential for further ones;
/// 14. strongest links between the devices: in sum, then at the weakest pair of one name, then
///     between the untouched devices that remain;
/// 15. lowest devices; lowest cores; lowest devices for the first demand, then for the second.
///
/// Cores differ if they have unlike numbers of CPUs, or if only some are of the preferred kind.
/// They also differ if task_level keeps tasks of several cores in one group each. The placement may
/// then have any number of them: enough for the tasks and the devices, and more only if a required
/// nearness needs them. Tasks with tasks_per_core, and tasks that are distributed over packages or
/// groups inside of them, have cores of their own: see layout_tasks(). If all cores are alike, a
/// demand takes the fewest that have its CPUs. If a node has very many ways to divide tasks among
/// the groups of task_level, only some are tried, near and low groups first. The answer is the best
/// of these.
///
/// A place is a set of cores to which the same devices are near; where cores differ, of alike
/// cores. The CPUs that come with a device are cpus_per_device, or the CPUs of a task divided by
/// the devices of a task. Cores are chosen for given devices as follows. Before far pairs are
/// counted, each place gives its part of all cores, by the number of devices there. After that, the
/// place with the lowest core gives most. Demands with Strictness::ignore, and devices near to all
/// cores that could be taken, do not count.
///
/// A device is served when it has a core near it. Without cpus_per_device one core serves all
/// devices near it. The CPUs that come with a device are its own. Where sets of near cores overlap,
/// the devices whose near cores all lie in a union of such sets need all their CPUs there. What
/// rank 7 counts is what each set, and each union of sets that overlap, lacks.
///
/// Required locality of a demand means two things. Each of its devices has a core near it, and its
/// cpus_per_device. Each core is near a device that is required to be near. A whole node gives all
/// its cores, wherever they are.
///
/// Devices with attributes in common: see Request::CommonAttribute. In a placement one value of
/// each attribute is common to its devices. More than 1,024 combinations of values that leave
/// different devices are given up.
///
/// Tasks that are distributed over packages, or over groups of distribution_level inside of them,
/// fix how many cores each group gives. So do tasks that are limited per socket. Groups near the
/// chosen devices come first, then the first group of each package, then the second. Without
/// tasks_per_socket, cyclic tasks and planes that do not all fit in this way lie as in a block.
/// With it, fcyclic is cyclic, and on a whole node the packages have room for all tasks. Where
/// core_locality is required, tasks are distributed over the groups inside of one group of
/// core_level. Then `fcyclic` deals single cores; with task_level each task has whole cores. If
/// task_level is wider than the groups, the tasks are spread evenly over the groups of task_level.
/// The cores of each of these are dealt. Memory comes from the domains near the cores first, then
/// from those at the least distance from one of these. Among equal domains DRAM comes before fast
/// memory, then the lowest domain (where nearness is ignored, all are equal). Other kinds of memory
/// are never given. A demand without cores gets none, and no device or memory is far from it.
///
/// CPUs in thousandths belong to no core in particular: enough threads of cores without an owner
/// stay free for all thousandths that are taken. A whole node gives them with its cores.
///
/// Requires: check(shape) is ok, `ledger` belongs to `shape`. A Refusal names what is missing.
/// Constraint::gave_up means that the search budget ended first; it says nothing about whether the
/// demand fits. Complexity: subsets of device classes times subsets of groups of cores, within the
/// budget.
[[nodiscard]] Verdict<NodePlacement> fit(const NodeShape& shape, const NodeLedger& ledger,
                                         const NodeDemand& demand, const FitOptions& options = {});

}  // namespace trestle
