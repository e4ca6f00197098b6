// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/limits/limits.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "enforce/device/taken.hpp"
#include "enforce/limits/memory_bounds.hpp"
#include "trestle/enforce/limits/memory_rule.hpp"
#include "trestle/enforce/limits/requirements.hpp"

namespace trestle {

Bytes asked_memory(const Request& request, const NodeShape& shape, const NodePlacement& placement) {
    const Bytes asked =
        request.memory.min ? *request.memory.min : request.memory.max.value_or(Bytes());
    std::int64_t units = 1;
    if (request.memory_per == Per::cpu) units = threads_of(shape, placement).count();
    if (request.memory_per == Per::device) {
        units = static_cast<std::int64_t>(placement.devices.size());
    }
    return checked_mul(asked, units).value_or(Bytes::max());
}

namespace {

void add_cpu_limits(const NodeShape& shape, const NodePlacement& placement,
                    const LimitPolicy& policy, Limits& limits) {
    if (policy.requirements.cpu == Requirement::skip) return;
    const PuSet threads = threads_of(shape, placement);
    const bool is_anywhere = !placement.milli_cpus.is_zero();
    if (!is_anywhere) limits.cpus = threads;
    if (is_anywhere || policy.has_cpu_quota) {
        limits.cpu_max = cpus(threads.count()) + placement.milli_cpus;
    }
    for (const MemoryShare& share : placement.memory) {
        limits.mems.insert(detail::domain_of(shape, share).os_index);
    }
    limits.cpu_weight = policy.cpu_weight;
    if (policy.requirements.partition != Requirement::skip && !limits.cpus.is_empty()) {
        limits.partition = policy.partition;
    }
}

/// `memory` is the basis of the limit; zero: no limit.
void add_memory_limits(const NodeShape& shape, Bytes memory, const LimitPolicy& policy,
                       Limits& limits) {
    if (policy.requirements.memory == Requirement::skip) return;
    if (!memory.is_zero()) {
        MemoryBounds bounds{memory, memory, policy.swap};
        if (policy.memory_rule) {
            bounds = bounds_of(*policy.memory_rule, memory, shape.total_memory());
        }
        limits.memory_max = bounds.max;
        if (bounds.high < bounds.max) limits.memory_high = bounds.high;
        limits.is_oom_group = policy.has_oom_group;
        if (policy.requirements.swap != Requirement::skip) limits.swap_max = bounds.swap;
    }
    const Bytes most = limits.memory_max.value_or(Bytes::max());
    const auto at_most = [&](const std::optional<Bytes>& bytes) {
        return bytes ? std::optional(std::min(*bytes, most)) : bytes;
    };
    limits.memory_low = at_most(policy.memory_low);
    limits.memory_min = at_most(policy.memory_min);
    if (policy.memory_high && *policy.memory_high < limits.memory_high.value_or(most)) {
        limits.memory_high = policy.memory_high;
    }
}

/// What the policy alone says.
void add_other_limits(const LimitPolicy& policy, Limits& limits) {
    const Requirements& required = policy.requirements;
    if (required.pids != Requirement::skip) limits.pids_max = policy.pids_max;
    if (required.io != Requirement::skip) {
        limits.io = policy.io;
        limits.io_weight = policy.io_weight;
    }
    if (required.hugetlb != Requirement::skip) limits.hugetlb = policy.hugetlb;
    if (required.rdma != Requirement::skip) limits.rdma = policy.rdma;
    if (required.misc != Requirement::skip) limits.misc = policy.misc;
}

}  // namespace

Limits limits_of(const Request& request, const NodeShape& shape, const NodePlacement& placement,
                 const LimitPolicy& policy) {
    Limits limits;
    add_cpu_limits(shape, placement, policy, limits);
    const Bytes granted = placement.total_memory();
    const Bytes memory = policy.source == LimitPolicy::Source::capacity
                             ? granted
                             : std::min(granted, asked_memory(request, shape, placement));
    add_memory_limits(shape, memory, policy, limits);
    add_other_limits(policy, limits);
    return limits;
}

}  // namespace trestle
