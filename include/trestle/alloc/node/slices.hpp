// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many instances a device can still give, and what a tool has to change for those of a
// placement.
//
// Layer: alloc. Main type: SliceChanges. Main functions: instances_possible, slice_changes,
// geometry_after. Where instances lie is for fit() to choose.
// Instances that exist and have no owner are idle. They are given as they are, stay beside others
// where they can, and go where they are in the way. They never make a fit impossible. The exception
// is a device whose slicing is fixed, where nothing else can be given.
// Pitfall: what is held need not stand in Slicing::instances; a placement may have made it since.
// An instance there that lies over a held one is gone.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/model/slices.hpp"

namespace trestle {

/// What a tool does to a device before it hands instances out, by start.
struct SliceChanges {
    std::vector<Slicing::Instance> destroy;  ///< first
    std::vector<Slicing::Instance> create;

    static constexpr auto fields(auto list) {
        return list(field("destroy", &SliceChanges::destroy),
                    field("create", &SliceChanges::create));
    }
    friend bool operator==(const SliceChanges&, const SliceChanges&) = default;
};

/// How many more instances of the profile of that name, and no others, a device can give. `held` is
/// taken of it. 0 where there is no such profile. Requires: check(slicing) is ok, the starts of its
/// profiles rise, and the instances in `held` lie on the device, none over another.
[[nodiscard]] std::uint32_t instances_possible(const Slicing& slicing,
                                               std::span<const Slicing::Instance> held,
                                               std::string_view profile);

/// What a tool has to change before `taken` can be handed out beside `held`.
/// Requires: as above; `taken` is what fit() gives beside `held`.
[[nodiscard]] SliceChanges slice_changes(const Slicing& slicing,
                                         std::span<const Slicing::Instance> held,
                                         std::span<const Slicing::Instance> taken);

/// What the device is cut into after these changes, by start: `held`, `taken`, and what may stay of
/// the idle instances. Those that lie under others go. Of the rest, those with the fewest compute
/// slices stay, then the lowest, as far as compute slices and instances_max reach.
/// Requires: as slice_changes.
[[nodiscard]] std::vector<Slicing::Instance> geometry_after(
    const Slicing& slicing, std::span<const Slicing::Instance> held,
    std::span<const Slicing::Instance> taken);

}  // namespace trestle
