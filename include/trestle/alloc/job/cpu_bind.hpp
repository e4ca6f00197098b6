// SPDX-License-Identifier: Apache-2.0
#pragma once

// CPU binding: on which of its job's hardware threads on a node each task may run.
//
// Layer: alloc. Main types: TaskBind, TaskBindTo; main function: bind_cpus(nodes, placement, tasks,
// bind). It is Slurm's --cpu-bind, after the tasks have their threads (task_layout.hpp).
// A reader would get wrong: lists of CPUs and NUMA domains hold the kernel's numbers, and each
// node's tasks begin them anew.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/job/task_layout.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/locality.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/set/small_set.hpp"
#include "trestle/set/text.hpp"

namespace trestle {

/// To what a task is bound.
enum class TaskBindTo {
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

constexpr auto enum_names(TaskBindTo) {
    using enum TaskBindTo;
    return std::array{
        named(none, "none"), named(threads, "threads"),     named(cores, "cores"),
        named(l3, "l3"),     named(numa, "numa"),           named(sockets, "sockets"),
        named(rank, "rank"), named(rank_numa, "rank_numa"), named(map, "map"),
        named(mask, "mask"), named(map_numa, "map_numa"),   named(mask_numa, "mask_numa")};
}

/// How the tasks of a job come to hardware threads.
struct TaskBind {
    TaskBindTo to = TaskBindTo::threads;
    std::vector<std::uint32_t> map;  ///< from the start again when there are more tasks
    std::vector<SmallSet<>> masks;   ///< likewise

    static constexpr auto fields(auto list) {
        return list(field("to", &TaskBind::to), field("map", &TaskBind::map),
                    field("masks", &TaskBind::masks));
    }
    friend bool operator==(const TaskBind&, const TaskBind&) = default;
};

/// Ok when a rule with a list has one. Errors: InvalidArgument.
[[nodiscard]] inline Status check(const TaskBind& bind) {
    const bool is_map = bind.to == TaskBindTo::map || bind.to == TaskBindTo::map_numa;
    const bool is_mask = bind.to == TaskBindTo::mask || bind.to == TaskBindTo::mask_numa;
    if ((is_map && bind.map.empty()) || (is_mask && bind.masks.empty())) {
        return invalid_argument("CPU binding: {} without a list", to_text(bind.to));
    }
    return {};
}

namespace detail {

/// Binds the tasks of one node.
class NodeCpuBind {
  public:
    NodeCpuBind(const NodeShape& shape, const NodePlacement& placement, const TaskBind& bind)
        : shape_(shape), bind_(bind), granted_(threads_of(shape, placement)) {
        using enum HardwareLevel;
        switch (bind.to) {
            case TaskBindTo::l3:
                groups_ = core_groups(shape, l3);
                break;
            case TaskBindTo::numa:
            case TaskBindTo::rank_numa:
                groups_ = core_groups(shape, numa);
                break;
            case TaskBindTo::sockets:
                groups_ = core_groups(shape, package);
                break;
            default:
                break;
        }
        if (bind.to == TaskBindTo::rank_numa) {
            std::erase_if(groups_, [&](const CoreSet& cores) { return in(cores).is_empty(); });
        }
    }

    /// The threads of task `local` of the node, or why there are none.
    [[nodiscard]] Verdict<PuSet> run(std::size_t local, const TaskPlacement& task) const {
        if (granted_.is_empty()) return PuSet();
        switch (bind_.to) {
            case TaskBindTo::none:
                return granted_;
            case TaskBindTo::threads:
                return task.threads;
            case TaskBindTo::cores:
            case TaskBindTo::l3:
            case TaskBindTo::numa:
            case TaskBindTo::sockets:
                return in(widen(groups_, task.cores));
            case TaskBindTo::rank:
                return thread_by_rank(local);
            case TaskBindTo::rank_numa:
                return in(groups_[local % groups_.size()]);
            default:
                return listed(local);
        }
    }

  private:
    [[nodiscard]] PuSet in(const CoreSet& cores) const {
        return shape_.hardware.threads_of(cores) & granted_;
    }

    /// One thread of each core in turn, before any core's second.
    [[nodiscard]] PuSet thread_by_rank(std::size_t local) const {
        std::vector<OsIndex> order;
        for (std::size_t level = 0; order.size() < granted_.count(); ++level) {
            for (const Core& core : shape_.hardware.cores) {
                if (level >= core.threads.size()) continue;
                if (granted_.contains(core.threads[level])) order.push_back(core.threads[level]);
            }
        }
        return PuSet::of({order[local % order.size()]});
    }

    [[nodiscard]] Verdict<PuSet> listed(std::size_t local) const {
        const bool is_map = bind_.to == TaskBindTo::map || bind_.to == TaskBindTo::map_numa;
        SmallSet<> wanted;
        if (is_map) {
            const std::uint32_t number = bind_.map[local % bind_.map.size()];
            if (number >= wanted.index_limit) return not_granted(number);
            wanted.insert(number);
        } else {
            wanted = bind_.masks[local % bind_.masks.size()];
        }
        if (wanted.is_empty()) return Refusal{Constraint::cores, "the mask of a task is empty"};
        const bool is_cpus = bind_.to == TaskBindTo::map || bind_.to == TaskBindTo::mask;
        PuSet threads;
        for (const std::uint32_t number : wanted) {
            PuSet more;
            if (is_cpus && granted_.contains(OsIndex(number))) more.insert(OsIndex(number));
            if (!is_cpus) more = in(domain_cores(number));
            if (more.is_empty()) return not_granted(number);
            threads |= more;
        }
        return threads;
    }
    [[nodiscard]] CoreSet domain_cores(std::uint32_t number) const {
        for (const MemoryDomain& domain : shape_.memory) {
            if (domain.os_index == OsIndex(number)) return domain.cores;
        }
        return {};
    }
    [[nodiscard]] Refusal not_granted(std::uint32_t number) const {
        const bool is_cpus = bind_.to == TaskBindTo::map || bind_.to == TaskBindTo::mask;
        const std::string has = is_cpus ? "is none" : "has none";
        return {Constraint::cores,
                fmt::format("{} {} of the list {} of the job's CPUs {}",
                            is_cpus ? "CPU" : "NUMA domain", number, has, to_text(granted_))};
    }

    const NodeShape& shape_;
    const TaskBind& bind_;
    PuSet granted_;
    std::vector<CoreSet> groups_;
};

}  // namespace detail

/// The hardware threads on which each of `tasks` may run, in their order. All are the job's on the
/// task's node.
///
/// - none: all of them. threads: the task's own.
/// - cores, l3, numa, sockets: those of each such unit that has one of the task's cores. Tasks that
///   share a unit share its threads.
/// - rank: task i of the node has the i-th thread: the first of each core by rising cores, then the
///   second of each. rank_numa: those of the i-th NUMA domain of which the job has a core.
/// - map, mask, map_numa, mask_numa: the tasks of a node take the elements of the list in turn.
/// Ranks and lists begin from the start again when they end. A job that has no thread in particular
/// (thousandths of CPUs) has tasks without any: an empty set.
///
/// Returns a refusal (Constraint::cores, `node n1: ...`) when a list names a CPU that is none of
/// the job's, or a NUMA domain without any; Slurm leaves such a CPU out, and where nothing is left
/// gives all. Requires: check(bind) is ok; the placement's nodes (by NodeId) exist; tasks, by
/// number, are those of layout_tasks for this placement.
[[nodiscard]] inline Verdict<std::vector<PuSet>> bind_cpus(std::span<const Node> nodes,
                                                           const Placement& placement,
                                                           std::span<const TaskPlacement> tasks,
                                                           const TaskBind& bind) {
    TRESTLE_EXPECTS(check(bind).ok(), "the binding can be meant");
    std::vector<PuSet> bound(tasks.size());
    for (const NodePlacement& part : placement.nodes) {
        TRESTLE_EXPECTS(part.node.value() < nodes.size(), "the node exists");
        const Node& node = nodes[part.node.value()];
        const detail::NodeCpuBind on_node(*node.shape, part, bind);
        std::size_t local = 0;
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            if (tasks[i].node != part.node) continue;
            auto threads = on_node.run(local++, tasks[i]);
            if (!threads) {
                return Refusal{threads.refusal().constraint,
                               fmt::format("node {}: {}", node.name, threads.refusal().reason)};
            }
            bound[i] = *std::move(threads);
        }
    }
    return bound;
}

}  // namespace trestle
