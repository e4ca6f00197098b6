// SPDX-License-Identifier: Apache-2.0
#pragma once

// Limits: the numbers that the kernel gets for one placement, and the source of each.
//
// Layer: enforce. Main types: Limits, and LimitPolicy of its own header; limits_of turns a
// placement into limits, explain_limits (its own header) says what each of them means.
// Pitfall: a limit is never looser than what was granted, also when the request is the source,
// unless a MemoryRule says so. An absent limit is not a limit of 0.

#include <optional>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/enforce/limits/limit_policy.hpp"
#include "trestle/enforce/limits/resource_limits.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// What is written to the kernel. Absent or empty: nothing is written.
struct Limits {
    PuSet cpus;                       ///< hardware threads
    SmallSet<OsIndex> mems;           ///< NUMA nodes
    std::optional<MilliCpu> cpu_max;  ///< CPU time
    std::optional<Bytes> memory_max;
    std::optional<Bytes> swap_max;
    bool is_oom_group = false;
    std::optional<Count> pids_max;
    std::optional<Bytes> memory_high;  ///< below memory_max: from here on the group is slowed down
    std::optional<Bytes> memory_low;   ///< kept from others while there is other memory to take
    std::optional<Bytes> memory_min;   ///< kept from others in any case
    std::optional<Count> cpu_weight;   ///< 1 to 10000
    CpusetPartition partition = CpusetPartition::member;  ///< another only where CPUs are named
    std::vector<IoLimit> io;
    std::optional<Count> io_weight;  ///< 1 to 10000
    std::vector<HugetlbLimit> hugetlb;
    std::vector<RdmaLimit> rdma;
    std::vector<MiscLimit> misc;

    static constexpr auto fields(auto list) {
        return list(
            field("cpus", &Limits::cpus), field("mems", &Limits::mems),
            field("cpu_max", &Limits::cpu_max), field("memory_max", &Limits::memory_max),
            field("swap_max", &Limits::swap_max), field("is_oom_group", &Limits::is_oom_group),
            field("pids_max", &Limits::pids_max), field("memory_high", &Limits::memory_high),
            field("memory_low", &Limits::memory_low), field("memory_min", &Limits::memory_min),
            field("cpu_weight", &Limits::cpu_weight), field("partition", &Limits::partition),
            field("io", &Limits::io), field("io_weight", &Limits::io_weight),
            field("hugetlb", &Limits::hugetlb), field("rdma", &Limits::rdma),
            field("misc", &Limits::misc));
    }
    friend bool operator==(const Limits&, const Limits&) = default;
};

/// The memory that `request` asks of the node of `placement`, the lower end of its range. It is the
/// upper end where there is no lower one, and 0 for no range at all. Per node it counts as it
/// stands, per CPU times the hardware threads granted, per device times the devices granted.
/// Bytes::max() when the product exceeds it.
[[nodiscard]] Bytes asked_memory(const Request& request, const NodeShape& shape,
                                 const NodePlacement& placement);

/// The limits of one placement. A placement with cores only is limited to their threads, and with
/// has_cpu_quota to their time. A placement with thousandths of CPUs may use any CPU. Its time is
/// limited, that of its cores included. There is no set of CPUs and no partition. Memory is limited
/// to what was requested (LimitPolicy::Source::request, never above the grant) or granted
/// (capacity). The policy's rule may change that number. memory_high is set if it is less than the
/// limit. No memory means no limit. All other limits are those of the policy. Requires: the
/// placement fits the shape (see check in plan.hpp). A policy is taken as it is, also one that
/// check() refuses.
[[nodiscard]] Limits limits_of(const Request& request, const NodeShape& shape,
                               const NodePlacement& placement, const LimitPolicy& policy);

}  // namespace trestle
