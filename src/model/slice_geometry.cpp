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

SliceGeometry::Profile slice_profile(std::uint32_t compute, std::uint32_t slices,
                                     SliceMemory memory, std::vector<std::uint32_t> starts) {
    SliceGeometry::Profile profile;
    profile.name = std::to_string(compute) + "g." + std::to_string(memory.gb) + "gb";
    profile.compute_slices = compute;
    profile.memory_slices = slices;
    profile.memory = mib(memory.mib);
    profile.instances_max = static_cast<std::uint32_t>(starts.size());
    profile.starts = std::move(starts);
    return profile;
}

/// The same under another name: with graphics (`+gfx`), without media engines (`-me`).
SliceGeometry::Profile called(SliceGeometry::Profile profile, std::string_view suffix) {
    profile.name += suffix;
    return profile;
}

/// The same with media engines that one instance of a device can have.
SliceGeometry::Profile with_media(SliceGeometry::Profile profile, std::string_view suffix = "+me") {
    profile.instances_max = 1;
    return called(std::move(profile), suffix);
}

/// A30: four compute slices, each with its memory slice.
SliceGeometry four_slices(std::string name, SliceMemory quarter, SliceMemory half,
                          SliceMemory whole) {
    const SliceGeometry::Profile one = slice_profile(1, 1, quarter, {0, 1, 2, 3});
    const SliceGeometry::Profile two = slice_profile(2, 2, half, {0, 2});
    return {std::move(name),
            4,
            4,
            {one, with_media(one), two, with_media(two), slice_profile(4, 4, whole, {0})}};
}

/// RTX PRO 6000 Blackwell: four compute slices, with and without graphics and media engines.
SliceGeometry universal_slices(std::string name, SliceMemory quarter, SliceMemory half,
                               SliceMemory whole) {
    const SliceGeometry::Profile one = slice_profile(1, 1, quarter, {0, 1, 2, 3});
    const SliceGeometry::Profile two = slice_profile(2, 2, half, {0, 2});
    const SliceGeometry::Profile four = slice_profile(4, 4, whole, {0});
    return {std::move(name),
            4,
            4,
            {one, with_media(one), called(one, "+gfx"), with_media(one, "+me.all"),
             called(one, "-me"), two, called(two, "+gfx"), with_media(two, "+me.all"),
             called(two, "-me"), four, called(four, "+gfx")}};
}

/// A100, Hopper and Blackwell: seven compute slices, eight memory slices.
SliceGeometry seven_slices(std::string name, SliceMemory eighth, SliceMemory quarter,
                           SliceMemory half, SliceMemory whole) {
    const SliceGeometry::Profile one = slice_profile(1, 1, eighth, {0, 1, 2, 3, 4, 5, 6});
    return {std::move(name),
            7,
            8,
            {one, with_media(one), slice_profile(1, 2, quarter, {0, 2, 4, 6}),
             slice_profile(2, 2, quarter, {0, 2, 4}), slice_profile(3, 4, half, {0, 4}),
             slice_profile(4, 4, half, {0}), slice_profile(7, 8, whole, {0})}};
}

/// The names that other drivers have for the same instances, before the whole device.
SliceGeometry with_names(SliceGeometry geometry, const SliceGeometry& other) {
    auto& profiles = geometry.profiles;
    std::vector<SliceGeometry::Profile> more;
    for (SliceGeometry::Profile profile : other.profiles) {
        if (geometry.find(profile.name) != nullptr) continue;
        more.push_back(std::move(profile));
    }
    profiles.insert(profiles.end() - 1, more.begin(), more.end());
    return geometry;
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
        // Of those below public listings show the eighth and the quarter of GH200, B200 and GB200,
        // and all of RTX PRO 6000. The rest is eighths of what programs see of the whole.
        seven_slices("gh200-144gb", {18, 17920}, {36, 36096}, {72, 73216}, {144, 146432}),
        seven_slices("b200-180gb", {23, 22528}, {45, 45312}, {90, 91136}, {180, 182272}),
        // First drivers called the instances by the whole memory.
        with_names(
            seven_slices("gb200-186gb", {23, 22528}, {47, 46592}, {93, 94208}, {186, 188416}),
            seven_slices("", {24, 20480}, {47, 46592}, {95, 94208}, {189, 188416})),
        seven_slices("b300-269gb", {34, 34304}, {67, 68608}, {135, 137216}, {269, 274432}),
        seven_slices("gb300-278gb", {35, 35456}, {70, 70912}, {139, 141824}, {278, 283648}),
        universal_slices("rtx-pro-6000-96gb", {24, 24192}, {48, 48512}, {96, 97280}),
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
    // A800, H800 and H20 are A100, H100 and H200 with slower links or fewer units; PG506 is an A100
    // with 96 GB.
    static constexpr std::array known{Known{"a30", "a30-24gb", gib(24)},
                                      Known{"a100", "a100-40gb", gib(40)},
                                      Known{"a100", "a100-80gb", gib(80)},
                                      Known{"a800", "a100-40gb", gib(40)},
                                      Known{"a800", "a100-80gb", gib(80)},
                                      Known{"pg506", "h100-96gb", gib(96)},
                                      Known{"h100", "h100-80gb", gib(80)},
                                      Known{"h100", "h100-94gb", gib(94)},
                                      Known{"h100nvl", "h100-94gb", gib(94)},
                                      Known{"h100", "h100-96gb", gib(96)},
                                      Known{"h800", "h100-80gb", gib(80)},
                                      Known{"h800", "h100-94gb", gib(94)},
                                      Known{"h800nvl", "h100-94gb", gib(94)},
                                      Known{"h20", "h100-96gb", gib(96)},
                                      Known{"h20", "h200-141gb", gib(141)},
                                      Known{"gh200", "h100-96gb", gib(96)},
                                      Known{"gh200", "gh200-144gb", gib(144)},
                                      Known{"h200", "h200-141gb", gib(141)},
                                      Known{"h200nvl", "h200-141gb", gib(141)},
                                      Known{"b200", "b200-180gb", gib(180)},
                                      Known{"gb200", "gb200-186gb", gib(186)},
                                      Known{"b300", "b300-269gb", gib(269)},
                                      Known{"gb300", "gb300-278gb", gib(278)},
                                      Known{"6000", "rtx-pro-6000-96gb", gib(96)},
                                      Known{"rtxpro6000", "rtx-pro-6000-96gb", gib(96)}};
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
