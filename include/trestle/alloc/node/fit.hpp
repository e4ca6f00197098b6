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

/// The best placement of `demand` on a node of this shape and ledger; its `node` is id 0.
///
/// Best is, the first difference decides: the lowest row; counts of devices as preferred, in the
/// order of the demands; fewest devices with a warning; fewest cores that are not of the kind
/// preferred; fewest CPUs, where cores differ; fewest devices with no core near them;
/// fewest cores that lack near devices for the CPUs that come with them; fewest pairs of a core and
/// a device far from it; fewest devices that are to lie below one switch with a device of an
/// earlier demand and do not; least memory far from the cores; fewest groups of the core level;
/// fewest untouched devices that would be given in part; fewest instances to make or remove, then
/// the greatest potential for further ones; strongest links between the devices, in sum, then at
/// the weakest pair of one name, then between the untouched devices that remain; lowest devices;
/// lowest cores; lowest devices for the first demand, then for the second. What is required only
/// rules out.
///
/// Cores differ where they count unlike numbers of CPUs, or only some are of the kind preferred.
/// Any number of them may then be the answer: enough for the tasks and the devices, and more only
/// where something that is required near needs them. Tasks with tasks_per_core, or dealt to
/// packages, have cores of their own: see layout_tasks(). Where all cores are alike a demand takes
/// the fewest that have its CPUs.
///
/// A place is a set of cores to which the same devices are near; where cores differ, of alike ones.
/// The CPUs that come with devices are cpus_per_device, or the CPUs of a task divided by the
/// devices of a task. Which cores go with given devices: before far pairs are counted, each place
/// gives its part of all cores, by the number of devices there; after it, the place with the lowest
/// core gives most. Demands with locality ignore, and devices near to all cores that could be
/// taken, do not count.
///
/// Required locality of a demand is: each of its devices has a core near it, and the CPUs that come
/// with it, and each core is near to a device that is required to be near. A whole node gives all
/// its cores, wherever they are.
///
/// Devices that are to have attributes in common: see CommonAttribute. A placement may be the
/// answer when one value of each attribute is common to its devices. More than 1,024 combinations
/// of values that leave different devices are given up.
///
/// Tasks that are dealt out to packages, or limited per socket, fix how many cores each package
/// gives: packages near the chosen devices are dealt to first, then the lowest. Memory comes from
/// the domains near the cores first, then from those at the least distance of one of these; among
/// equals DRAM before fast memory, then the lowest (where nearness is ignored, all are equals).
/// Other kinds of memory are never given. A demand that asks for no core gets none, and nothing is
/// far from it.
///
/// CPUs in thousandths are no cores' in particular: what is taken so, by others and now, is left in
/// threads of cores that nobody has. A whole node gives them with its cores.
///
/// Requires: check(shape) is ok, `ledger` belongs to `shape`.
/// A Refusal names what lacks; Constraint::gave_up says that the budget ended first, never a wrong
/// no. Complexity: subsets of device classes times subsets of groups of cores, within the budget.
[[nodiscard]] Verdict<NodePlacement> fit(const NodeShape& shape, const NodeLedger& ledger,
                                         const NodeDemand& demand, const FitOptions& options = {});

}  // namespace trestle
