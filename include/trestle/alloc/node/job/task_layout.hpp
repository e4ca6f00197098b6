// SPDX-License-Identifier: Apache-2.0
#pragma once

// Task layout: which task runs where, on which hardware threads, once a placement was chosen.
//
// Layer: alloc. Main function: layout_tasks(nodes, placement, request) -> a TaskPlacement for each
// task. The placement says how many tasks each node has; Slurm's --distribution says which ones,
// and which cores each of them gets.
// Pitfall: a task has exactly cpus_per_task threads, and no thread has two tasks.
// What a node gives beyond that (whole cores, a whole node) stays idle here.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// Where one task runs.
struct TaskPlacement {
    std::uint32_t task = 0;  ///< its number in the job, from 0
    NodeId node;
    CoreSet cores;                     ///< that its threads are of
    PuSet threads;                     ///< its own
    SmallVector<DeviceShare> devices;  ///< that it sees: see bind_devices; empty before

    static constexpr auto fields(auto list) {
        return list(field("task", &TaskPlacement::task), field("node", &TaskPlacement::node),
                    field("cores", &TaskPlacement::cores),
                    field("threads", &TaskPlacement::threads),
                    field("devices", &TaskPlacement::devices));
    }
    friend bool operator==(const TaskPlacement&, const TaskPlacement&) = default;
};

/// Where each task of the placement runs, by task.
///
/// Numbers go to the nodes as request.distribution.nodes says: block: to one node after the other.
/// Cyclic: one to each node in turn while it has tasks left. Plane: plane_size in turn. How many
/// a node has is NodePlacement::tasks.
///
/// On a node a task has cpus_per_task of the placement's threads (the first threads_per_core of
/// each core). Tasks share a core only when it has threads for several, at most tasks_per_core of
/// them. A task that needs more than a core has cores of its own, in rising order. If cores have
/// unlike thread counts, they are combined so that the most tasks get theirs. Tasks are dealt to
/// the groups of request.distribution.level, inside of packages, as request.distribution.sockets
/// says: block: a group until it is full, package by package. Cyclic: one to each in turn, to the
/// first group of each package, then to the second of each. Plane: plane_size in turn. At most
/// tasks_per_socket to each package. Inside a group by rising cores. `fcyclic` is cyclic for tasks
/// that fit into a core, and beside tasks_per_socket. For larger ones the cores are dealt, one of
/// each group in turn. If not all tasks fit into groups, they take the cores in order, across
/// groups. If they do not fit then either, they take the threads in order, across cores. A limit of
/// tasks_per_socket or tasks_per_core rules out the first, or the second. No task has cores of two
/// groups of request.task_level.
///
/// Returns a refusal (Constraint::cores, `node n1: ...`) when the CPUs do not suffice: nothing is
/// overcommitted. Without limits they suffice whenever there are tasks x cpus_per_task threads.
/// On a whole node tasks lie on the cores of the kind that is required, where one is.
/// Tasks that ask for thousandths of CPUs alone have no thread in particular.
/// Constraint::invalid for a request that check() refuses.
/// Requires: the nodes (by NodeId) and cores of the placement exist.
/// Complexity: linear in threads and tasks. Rules: Slurm's dist_tasks.c; a core is never split
/// between tasks by turns, as Slurm's fcyclic does with hardware threads.
[[nodiscard]] Verdict<std::vector<TaskPlacement>> layout_tasks(std::span<const Node> nodes,
                                                               const Placement& placement,
                                                               const Request& request);

}  // namespace trestle
