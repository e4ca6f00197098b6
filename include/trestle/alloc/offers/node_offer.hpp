// SPDX-License-Identifier: Apache-2.0
#pragma once

// A node that is there already, as an offer: price 0, what it gives to work, its exact devices.
//
// Layer: alloc. Main function: offer_of.
// A reader would get wrong: devices of different models stand in the offer as kinds of their own,
// and a device that takes no work is left out.

#include <algorithm>
#include <span>
#include <string>

#include "trestle/model/device.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/offer.hpp"
#include "trestle/model/offers/known_devices.hpp"

namespace trestle {

namespace detail {

/// One device as offers call it: a driver's name becomes that of the model, and the memory that it
/// is sold with, where both are known.
[[nodiscard]] inline OfferedDevices offered(const Device& device,
                                            std::span<const KnownDevice> known) {
    OfferedDevices one{device.name,   device.vendor, device.model,
                       device.memory, Count(1),      device.compute_capability};
    if (one.model.empty()) one.model = device.type;
    if (const KnownDevice* const found = device_of_driver_name(known, one.model)) {
        one.model = found->model;
        one.memory = snap_memory(known, found->model, one.memory);
        if (one.vendor.empty()) one.vendor = found->vendor;
        if (!one.compute_capability) one.compute_capability = found->compute_capability;
    }
    return one;
}

}  // namespace detail

/// What the node would be as an offer. Its `instance` is the node's name, its backend and region
/// are empty, it is idle when new work may go there and not_available when not, its price is 0.
/// CPUs are the hardware threads of cores that work may have, memory is the ordinary one, both
/// without what is kept for the system. A disk of 0 bytes is an unknown one. Devices alike are one
/// kind, in the order of the node. Complexity: devices times kinds and known devices.
[[nodiscard]] inline Offer offer_of(const Node& node,
                                    std::span<const KnownDevice> known = known_devices()) {
    const NodeShape& shape = *node.shape;
    Offer offer;
    offer.instance = node.name;
    offer.architecture = shape.architecture;
    offer.cpus = Count(shape.hardware.threads_of(shape.allocatable_cores()).count());
    offer.memory = shape.ordinary_memory();
    if (!shape.disk.is_zero()) offer.disk = shape.disk;
    offer.availability = is_usable(node) ? Availability::idle : Availability::not_available;
    for (const Device& device : shape.devices) {
        if (!is_usable(device)) continue;
        const OfferedDevices one = detail::offered(device, known);
        const auto same =
            std::find_if(offer.devices.begin(), offer.devices.end(), [&](OfferedDevices kind) {
                kind.count = Count(1);
                return kind == one;
            });
        if (same == offer.devices.end()) {
            offer.devices.push_back(one);
        } else {
            same->count += Count(1);
        }
    }
    return offer;
}

}  // namespace trestle
