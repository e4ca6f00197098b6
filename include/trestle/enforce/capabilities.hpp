// SPDX-License-Identifier: Apache-2.0
#pragma once

// Capabilities: what a machine offers for enforcement, as a value that plans are made for.
//
// Layer: enforce. Main type: Capabilities. os::probe_cgroup fills it by looking; a scheduler keeps
// it beside the node. plan() leaves out best-effort steps that it rules out.
// Pitfall: it stands for what was seen then. A machine may still refuse a step of a plan that was
// made for it, and apply reports that.

#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/enforce/step.hpp"

namespace trestle {

/// What groups below one directory can have. A default one offers nothing but groups.
struct Capabilities {
    std::string kernel = {};                    ///< its version as it says it: `6.12.117-amd64`
    std::vector<std::string> controllers = {};  ///< that groups below can have, by name
    /// The directory is not the top of its hierarchy: another manager delegated it, and its own
    /// attributes must not be written.
    bool is_delegated = false;
    std::string no_device_filter = {};        ///< why no device filter can be loaded; empty: it can
    bool has_kill = false;                    ///< cgroup.kill, Linux 5.14
    bool has_peak = false;                    ///< memory.peak, 5.19
    bool can_reset_peak = false;              ///< 6.12
    bool has_exclusive_cpus = false;          ///< cpuset.cpus.exclusive, 6.7; no plan uses it
    bool can_limit_swap = false;              ///< memory.swap.max
    bool has_swap = false;                    ///< there is swap space
    bool has_pressure = false;                ///< PSI: cpu.pressure and so on
    bool has_user_xattrs = false;             ///< user.* attributes of groups, 5.7
    bool has_io_weight = false;               ///< io.weight; needs the iocost controller
    bool has_hugetlb_reservation = false;     ///< hugetlb.<size>.rsvd.max, 5.7
    std::vector<Bytes> huge_page_sizes = {};  ///< rising
    bool can_start_inside = false;            ///< clone3 with CLONE_INTO_CGROUP, 5.7

    static constexpr auto fields(auto list) {
        return list(field("kernel", &Capabilities::kernel),
                    field("controllers", &Capabilities::controllers),
                    field("is_delegated", &Capabilities::is_delegated),
                    field("no_device_filter", &Capabilities::no_device_filter),
                    field("has_kill", &Capabilities::has_kill),
                    field("has_peak", &Capabilities::has_peak),
                    field("can_reset_peak", &Capabilities::can_reset_peak),
                    field("has_exclusive_cpus", &Capabilities::has_exclusive_cpus),
                    field("can_limit_swap", &Capabilities::can_limit_swap),
                    field("has_swap", &Capabilities::has_swap),
                    field("has_pressure", &Capabilities::has_pressure),
                    field("has_user_xattrs", &Capabilities::has_user_xattrs),
                    field("has_io_weight", &Capabilities::has_io_weight),
                    field("has_hugetlb_reservation", &Capabilities::has_hugetlb_reservation),
                    field("huge_page_sizes", &Capabilities::huge_page_sizes),
                    field("can_start_inside", &Capabilities::can_start_inside));
    }
    friend bool operator==(const Capabilities&, const Capabilities&) = default;
};

}  // namespace trestle
