// SPDX-License-Identifier: Apache-2.0
#pragma once

// The names of MIG profiles: NVIDIA Multi-Instance GPU User Guide, "MIG Device Names".
//
// Layer: os, private. Main functions: profile_in_model, profile_name.

#include <cstdint>
#include <string>
#include <string_view>

#include "trestle/base/units.hpp"

namespace trestle::os::detail {

/// `1g.5gb` in `NVIDIA A100-SXM4-40GB MIG 1g.5gb`; empty when there is none.
[[nodiscard]] std::string profile_in_model(std::string_view model);

/// An instance as its driver counts it.
struct InstanceSize {
    std::uint32_t gpu_slices = 0;
    std::uint32_t compute_slices = 0;
    Bytes memory;
    Bytes gpu_memory;  ///< of the whole GPU
};

/// `3g.20gb`, or `1c.3g.20gb` where the compute instance is smaller than the GPU instance. Memory
/// is a number of eighths of the GPU's, both rounded to what they are sold as. Empty when the
/// driver told too little.
[[nodiscard]] std::string profile_name(const InstanceSize& size);

}  // namespace trestle::os::detail
