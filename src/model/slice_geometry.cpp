// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/slice_geometry.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trestle {

namespace {

/// The memory of an instance: as its name says it, and what a program sees.
struct SliceMemory {
    int gb = 0;
    std::int64_t mib = 0;
};

SliceProfile slice_profile(std::uint32_t compute, std::uint32_t slices, SliceMemory memory,
                           std::vector<std::uint32_t> starts) {
    SliceProfile profile;
    profile.name = std::to_string(compute) + "g." + std::to_string(memory.gb) + "gb";
    profile.compute_slices = compute;
    profile.memory_slices = slices;
    profile.memory = mib(memory.mib);
    profile.instances_max = static_cast<std::uint32_t>(starts.size());
    profile.starts = std::move(starts);
    return profile;
}

/// The same with the media engines, which one instance of a device can have.
SliceProfile with_media(SliceProfile profile) {
    profile.name += "+me";
    profile.instances_max = 1;
    return profile;
}

/// A30: four compute slices, each with its memory slice.
SliceGeometry four_slices(std::string name, SliceMemory quarter, SliceMemory half,
                          SliceMemory whole) {
    const SliceProfile one = slice_profile(1, 1, quarter, {0, 1, 2, 3});
    const SliceProfile two = slice_profile(2, 2, half, {0, 2});
    return {std::move(name),
            4,
            4,
            {one, with_media(one), two, with_media(two), slice_profile(4, 4, whole, {0})}};
}

/// A100 and Hopper: seven compute slices, eight memory slices.
SliceGeometry seven_slices(std::string name, SliceMemory eighth, SliceMemory quarter,
                           SliceMemory half, SliceMemory whole) {
    const SliceProfile one = slice_profile(1, 1, eighth, {0, 1, 2, 3, 4, 5, 6});
    return {std::move(name),
            7,
            8,
            {one, with_media(one), slice_profile(1, 2, quarter, {0, 2, 4, 6}),
             slice_profile(2, 2, quarter, {0, 2, 4}), slice_profile(3, 4, half, {0, 4}),
             slice_profile(4, 4, half, {0}), slice_profile(7, 8, whole, {0})}};
}

/// True when `text` has the word, without regard to case; words are letters and digits.
bool has_word(std::string_view text, std::string_view lower_word) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    const auto is_inside = [&](char c) {
        return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9');
    };
    auto at = text.begin();
    while (at != text.end()) {
        const auto end = std::find_if_not(at, text.end(), is_inside);
        if (std::equal(at, end, lower_word.begin(), lower_word.end(),
                       [&](char a, char b) { return lower(a) == b; })) {
            return true;
        }
        at = std::find_if(end, text.end(), is_inside);
    }
    return false;
}

}  // namespace

const std::vector<SliceGeometry>& slice_geometries() {
    static const std::vector<SliceGeometry> all{
        seven_slices("a100-40gb", {5, 4864}, {10, 9856}, {20, 19968}, {40, 40192}),
        seven_slices("a100-80gb", {10, 9728}, {20, 19968}, {40, 40192}, {80, 80896}),
        four_slices("a30-24gb", {6, 5952}, {12, 11968}, {24, 24000}),
        // H100 SXM5 and PCIe.
        seven_slices("h100-80gb", {10, 9984}, {20, 20096}, {40, 40448}, {80, 81152}),
        // H100 NVL.
        seven_slices("h100-94gb", {12, 10880}, {24, 22016}, {47, 47232}, {94, 94848}),
        // H100 on GH200.
        seven_slices("h100-96gb", {12, 11264}, {24, 23552}, {48, 47616}, {96, 95232}),
        seven_slices("h200-141gb", {18, 16384}, {35, 33280}, {71, 71424}, {141, 143360}),
    };
    return all;
}

const SliceGeometry* find_slice_geometry(std::string_view name) {
    for (const SliceGeometry& one : slice_geometries()) {
        if (one.name == name) return &one;
    }
    return nullptr;
}

const SliceGeometry* slice_geometry_for(const Device& device) {
    struct Known {
        std::string_view word;
        std::string_view geometry;
        Bytes memory;
    };
    static constexpr std::array known{
        Known{"a30", "a30-24gb", gib(24)},    Known{"a100", "a100-40gb", gib(40)},
        Known{"a100", "a100-80gb", gib(80)},  Known{"h100", "h100-80gb", gib(80)},
        Known{"h100", "h100-94gb", gib(94)},  Known{"h100", "h100-96gb", gib(96)},
        Known{"gh200", "h100-96gb", gib(96)}, Known{"h200", "h200-141gb", gib(141)}};
    if (!device.vendor.empty() && device.vendor != "nvidia") return nullptr;
    const std::string& model = device.model.empty() ? device.type : device.model;
    const auto distance = [&](const Known& one) {
        return one.memory < device.memory ? device.memory - one.memory : one.memory - device.memory;
    };
    const Known* nearest = nullptr;
    for (const Known& one : known) {
        if (!has_word(model, one.word) || distance(one) > div_floor(one.memory, 20)) {
            continue;
        }
        if (nearest == nullptr || distance(one) < distance(*nearest)) nearest = &one;
    }
    return nearest == nullptr ? nullptr : find_slice_geometry(nearest->geometry);
}

}  // namespace trestle
