// SPDX-License-Identifier: Apache-2.0
#pragma once

// Limits: which numbers the kernel is told for one placement, and whose numbers they are.
//
// Layer: enforce. Main types: LimitPolicy, Limits; limits_of turns a placement into limits,
// explain_limits (its own header) says what each of them means.
// A reader would get wrong: a limit is never looser than what was granted, also when the request
// is the source, unless a MemoryRule says so; and an absent limit is not a limit of 0.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/enforce/detail/taken.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// Whose number becomes the limit. Slurm: ask for 16 GB, get 16 GB. dstack: ask for `200GB..`, get
/// all of the 256 GB that the offer or block has.
enum class LimitSource { request, capacity };

constexpr auto enum_names(LimitSource) {
    return std::array{named(LimitSource::request, "request"),
                      named(LimitSource::capacity, "capacity")};
}

/// What happens when the machine cannot enforce something.
enum class Requirement {
    require,      ///< the plan fails and nothing of it is left
    best_effort,  ///< go on, and report it
    skip,         ///< do not try
};

constexpr auto enum_names(Requirement) {
    return std::array{named(Requirement::require, "require"),
                      named(Requirement::best_effort, "best_effort"),
                      named(Requirement::skip, "skip")};
}

/// How much each resource's enforcement matters.
struct Requirements {
    Requirement cpu = Requirement::require;
    Requirement memory = Requirement::require;
    Requirement swap = Requirement::require;
    Requirement pids = Requirement::require;
    Requirement devices = Requirement::require;

    [[nodiscard]] static constexpr Requirements all(Requirement r) { return {r, r, r, r, r}; }

    static constexpr auto fields(auto list) {
        return list(field("cpu", &Requirements::cpu), field("memory", &Requirements::memory),
                    field("swap", &Requirements::swap), field("pids", &Requirements::pids),
                    field("devices", &Requirements::devices));
    }
    friend bool operator==(const Requirements&, const Requirements&) = default;
};

/// The whole in parts per million, the unit of the parts in a MemoryRule.
inline constexpr std::int64_t whole_ppm = 1'000'000;

/// How memory becomes limits that are not simply it, in parts of it and of what the node has. Parts
/// are per million, one below 0 counts as 0; what they come to is rounded down.
struct MemoryRule {
    std::int64_t max_ppm = whole_ppm;        ///< of the memory: where the group has no more
    std::int64_t swap_ppm = 0;               ///< of the memory: swap beside that
    Bytes least = {};                        ///< no limit is lower, whatever the node has
    std::int64_t node_ppm = whole_ppm;       ///< of what the node has: the most memory
    std::int64_t node_swap_ppm = whole_ppm;  ///< of what the node has: the most swap, beside that
    /// Swap counts as memory: one limit for both, all of which may be memory.
    bool has_one_limit = false;

    static constexpr auto fields(auto list) {
        return list(field("max_ppm", &MemoryRule::max_ppm),
                    field("swap_ppm", &MemoryRule::swap_ppm), field("least", &MemoryRule::least),
                    field("node_ppm", &MemoryRule::node_ppm),
                    field("node_swap_ppm", &MemoryRule::node_swap_ppm),
                    field("has_one_limit", &MemoryRule::has_one_limit));
    }
    friend bool operator==(const MemoryRule&, const MemoryRule&) = default;
};

/// What a rule comes to.
struct MemoryBounds {
    Bytes max;   ///< over it the group dies
    Bytes high;  ///< over it the group is slowed down; max at most
    Bytes swap;  ///< beside max
};

namespace detail {

/// A part of the whole, saturating; one below 0 is nothing.
[[nodiscard]] inline Bytes part_of(Bytes whole, std::int64_t ppm) {
    ppm = std::max<std::int64_t>(ppm, 0);
    const auto millions = checked_mul(Bytes(whole.value() / whole_ppm), ppm);
    const auto rest = checked_mul(Bytes(whole.value() % whole_ppm), ppm);
    if (!millions || !rest) return Bytes::max();
    return saturating_add(*millions, Bytes(rest->value() / whole_ppm));
}

}  // namespace detail

/// The limits of so much memory on a node that has `node_memory`. max: the memory x max_ppm;
/// high: the memory itself, as far as max lets it; swap: what the memory x swap_ppm adds to
/// max. All between `least`, which wins, and the node's parts.
[[nodiscard]] inline MemoryBounds bounds_of(const MemoryRule& rule, Bytes memory,
                                            Bytes node_memory) {
    const auto between = [&](Bytes bytes, Bytes most) {
        return std::max(rule.least, std::min(bytes, most));
    };
    const Bytes most = detail::part_of(node_memory, rule.node_ppm);
    const Bytes most_swap = detail::part_of(node_memory, rule.node_swap_ppm);
    const Bytes max = between(detail::part_of(memory, rule.max_ppm), most);
    const Bytes swap = detail::part_of(memory, rule.swap_ppm);
    const Bytes both = between(saturating_add(max, swap), saturating_add(most, most_swap));
    if (rule.has_one_limit) return {both, both, Bytes()};
    return {max, std::min(between(memory, most), max), saturating_sub(both, max)};
}

/// How an embedder wants placements to be limited.
struct LimitPolicy {
    LimitSource source = LimitSource::request;
    Bytes swap = {};                     ///< beside the memory; 0: memory is never swapped out
    bool has_oom_group = true;           ///< over memory: all processes of the group die, not one
    bool has_cpu_quota = false;          ///< also limit CPU time, beside naming the CPUs
    std::optional<Count> pids_max = {};  ///< processes and threads; absent: no limit
    Requirements requirements = {};
    std::optional<MemoryRule> memory_rule = {};  ///< then `swap` is not looked at

    static constexpr auto fields(auto list) {
        return list(field("source", &LimitPolicy::source), field("swap", &LimitPolicy::swap),
                    field("has_oom_group", &LimitPolicy::has_oom_group),
                    field("has_cpu_quota", &LimitPolicy::has_cpu_quota),
                    field("pids_max", &LimitPolicy::pids_max),
                    field("requirements", &LimitPolicy::requirements),
                    field("memory_rule", &LimitPolicy::memory_rule));
    }
    friend bool operator==(const LimitPolicy&, const LimitPolicy&) = default;
};

/// What the kernel is told. Absent or empty: it is told nothing.
struct Limits {
    PuSet cpus;                       ///< hardware threads
    SmallSet<OsIndex> mems;           ///< NUMA nodes
    std::optional<MilliCpu> cpu_max;  ///< CPU time
    std::optional<Bytes> memory_max;
    std::optional<Bytes> swap_max;
    bool is_oom_group = false;
    std::optional<Count> pids_max;
    std::optional<Bytes> memory_high;  ///< below memory_max: from here on the group is slowed down

    static constexpr auto fields(auto list) {
        return list(
            field("cpus", &Limits::cpus), field("mems", &Limits::mems),
            field("cpu_max", &Limits::cpu_max), field("memory_max", &Limits::memory_max),
            field("swap_max", &Limits::swap_max), field("is_oom_group", &Limits::is_oom_group),
            field("pids_max", &Limits::pids_max), field("memory_high", &Limits::memory_high));
    }
    friend bool operator==(const Limits&, const Limits&) = default;
};

/// The memory that `request` asks of the node of `placement`, the lower end of its range (the upper
/// one where there is no lower; 0 for no range at all): per node as it stands, per CPU
/// times the hardware threads granted, per device times the devices granted.
/// Bytes::max() when the product exceeds it.
[[nodiscard]] inline Bytes asked_memory(const Request& request, const NodeShape& shape,
                                        const NodePlacement& placement) {
    const Bytes asked =
        request.memory.min ? *request.memory.min : request.memory.max.value_or(Bytes());
    std::int64_t units = 1;
    if (request.memory_per == Per::cpu) units = threads_of(shape, placement).count();
    if (request.memory_per == Per::device) {
        units = static_cast<std::int64_t>(placement.devices.size());
    }
    return checked_mul(asked, units).value_or(Bytes::max());
}

/// The limits of one placement. One with cores only may use their threads, and with has_cpu_quota
/// as much time as these have. One with thousandths of CPUs has these on any CPU, so its time is
/// limited, that of its cores included, and no set of CPUs is named. Memory is limited to what was
/// asked (LimitSource::request, never above the grant) or granted (capacity), or to what the
/// policy's rule makes of that, with memory_high where it is less than the limit; where that is
/// nothing there is no limit. Requires: the placement fits the shape (see check in plan.hpp).
[[nodiscard]] inline Limits limits_of(const Request& request, const NodeShape& shape,
                                      const NodePlacement& placement, const LimitPolicy& policy) {
    const Requirements& required = policy.requirements;
    Limits limits;
    if (required.cpu != Requirement::skip) {
        const PuSet threads = threads_of(shape, placement);
        const bool is_anywhere = !placement.milli_cpus.is_zero();
        if (!is_anywhere) limits.cpus = threads;
        if (is_anywhere || policy.has_cpu_quota) {
            limits.cpu_max = cpus(threads.count()) + placement.milli_cpus;
        }
        for (const MemoryShare& share : placement.memory) {
            limits.mems.insert(detail::domain_of(shape, share).os_index);
        }
    }
    const Bytes granted = placement.total_memory();
    const Bytes memory = policy.source == LimitSource::capacity
                             ? granted
                             : std::min(granted, asked_memory(request, shape, placement));
    if (required.memory != Requirement::skip && !memory.is_zero()) {
        MemoryBounds bounds{memory, memory, policy.swap};
        if (policy.memory_rule) {
            bounds = bounds_of(*policy.memory_rule, memory, shape.total_memory());
        }
        limits.memory_max = bounds.max;
        if (bounds.high < bounds.max) limits.memory_high = bounds.high;
        limits.is_oom_group = policy.has_oom_group;
        if (required.swap != Requirement::skip) limits.swap_max = bounds.swap;
    }
    if (required.pids != Requirement::skip) limits.pids_max = policy.pids_max;
    return limits;
}

}  // namespace trestle
