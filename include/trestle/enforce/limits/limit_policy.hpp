// SPDX-License-Identifier: Apache-2.0
#pragma once

// LimitPolicy: how an embedder wants placements to be limited, and what a request does not know.
//
// Layer: enforce. Main types: LimitPolicy, LimitPolicy::Source; check() refuses what the kernel
// would.
// Pitfall: numbers of the policy are for one group on one machine, whatever its placement.
// What grows with a placement, CPUs and memory, is not here.

#include <array>
#include <optional>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/enforce/limits/memory_rule.hpp"
#include "trestle/enforce/limits/requirements.hpp"
#include "trestle/enforce/limits/resource_limits.hpp"

namespace trestle {

/// How an embedder wants placements to be limited.
struct LimitPolicy {
    /// Whose number becomes the limit. Slurm: ask for 16 GB, get 16 GB. dstack: ask for `200GB..`,
    /// get all of the 256 GB that the offer or block has.
    enum class Source { request, capacity };

    Source source = Source::request;
    Bytes swap = {};                     ///< beside the memory; 0: memory is never swapped out
    bool has_oom_group = true;           ///< over memory: all processes of the group die, not one
    bool has_cpu_quota = false;          ///< also limit CPU time, beside naming the CPUs
    std::optional<Count> pids_max = {};  ///< processes and threads; absent: no limit
    Requirements requirements = {};
    std::optional<MemoryRule> memory_rule = {};  ///< then `swap` is not looked at
    std::optional<Count> cpu_weight = {};        ///< 1 to 10000; see cpu_weight_of_shares
    /// Memory that others cannot take from the group by needing more: as long as there is
    /// other memory to reclaim (low), or at all (min). Never more than the group's limit.
    std::optional<Bytes> memory_low = {};
    std::optional<Bytes> memory_min = {};
    /// From here on the group is slowed down; with a rule, the lower of the two.
    std::optional<Bytes> memory_high = {};
    /// Whether others may use the CPUs; nothing for a placement without CPUs of its own.
    CpusetPartition partition = CpusetPartition::member;
    std::vector<IoLimit> io = {};            ///< one for each block device
    std::optional<Count> io_weight = {};     ///< 1 to 10000, for every block device
    std::vector<HugetlbLimit> hugetlb = {};  ///< one for each size
    std::vector<RdmaLimit> rdma = {};        ///< one for each device
    std::vector<MiscLimit> misc = {};        ///< one for each name

    static constexpr auto fields(auto list) {
        return list(field("source", &LimitPolicy::source), field("swap", &LimitPolicy::swap),
                    field("has_oom_group", &LimitPolicy::has_oom_group),
                    field("has_cpu_quota", &LimitPolicy::has_cpu_quota),
                    field("pids_max", &LimitPolicy::pids_max),
                    field("requirements", &LimitPolicy::requirements),
                    field("memory_rule", &LimitPolicy::memory_rule),
                    field("cpu_weight", &LimitPolicy::cpu_weight),
                    field("memory_low", &LimitPolicy::memory_low),
                    field("memory_min", &LimitPolicy::memory_min),
                    field("memory_high", &LimitPolicy::memory_high),
                    field("partition", &LimitPolicy::partition), field("io", &LimitPolicy::io),
                    field("io_weight", &LimitPolicy::io_weight),
                    field("hugetlb", &LimitPolicy::hugetlb), field("rdma", &LimitPolicy::rdma),
                    field("misc", &LimitPolicy::misc));
    }
    friend bool operator==(const LimitPolicy&, const LimitPolicy&) = default;
};

constexpr auto enum_names(LimitPolicy::Source) {
    return std::array{named(LimitPolicy::Source::request, "request"),
                      named(LimitPolicy::Source::capacity, "capacity")};
}

/// Ok when the kernel could take every number of the policy. Whether this machine has the devices
/// and page sizes is not looked at.
/// Errors: InvalidArgument that names the first breach: field, what it has, what was expected.
[[nodiscard]] Status check(const LimitPolicy& policy);

}  // namespace trestle
