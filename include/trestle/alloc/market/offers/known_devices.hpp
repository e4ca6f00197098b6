// SPDX-License-Identifier: Apache-2.0
#pragma once

// GPUs and other accelerators that are known by name: vendor, memory, compute capability.
//
// Layer: alloc. Main names: KnownDevice, known_devices() and the questions to such a list. A caller
// with others copies the list and adds to it; every question takes the list that it is asked of.
// Pitfall: a model has a row for each memory size that it is sold with. Cloud TPUs have no memory
// here, because offers do not state it.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/device.hpp"

namespace trestle {

/// One kind of device.
struct KnownDevice {
    std::string vendor;  ///< lower case: nvidia, amd, intel, tenstorrent, google
    std::string model;   ///< as offers call it: A100, RTX4090, MI300X
    Bytes memory;        ///< 0: not stated
    std::optional<Version> compute_capability;  ///< of NVIDIA

    static constexpr auto fields(auto list) {
        return list(field("vendor", &KnownDevice::vendor), field("model", &KnownDevice::model),
                    field("memory", &KnownDevice::memory),
                    field("compute_capability", &KnownDevice::compute_capability));
    }
    friend bool operator==(const KnownDevice&, const KnownDevice&) = default;
};

/// The devices that price lists name. A model with several memories stands there for each.
[[nodiscard]] const std::vector<KnownDevice>& known_devices();

/// The first device of the model, without regard to case, or null. `v5litepod-8`, a TPU with the
/// number of its cores, is a v5litepod. Complexity: linear.
[[nodiscard]] const KnownDevice* find_device(std::span<const KnownDevice> known,
                                             std::string_view model);

}  // namespace trestle
