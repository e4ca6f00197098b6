// SPDX-License-Identifier: Apache-2.0
#pragma once

// Units: a description of the same machine in which something else than a core is handed out.
//
// Layer: model. Main function: with_unit(shape, level). Slurm's SelectType parameters choose among
// CR_CPU (threads), CR_Core and CR_Socket; here it is a change of the shape, so that everything
// behind it (fit, usage, layout) knows one kind of unit, the "core" of the changed shape.
// A reader would get wrong: a CoreId of the changed shape is not one of the original. Hardware
// threads are the same in both: threads_of(changed, placement) is what the kernel is told.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "trestle/model/hardware.hpp"
#include "trestle/model/locality.hpp"
#include "trestle/model/node.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

namespace detail {

/// The new cores that each old core is in: several where cores are split, one where they are
/// joined.
class UnitMap {
  public:
    explicit UnitMap(std::size_t cores) : units_(cores) {}

    void add(CoreId core, std::uint32_t unit) { units_[core.value()].insert(CoreId(unit)); }

    /// The units with a part in `cores`.
    [[nodiscard]] CoreSet touched(const CoreSet& cores) const {
        CoreSet units;
        for (const CoreId core : cores) units |= units_[core.value()];
        return units;
    }
    /// True when no unit lies partly inside and partly outside of `cores`.
    [[nodiscard]] bool is_made_of_units(const CoreSet& cores) const {
        const CoreSet all = CoreSet::range({0, static_cast<std::uint32_t>(units_.size())});
        return !touched(cores).intersects(touched(all - cores));
    }

  private:
    std::vector<CoreSet> units_;  ///< by old CoreId
};

[[nodiscard]] inline UnitMap split_into_threads(const NodeShape& shape, HardwareTree& made) {
    UnitMap map(shape.hardware.cores.size());
    CoreSet grouped;
    for (const CoreGroup& group : shape.hardware.groups) {
        if (group.level == HardwareLevel::core) grouped |= group.cores;
    }
    for (const CoreId core : shape.hardware.all_cores()) {
        CoreSet threads;
        for (const OsIndex thread : shape.hardware.cores[core.value()].threads) {
            threads.insert(CoreId(made.core_count()));
            map.add(core, made.core_count());
            made.cores.push_back({{thread}, shape.hardware.cores[core.value()].kind});
        }
        if (grouped.contains(core)) continue;
        made.groups.push_back({HardwareLevel::core, OsIndex(core.value()), std::move(threads)});
    }
    return map;
}

[[nodiscard]] inline UnitMap join_groups(const NodeShape& shape, HardwareLevel level,
                                         HardwareTree& made) {
    UnitMap map(shape.hardware.cores.size());
    for (const CoreSet& group : core_groups(shape, level)) {
        for (const CoreSet& cores : {group - shape.system_cores, group & shape.system_cores}) {
            if (cores.is_empty()) continue;
            Core unit{{}, shape.hardware.cores[cores.first()->value()].kind};
            for (const CoreId core : cores) {
                map.add(core, made.core_count());
                unit.kind = std::min(unit.kind, shape.hardware.cores[core.value()].kind);
            }
            for (const OsIndex thread : shape.hardware.threads_of(cores)) {
                unit.threads.push_back(thread);
            }
            made.cores.push_back(std::move(unit));
        }
    }
    return map;
}

}  // namespace detail

/// `shape` in which the groups of `level` are what is handed out, each as one core.
///
/// thread: every hardware thread is a core of its own; those of an old core form a group of level
/// core. core: the shape as it is. Wider levels: the cores of each group of core_groups(shape,
/// level) are joined, by lowest core; what the system keeps of a group becomes a unit of its own,
/// so that the rest of the group can be given.
///
/// Sets of cores become the units that have a part in them: near to one core of a unit is near to
/// the unit, and a core reserved for a device reserves its unit. Groups that cut a unit, which are
/// those of narrower levels, are left out. Memory, devices and links stay.
/// Requires: check(shape) is ok. Complexity: linear in cores times groups.
[[nodiscard]] inline NodeShape with_unit(const NodeShape& shape, HardwareLevel level) {
    if (level == HardwareLevel::core) return shape;
    NodeShape result = shape;
    result.hardware = {};
    const detail::UnitMap map = level == HardwareLevel::thread
                                    ? detail::split_into_threads(shape, result.hardware)
                                    : detail::join_groups(shape, level, result.hardware);
    for (CoreGroup group : shape.hardware.groups) {
        if (!map.is_made_of_units(group.cores)) continue;
        group.cores = map.touched(group.cores);
        result.hardware.groups.push_back(std::move(group));
    }
    result.system_cores = map.touched(shape.system_cores);
    for (MemoryDomain& domain : result.memory) domain.cores = map.touched(domain.cores);
    for (Device& device : result.devices) {
        device.cores = map.touched(device.cores);
        device.reserved_cores = map.touched(device.reserved_cores);
    }
    return result;
}

}  // namespace trestle
