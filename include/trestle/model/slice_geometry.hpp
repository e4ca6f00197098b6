// SPDX-License-Identifier: Apache-2.0
#pragma once

// The instances that NVIDIA's GPUs can be cut into (Multi-Instance GPU), as data.
//
// Layer: model. Main functions: slice_geometries, find_slice_geometry, slice_geometry_for.
// Profiles and how many of each there can be: NVIDIA Multi-Instance GPU User Guide, "Supported MIG
// Profiles". Starts: what `nvidia-smi mig -lgipp` lists. Memory: what `nvidia-smi mig -lgip` lists,
// exact to 64 MiB. Drivers of other ages differ by less than 3 percent, the first ones of Blackwell
// by up to 13. Quarters and eighths of GH200 144G, B200 and GB200 are such listings. What is larger
// of these, and all of B300 and GB300, is computed from the memory of the whole.
// Pitfall: names do not tell GPUs apart. 1g.10gb is one memory slice of an A100-80GB, and two of an
// A100-40GB.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/units.hpp"
#include "trestle/model/device.hpp"
#include "trestle/model/slices.hpp"

namespace trestle {

/// The geometries of all GPUs known here, by name.
[[nodiscard]] const std::vector<SliceGeometry>& slice_geometries();

/// The geometry of that name (`a100-40gb`), or null.
[[nodiscard]] const SliceGeometry* find_slice_geometry(std::string_view name);

/// The geometry of an NVIDIA device by a word of its model and its memory. The type stands in when
/// it has no model. Memory is the nearest size, as sold, within 5 percent. Null for any other
/// device.
[[nodiscard]] const SliceGeometry* slice_geometry_for(const Device& device);

}  // namespace trestle
