// SPDX-License-Identifier: Apache-2.0
#pragma once

// The instances that NVIDIA's GPUs can be cut into (Multi-Instance GPU), as data.
//
// Layer: model. Main functions: slice_geometries, find_slice_geometry, slice_geometry_for.
// Profiles and how many of each there can be: NVIDIA Multi-Instance GPU User Guide, "Supported MIG
// Profiles". Starts: what `nvidia-smi mig -lgipp` lists. Memory: what `nvidia-smi mig -lgip` lists,
// exact to 64 MiB; drivers of other ages differ by less than 3 percent.
// A reader would get wrong: names do not tell GPUs apart. 1g.10gb is one memory slice of an
// A100-80GB, and two of an A100-40GB.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/units.hpp"
#include "trestle/model/device.hpp"
#include "trestle/model/slices.hpp"

namespace trestle {

namespace detail {

/// The memory of an instance: as its name says it, and what a program sees.
struct SliceMemory {
    int gb = 0;
    std::int64_t mib = 0;
};

[[nodiscard]] SliceProfile slice_profile(std::uint32_t compute, std::uint32_t slices,
                                         SliceMemory memory, std::vector<std::uint32_t> starts);

/// The same with the media engines, which one instance of a device can have.
[[nodiscard]] SliceProfile with_media(SliceProfile profile);

/// A30: four compute slices, each with its memory slice.
[[nodiscard]] SliceGeometry four_slices(std::string name, SliceMemory quarter, SliceMemory half,
                                        SliceMemory whole);

/// A100 and Hopper: seven compute slices, eight memory slices.
[[nodiscard]] SliceGeometry seven_slices(std::string name, SliceMemory eighth, SliceMemory quarter,
                                         SliceMemory half, SliceMemory whole);

/// True when `text` has the word, without regard to case; words are letters and digits.
[[nodiscard]] bool has_word(std::string_view text, std::string_view lower_word);

}  // namespace detail

/// The geometries of all GPUs known here, by name.
[[nodiscard]] const std::vector<SliceGeometry>& slice_geometries();

/// The geometry of that name (`a100-40gb`), or null.
[[nodiscard]] const SliceGeometry* find_slice_geometry(std::string_view name);

/// The geometry of an NVIDIA device by a word of its model (of its type, when it has no model) and
/// the nearest memory size, as sold, within 5 percent; null for any other device.
[[nodiscard]] const SliceGeometry* slice_geometry_for(const Device& device);

}  // namespace trestle
