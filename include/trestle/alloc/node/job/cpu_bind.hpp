// SPDX-License-Identifier: Apache-2.0
#pragma once

// CPU binding: on which of its job's hardware threads on a node each task may run.
//
// Layer: alloc. Main types: TaskBind, TaskBind::To; main function: bind_cpus(nodes, placement,
// tasks, bind). It is Slurm's --cpu-bind, after the tasks have their threads (task_layout.hpp).
// Pitfall: lists of CPUs and NUMA domains hold the kernel's numbers, and each node's tasks begin
// them anew.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trestle/alloc/node/job/task_layout.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// How the tasks of a job come to hardware threads.
struct TaskBind {
    /// To what a task is bound.
    enum class To {
        none,       ///< to all threads that the job has on the node
        threads,    ///< to its own threads
        cores,      ///< to the cores that its threads are of
        l3,         ///< to the last-level caches of these cores
        numa,       ///< to their NUMA domains
        sockets,    ///< to their sockets
        rank,       ///< task i of the node to the i-th thread
        rank_numa,  ///< task i of the node to the i-th NUMA domain
        map,        ///< to the thread in the list, by task
        mask,       ///< to the threads in the list, by task
        map_numa,   ///< to the NUMA domain in the list, by task
        mask_numa,  ///< to the NUMA domains in the list, by task
    };

    To to = To::threads;
    std::vector<std::uint32_t> map;  ///< from the start again when there are more tasks
    std::vector<SmallSet<>> masks;   ///< likewise

    static constexpr auto fields(auto list) {
        return list(field("to", &TaskBind::to), field("map", &TaskBind::map),
                    field("masks", &TaskBind::masks));
    }
    friend bool operator==(const TaskBind&, const TaskBind&) = default;
};

constexpr auto enum_names(TaskBind::To) {
    using enum TaskBind::To;
    return std::array{
        named(none, "none"), named(threads, "threads"),     named(cores, "cores"),
        named(l3, "l3"),     named(numa, "numa"),           named(sockets, "sockets"),
        named(rank, "rank"), named(rank_numa, "rank_numa"), named(map, "map"),
        named(mask, "mask"), named(map_numa, "map_numa"),   named(mask_numa, "mask_numa")};
}

/// Ok when a rule with a list has one. Errors: InvalidArgument.
[[nodiscard]] Status check(const TaskBind& bind);

/// The hardware threads on which each of `tasks` may run, in their order. All are the job's on the
/// task's node.
///
/// - none: all of them. threads: the task's own.
/// - cores, l3, numa, sockets: those of each such unit that has one of the task's cores. Tasks that
///   share a unit share its threads.
/// - `rank`: task i of the node has the i-th thread. These are the first of each core by rising
///   cores, then the second of each. `rank_numa`: those of the i-th NUMA domain of which the job
///   has a core.
/// - map, mask, map_numa, mask_numa: the tasks of a node take the elements of the list in turn.
/// Ranks and lists begin from the start again when they end. A job that has no thread in particular
/// (thousandths of CPUs) has tasks without any: an empty set.
///
/// Returns a refusal (Constraint::cores, `node n1: ...`) when a list names a CPU that is none of
/// the job's, or a NUMA domain without any. Slurm leaves such a CPU out, and where nothing is left
/// gives all. Requires: check(bind) is ok; the placement's nodes (by NodeId) exist; tasks, by
/// number, are those of layout_tasks for this placement.
[[nodiscard]] Verdict<std::vector<PuSet>> bind_cpus(std::span<const Node> nodes,
                                                    const Placement& placement,
                                                    std::span<const TaskPlacement> tasks,
                                                    const TaskBind& bind);

}  // namespace trestle
