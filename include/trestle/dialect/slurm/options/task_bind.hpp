// SPDX-License-Identifier: Apache-2.0
#pragma once

// --cpu-bind and --mem-bind for the tasks of a job, in the terms of the allocator and the plan.
//
// Layer: dialect/slurm. Main functions: cpu_bind_of, memory_policy_of.
// Pitfall: what a user leaves out is not a binding: Slurm's default comes from its configuration,
// and is the caller's to say.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "trestle/alloc/node/job/cpu_bind.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/options/values.hpp"
#include "trestle/enforce/process/memory_policy.hpp"
#include "trestle/set/small_set.hpp"
#include "trestle/set/text.hpp"

namespace trestle::slurm {

/// What bind_cpus takes; absent where only a report was asked for.
[[nodiscard]] inline std::optional<trestle::TaskBind> cpu_bind_of(const CpuBind& bind) {
    if (!bind.rule) return std::nullopt;
    const auto to = [&] {
        switch (*bind.rule) {
            case CpuBindRule::none:
                return TaskBind::To::none;
            case CpuBindRule::threads:
                return TaskBind::To::threads;
            case CpuBindRule::cores:
                return TaskBind::To::cores;
            case CpuBindRule::sockets:
                return TaskBind::To::sockets;
            case CpuBindRule::ldoms:
                return TaskBind::To::numa;
            case CpuBindRule::rank:
                return TaskBind::To::rank;
            case CpuBindRule::rank_ldom:
                return TaskBind::To::rank_numa;
            case CpuBindRule::map_cpu:
                return TaskBind::To::map;
            case CpuBindRule::map_ldom:
                return TaskBind::To::map_numa;
            case CpuBindRule::mask_cpu:
                return TaskBind::To::mask;
            case CpuBindRule::mask_ldom:
                break;
        }
        return TaskBind::To::mask_numa;
    };
    return trestle::TaskBind{to(), bind.map, bind.masks};
}

/// The memory policy of task `local` of a node, of which `granted` are the job's NUMA nodes. Absent
/// for none and where no rule was given. `local`: near the CPU that asks. `rank`: task i has the
/// i-th of the job's nodes. `map_mem` and mask_mem: the tasks of a node take the elements of the
/// list in turn. All begin from the start again. With prefer, others serve when these are full.
/// Errors: InvalidArgument when a list names a NUMA node that is none of the job's, and for an
/// empty one.
[[nodiscard]] inline StatusOr<std::optional<MemoryPolicy>> memory_policy_of(
    const MemBind& bind, std::size_t local, const SmallSet<OsIndex>& granted) {
    if (!bind.rule || *bind.rule == MemBindRule::none) return std::optional<MemoryPolicy>();
    if (*bind.rule == MemBindRule::local)
        return std::optional(MemoryPolicy{MemoryPolicy::Mode::local, {}});
    MemoryPolicy policy{
        bind.is_preferred ? MemoryPolicy::Mode::preferred : MemoryPolicy::Mode::bind, {}};
    SmallSet<> wanted;
    if (*bind.rule == MemBindRule::rank && !granted.is_empty()) {
        policy.nodes.insert(*granted.nth(static_cast<std::uint32_t>(local % granted.count())));
    }
    if (*bind.rule == MemBindRule::map_mem && !bind.map.empty()) {
        const std::uint32_t node = bind.map[local % bind.map.size()];
        if (node >= wanted.index_limit) {
            return invalid_argument("--mem-bind: NUMA node {} is none of the job's {}", node,
                                    to_text(granted));
        }
        wanted.insert(node);
    }
    if (*bind.rule == MemBindRule::mask_mem && !bind.masks.empty()) {
        wanted = bind.masks[local % bind.masks.size()];
    }
    for (const std::uint32_t node : wanted) {
        if (!granted.contains(OsIndex(node))) {
            return invalid_argument("--mem-bind: NUMA node {} is none of the job's {}", node,
                                    to_text(granted));
        }
        policy.nodes.insert(OsIndex(node));
    }
    if (policy.nodes.is_empty()) {
        return invalid_argument("--mem-bind: {} without a NUMA node", trestle::to_text(*bind.rule));
    }
    return std::optional(std::move(policy));
}

}  // namespace trestle::slurm
