// SPDX-License-Identifier: Apache-2.0
#pragma once

// FitScore: the order of fit() as a value, and what of it follows from the devices alone.
//
// Layer: alloc, internal to fit. Main types: FitScore, LinkScore. The order itself is described at
// fit(); the members stand in the same order.
// Pitfall: counts of devices are not here, because the search tries them in order of preference and
// stops at the first that fits.

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "alloc/node/detail/cores/core_split.hpp"
#include "alloc/node/detail/device_search.hpp"
#include "alloc/node/detail/fit_problem.hpp"
#include "alloc/node/slice_space.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/alloc/node/slices.hpp"
#include "trestle/base/units.hpp"

namespace trestle::detail {

/// What links make of a pick; more is better.
struct LinkScore {
    std::uint64_t inside = 0;     ///< sum between chosen devices
    std::uint32_t weakest = 0;    ///< between two chosen devices of one name
    std::uint64_t remaining = 0;  ///< sum between untouched devices that stay so

    friend auto operator<=>(const LinkScore&, const LinkScore&) = default;
};

[[nodiscard]] LinkScore score_links(const FitProblem& problem, const FreeState& state,
                                    const DevicePick& pick);

/// Entries on devices that warn.
[[nodiscard]] std::uint32_t count_warnings(const FitProblem& problem, const DevicePick& pick);

[[nodiscard]] bool share_a_switch(const Device& a, const Device& b);

/// Entries that are to lie near devices of earlier demands and do not; nothing when one is required
/// to.
[[nodiscard]] std::optional<std::uint32_t> count_far_devices(const FitProblem& problem,
                                                             const DevicePick& pick);

/// Untouched devices that would be given in part.
[[nodiscard]] std::uint32_t count_opened(const FitProblem& problem, const FreeState& state,
                                         const DevicePick& pick);

/// Less is better, except for slice_gain and links, first member first.
struct FitScore {
    std::uint32_t warnings = 0;
    std::uint32_t other_cores = 0;  ///< that are not of the kind preferred
    std::int64_t spare_cpus = 0;    ///< more than asked, where cores differ
    NearCost near{};  ///< the cores of a pick are as even as can be, picks are not compared by it
    std::uint32_t far_devices = 0;
    Bytes far_memory;
    std::uint32_t groups = 0;
    std::uint32_t opened = 0;
    std::uint32_t slice_changes = 0;
    SlicePotential slice_gain{};
    LinkScore links{};
    DeviceSet devices;
    CoreSet cores;
    std::vector<PickEntry> entries;

    /// What is settled before links are looked at.
    [[nodiscard]] auto costs() const {
        return std::tie(warnings, other_cores, spare_cpus, near.unserved, near.lacking,
                        near.far_pairs, far_devices, far_memory, groups, opened, slice_changes);
    }
    [[nodiscard]] bool beats(const FitScore& other) const;

  private:
    /// The devices of the first demand, of the second, ...; then the starts.
    [[nodiscard]] std::pair<std::vector<std::vector<DeviceId>>, std::vector<std::uint32_t>>
    by_demand() const;
};

}  // namespace trestle::detail
