// SPDX-License-Identifier: Apache-2.0
#pragma once

// cgroup.conf: what of an allocation is enforced, and how its memory becomes limits.
//
// Layer: dialect/slurm. Main names: CgroupConf, read_cgroup_conf, limit_policy, memory_limits.
// Pitfall: without the file nothing is constrained; AllowedSwapSpace is a part of the memory
// allocated and not of the swap that there is.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/conf_error.hpp"
#include "trestle/enforce/limits/limits.hpp"

namespace trestle::slurm {

/// The values of the file; the defaults are Slurm's. Percentages may have a fraction.
struct CgroupConf {
    bool constrains_cores = false;            ///< ConstrainCores
    bool constrains_devices = false;          ///< ConstrainDevices
    bool constrains_memory = false;           ///< ConstrainRAMSpace
    bool constrains_swap = false;             ///< ConstrainSwapSpace
    double allowed_memory_percent = 100;      ///< AllowedRAMSpace, of what is allocated
    double allowed_swap_percent = 0;          ///< AllowedSwapSpace, of what is allocated
    double max_memory_percent = 100;          ///< MaxRAMPercent, of what the node has
    double max_swap_percent = 100;            ///< MaxSwapPercent, of what the node has
    Bytes min_memory = mib(30);               ///< MinRAMSpace
    std::optional<std::uint32_t> swappiness;  ///< MemorySwappiness, 0 to 100
    bool signals_children = false;            ///< SignalChildrenProcesses
    std::vector<PassthroughKey> passthrough;  ///< CgroupPlugin, CgroupMountpoint, ...

    static constexpr auto fields(auto list) {
        return list(field("constrains_cores", &CgroupConf::constrains_cores),
                    field("constrains_devices", &CgroupConf::constrains_devices),
                    field("constrains_memory", &CgroupConf::constrains_memory),
                    field("constrains_swap", &CgroupConf::constrains_swap),
                    field("allowed_memory_percent", &CgroupConf::allowed_memory_percent),
                    field("allowed_swap_percent", &CgroupConf::allowed_swap_percent),
                    field("max_memory_percent", &CgroupConf::max_memory_percent),
                    field("max_swap_percent", &CgroupConf::max_swap_percent),
                    field("min_memory", &CgroupConf::min_memory),
                    field("swappiness", &CgroupConf::swappiness),
                    field("signals_children", &CgroupConf::signals_children),
                    field("passthrough", &CgroupConf::passthrough));
    }
    friend bool operator==(const CgroupConf&, const CgroupConf&) = default;
};

/// What could be read, and every error.
struct CgroupConfReading {
    CgroupConf conf;
    std::vector<ConfError> errors;

    static constexpr auto fields(auto list) {
        return list(field("conf", &CgroupConfReading::conf),
                    field("errors", &CgroupConfReading::errors));
    }
    friend bool operator==(const CgroupConfReading&, const CgroupConfReading&) = default;
};

/// Reads every line, whatever the others hold; of a key that stands twice the later one counts.
/// Errors: an unknown key, a malformed value.
[[nodiscard]] CgroupConfReading read_cgroup_conf(std::string_view text,
                                                 const ConfFiles& files = {});
/// The same, where one error is enough. Errors: InvalidArgument with the first one,
/// `cgroup.conf line 3: ... (and 2 more)`.
[[nodiscard]] StatusOr<CgroupConf> parse_cgroup_conf(std::string_view text,
                                                     const ConfFiles& files = {});

/// What dies when a step has no memory left: the process that the kernel chooses, or the step
/// (--oom-kill-step).
enum class OomKills { process, step };

constexpr auto enum_names(OomKills) {
    return std::array{named(OomKills::process, "process"), named(OomKills::step, "step")};
}

/// How placements are limited: what is constrained is required, all else skipped; percentages and
/// bounds are the policy's memory_rule. Two things differ from Slurm: devices are denied unless
/// they were given, also those that no gres.conf names. And a placement without memory has no limit
/// of it, where Slurm takes all of the node's.
[[nodiscard]] LimitPolicy limit_policy(const CgroupConf& conf, OomKills oom = OomKills::process);

/// The limits of memory that the kernel gets; absent: none.
struct MemoryLimits {
    std::optional<Bytes> max;       ///< memory.max
    std::optional<Bytes> high;      ///< memory.high
    std::optional<Bytes> swap_max;  ///< memory.swap.max

    static constexpr auto fields(auto list) {
        return list(field("max", &MemoryLimits::max), field("high", &MemoryLimits::high),
                    field("swap_max", &MemoryLimits::swap_max));
    }
    friend bool operator==(const MemoryLimits&, const MemoryLimits&) = default;
};

/// The limits of a job or step with so much memory, 0 for all of the node's, on a node with
/// `real_memory` (task_cgroup_memory.c). `max`: allocated x AllowedRAMSpace, between MinRAMSpace
/// and the node's x MaxRAMPercent. `high`: the same of 100 %, max at most. `swap_max`: what
/// allocated x AllowedSwapSpace adds to max, as far as the node's x (MaxRAMPercent +
/// MaxSwapPercent) lets it. With ConstrainSwapSpace alone, memory and swap together have one limit.
/// cgroup v2 expresses it only as max with a swap_max of 0, as Slurm does.
[[nodiscard]] MemoryLimits memory_limits(const CgroupConf& conf, Bytes allocated,
                                         Bytes real_memory);

}  // namespace trestle::slurm
