// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/slices.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "trestle/base/status.hpp"

namespace trestle {

const SliceGeometry::Profile* SliceGeometry::find(std::string_view profile) const {
    for (const SliceGeometry::Profile& one : profiles) {
        if (one.name == profile) return &one;
    }
    return nullptr;
}

Status check(const Slicing& slicing) {
    const SliceGeometry& geometry = slicing.geometry;
    if (geometry.memory_slices > 64) {
        return invalid_argument("slices of {}: {} memory slices, expected at most 64",
                                geometry.name, geometry.memory_slices);
    }
    for (const SliceGeometry::Profile& profile : geometry.profiles) {
        const bool has_room = profile.memory_slices > 0 &&
                              profile.memory_slices <= geometry.memory_slices &&
                              profile.compute_slices <= geometry.compute_slices;
        const bool is_inside =
            std::all_of(profile.starts.begin(), profile.starts.end(), [&](std::uint32_t start) {
                return has_room && start <= geometry.memory_slices - profile.memory_slices;
            });
        if (!has_room || !is_inside) {
            return invalid_argument("profile {} does not fit into {}", profile.name, geometry.name);
        }
        const auto falls = std::adjacent_find(profile.starts.begin(), profile.starts.end(),
                                              std::greater_equal<>());
        if (falls != profile.starts.end()) {
            return invalid_argument("profile {} of {}: starts {} and {}, expected rising ones",
                                    profile.name, geometry.name, *falls, *(falls + 1));
        }
    }
    std::uint32_t end = 0;
    std::uint64_t compute = 0;
    for (const Slicing::Instance& instance : slicing.instances) {
        const SliceGeometry::Profile* profile = geometry.find(instance.profile);
        if (profile == nullptr) {
            return invalid_argument("instance {} of {}: no such profile", instance.profile,
                                    geometry.name);
        }
        const auto& starts = profile->starts;
        if (std::find(starts.begin(), starts.end(), instance.start) == starts.end() ||
            instance.start < end || instance.size != profile->memory_slices) {
            return invalid_argument(
                "instance {} at {}: expected {} memory slices from a legal start at or above {}",
                instance.profile, instance.start, profile->memory_slices, end);
        }
        end = instance.end();
        compute += profile->compute_slices;
        const auto alike = std::count_if(
            slicing.instances.begin(), slicing.instances.end(),
            [&](const Slicing::Instance& one) { return one.profile == profile->name; });
        if (compute > geometry.compute_slices || alike > profile->instances_max) {
            return invalid_argument(
                "instance {} at {}: expected at most {} of them and {} compute slices in all",
                instance.profile, instance.start, profile->instances_max, geometry.compute_slices);
        }
    }
    return {};
}

}  // namespace trestle
