// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/granularity.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "model/core_groups.hpp"
#include "trestle/model/locality.hpp"

namespace trestle {

namespace {

/// The new cores that each old core is in: several where cores are split, one where they are
/// joined.
class UnitMap {
  public:
    explicit UnitMap(std::size_t cores) : units_(cores) {}

    void add(CoreId core, std::uint32_t unit) { units_[core.value()].insert(CoreId(unit)); }

    /// The units with a part in `cores`.
    [[nodiscard]] CoreSet touched(const CoreSet& cores) const;
    /// True when no unit lies partly inside and partly outside of `cores`.
    [[nodiscard]] bool is_made_of_units(const CoreSet& cores) const;

  private:
    std::vector<CoreSet> units_;  ///< by old CoreId
};

CoreSet UnitMap::touched(const CoreSet& cores) const {
    CoreSet units;
    for (const CoreId core : cores) units |= units_[core.value()];
    return units;
}

bool UnitMap::is_made_of_units(const CoreSet& cores) const {
    const CoreSet all = CoreSet::range({0, static_cast<std::uint32_t>(units_.size())});
    return !touched(cores).intersects(touched(all - cores));
}

UnitMap split_into_threads(const NodeShape& shape, HardwareTree& made) {
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

UnitMap join_groups(const NodeShape& shape, HardwareLevel level, HardwareTree& made) {
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

}  // namespace

NodeShape with_granularity(const NodeShape& shape, HardwareLevel level) {
    if (level == HardwareLevel::core) return shape;
    NodeShape result = shape;
    result.hardware = {};
    const UnitMap map = level == HardwareLevel::thread ? split_into_threads(shape, result.hardware)
                                                       : join_groups(shape, level, result.hardware);
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
