// SPDX-License-Identifier: Apache-2.0
#pragma once

// Slices: a device that can be cut into instances of fixed profiles at fixed positions, as NVIDIA's
// Multi-Instance GPUs can.
//
// Layer: model. Main types: SliceGeometry::Profile, SliceGeometry (what a model of device allows),
// Slicing::Instance (one cut), Slicing (the geometry of one device and how it is cut now).
// Pitfall: positions count memory slices, not compute slices. Seven 1g instances leave one memory
// slice of an A100 unused, because the compute slices are only seven.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"

namespace trestle {

/// What instances a model of device allows. At most 64 memory slices.
struct SliceGeometry {
    /// One kind of instance: `3g.20gb`.
    struct Profile {
        std::string name;
        std::uint32_t compute_slices = 1;
        std::uint32_t memory_slices = 1;
        Bytes memory;                       ///< what a program sees of it
        std::vector<std::uint32_t> starts;  ///< legal first memory slices, rising
        std::uint32_t instances_max = 1;    ///< at the same time on one device

        static constexpr auto fields(auto list) {
            return list(
                field("name", &Profile::name), field("compute_slices", &Profile::compute_slices),
                field("memory_slices", &Profile::memory_slices), field("memory", &Profile::memory),
                field("starts", &Profile::starts), field("instances_max", &Profile::instances_max));
        }
        friend bool operator==(const Profile&, const Profile&) = default;
    };

    std::string name;  ///< `a100-40gb`
    std::uint32_t compute_slices = 0;
    std::uint32_t memory_slices = 0;
    std::vector<Profile> profiles;

    /// The profile of that name, or null.
    [[nodiscard]] const Profile* find(std::string_view profile) const;

    static constexpr auto fields(auto list) {
        return list(field("name", &SliceGeometry::name),
                    field("compute_slices", &SliceGeometry::compute_slices),
                    field("memory_slices", &SliceGeometry::memory_slices),
                    field("profiles", &SliceGeometry::profiles));
    }
    friend bool operator==(const SliceGeometry&, const SliceGeometry&) = default;
};

/// How one device may be cut, and how it is.
struct Slicing {
    /// An instance of a profile and where it lies. Ordered by where it starts.
    struct Instance {
        std::uint32_t start = 0;  ///< its first memory slice
        std::uint32_t size = 1;   ///< memory slices, as the profile says
        std::string profile;

        [[nodiscard]] std::uint32_t end() const { return start + size; }

        static constexpr auto fields(auto list) {
            return list(field("start", &Instance::start), field("size", &Instance::size),
                        field("profile", &Instance::profile));
        }
        friend bool operator==(const Instance&, const Instance&) = default;
        friend auto operator<=>(const Instance&, const Instance&) = default;
    };

    SliceGeometry geometry;
    std::vector<Instance> instances;  ///< that exist, by start
    /// True: only instances that exist are given. False: new ones may be made, and idle ones
    /// removed for them.
    bool is_fixed = false;

    static constexpr auto fields(auto list) {
        return list(field("geometry", &Slicing::geometry), field("instances", &Slicing::instances),
                    field("is_fixed", &Slicing::is_fixed));
    }
    friend bool operator==(const Slicing&, const Slicing&) = default;
};

/// Ok when profiles are no larger than the device and have rising starts inside it. The instances
/// that exist have known profiles and legal starts, and are sorted by start. None lies over
/// another, and there are not more than can exist at a time.
/// Errors: InvalidArgument that names the first breach.
[[nodiscard]] Status check(const Slicing& slicing);

}  // namespace trestle
