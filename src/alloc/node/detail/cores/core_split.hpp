// SPDX-License-Identifier: Apache-2.0
#pragma once

// CoreSplit: how many cores each part of a node gives, so that all chosen devices have some near
// them.
//
// Layer: alloc, internal to fit. Main types: CoreSplit, NearNeed, CorePatch, NearCost. A zone is a
// set of cores near to devices, a patch the cores that lie in the same zones. What a split costs
// follows from how many of its cores lie in each zone: see NearCost.
// Where any two zones are disjoint or nested, the cheapest split is made by taking one core after
// another where it saves the most. Other zones are rare, and so are cores that differ in their
// CPUs; for these all splits are tried.

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "alloc/node/step_budget.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle::detail {

/// What the devices that are near to one zone need of it.
struct NearNeed {
    std::uint32_t devices = 0;
    std::int64_t cpus = 0;           ///< that come with these devices
    bool is_required = false;        ///< at least one core, and `required_cpus`
    std::int64_t required_cpus = 0;  ///< with the devices that are required to be near

    friend auto operator<=>(const NearNeed&, const NearNeed&) = default;
};

/// What a split costs. Less is better, first member first.
struct NearCost {
    std::uint64_t refused = 0;    ///< cores that are required near devices and lack
    std::uint64_t unserved = 0;   ///< devices with no core near them
    std::uint64_t lacking = 0;    ///< cores that lack for the CPUs of the devices
    std::uint64_t uneven = 0;     ///< cores that lack to the parts of the zones
    std::uint64_t far_pairs = 0;  ///< a core and a device that is not near it

    friend auto operator<=>(const NearCost&, const NearCost&) = default;
};

/// The same in cores; where cores differ, `least` and `required` are CPUs.
struct ZoneTarget {
    std::uint32_t devices = 0;
    std::uint32_t part = 0;      ///< of all cores, by the number of devices
    std::uint32_t least = 0;     ///< for the CPUs of the devices
    std::uint32_t required = 0;  ///< for those that are required near
    bool is_required = false;    ///< one core at least, whatever it counts

    /// What is required of cores that all count.
    [[nodiscard]] std::uint32_t all_required() const {
        return std::max(is_required ? 1U : 0U, required);
    }
    /// Adds what it costs that so many cores lie in the zone; far pairs aside. `counted`: of these
    /// the cores that count, or their CPUs where cores differ.
    void charge(std::uint64_t cores, std::uint64_t counted, NearCost& cost) const;
};

/// Cores that the same devices are near to.
struct CorePatch {
    SmallSet<> zones;
    std::uint32_t part = 0;      ///< that is dealt to, or the class; else 0
    std::uint32_t capacity = 0;  ///< cores that can be taken
    std::uint64_t far = 0;       ///< devices that are not near
    std::uint64_t weight = 1;    ///< CPUs of each core, where cores differ
};

class CoreSplit {
  public:
    /// `zones`: by the numbers in CorePatch::zones. `per_part`: cores of each; empty: any.
    CoreSplit(std::vector<ZoneTarget> zones, std::vector<CorePatch> patches,
              std::vector<std::uint32_t> per_part);

    /// Cores of each patch.
    using Counts = std::vector<std::uint32_t>;

    /// The cheapest split of `count` cores that gives each patch `start` at least; of equals the
    /// one with the most cores of the first patch, then of the second, ... Nothing when there is
    /// none, or when `budget` ended. Requires: start is no more than the capacities.
    [[nodiscard]] std::optional<Counts> best(std::uint32_t count, Counts start,
                                             StepBudget& budget) const;

    /// The fewest cores, and no fewer than `least`, that can have all that is required near
    /// devices. Where no number can, or when `budget` ended: no more than any split needs.
    [[nodiscard]] std::uint32_t fewest(std::uint32_t least, StepBudget& budget) const;

  private:
    [[nodiscard]] NearCost cost(const Counts& counts) const;
    /// True when cores that count more than one CPU are to lie near devices.
    [[nodiscard]] bool is_weighted() const;
    [[nodiscard]] bool are_nested() const;
    [[nodiscard]] std::vector<std::uint64_t> cores_by_zone(const Counts& counts) const;
    /// What one more core of a patch saves, negative, and costs.
    [[nodiscard]] auto price(std::size_t patch, const std::vector<std::uint64_t>& by_zone) const;
    /// How many more at the same price, as far as zones matter.
    [[nodiscard]] std::uint32_t run_length(std::size_t patch,
                                           const std::vector<std::uint64_t>& by_zone) const;
    [[nodiscard]] std::optional<Counts> best_nested(std::uint32_t missing, Counts counts,
                                                    std::vector<std::uint32_t> left) const;

    struct Trial {
        const Counts& start;
        StepBudget& budget;
        Counts counts;
        std::vector<std::uint32_t> left;      ///< of each part
        std::vector<std::uint64_t> behind{};  ///< cores that later patches have beyond `start`
        std::vector<std::uint64_t> behind_alike{};  ///< the same of later ones of its part
        std::optional<NearCost> cost{};
        Counts best{};
    };
    /// Tries all numbers of cores of patch `at` and those behind it; false when the budget ended.
    [[nodiscard]] bool try_all(std::size_t at, std::uint32_t missing, Trial& trial) const;

    std::vector<ZoneTarget> zones_;
    std::vector<CorePatch> patches_;
    std::vector<std::uint32_t> per_part_;
};

}  // namespace trestle::detail
