// SPDX-License-Identifier: Apache-2.0
// Names of drivers and types of GRES: a model that is found is a known one, and its type finds it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "fuzz/target.hpp"
#include "trestle/alloc/market/offers/known_devices.hpp"

#include "alloc/market/offers/device_names.hpp"

namespace {

bool is_among(std::span<const trestle::KnownDevice> devices, const trestle::KnownDevice& wanted) {
    return std::find(devices.begin(), devices.end(), wanted) != devices.end();
}

}  // namespace

TRESTLE_FUZZ(known_devices) {
    using namespace trestle;
    const std::string text(data, data + size);
    const auto& known = known_devices();
    if (const KnownDevice* const found = device_of_driver_name(known, text)) {
        if (!is_among(known, *found)) std::abort();
        if (!is_among(devices_of_type(known, type_of(*found)), *found)) std::abort();
        if (device_of_driver_name(known, found->model)->model != found->model) std::abort();
    }
    for (const KnownDevice& device : devices_of_type(known, text)) {
        if (!is_among(known, device)) std::abort();
    }
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(size, 8); ++i) number = number << 8 | data[i];
    const Bytes memory(static_cast<std::int64_t>(number >> 1));
    for (const std::string& model : {std::string("A100"), text}) {
        const Bytes snapped = snap_memory(known, model, memory);
        const bool is_sold = std::any_of(known.begin(), known.end(), [&](const auto& device) {
            return device.memory == snapped;
        });
        // Else it is whole GB, or so much that it cannot be rounded.
        if (!is_sold && snapped != memory && snapped.value() % gib(1).value() != 0) std::abort();
    }
}
