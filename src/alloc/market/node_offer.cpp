// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/market/node_offer.hpp"

#include <span>

#include "trestle/alloc/market/blocks.hpp"

namespace trestle {

namespace detail {

OfferedDevices offered(const Device& device, std::span<const KnownDevice> known) {
    OfferedDevices one{device.name,   device.vendor, device.model,
                       device.memory, Count(1),      device.compute_capability};
    if (one.model.empty()) one.model = device.type;
    if (const KnownDevice* const found = device_of_driver_name(known, one.model)) {
        one.model = found->model;
        one.memory = snap_memory(known, found->model, one.memory);
        one.vendor = found->vendor;
        if (!one.compute_capability) one.compute_capability = found->compute_capability;
    }
    return one;
}

}  // namespace detail

Offer offer_of(const NodeShape& shape, std::span<const KnownDevice> known) {
    return detail::machine_offer(shape, known, [](const Device& device) {
        return device.name == divided_devices && device.is_consumed;
    });
}

Offer offer_of(const Node& node, std::span<const KnownDevice> known) {
    Offer offer = detail::machine_offer(*node.shape, known,
                                        [](const Device& device) { return is_usable(device); });
    offer.instance = node.name;
    offer.availability = is_usable(node) ? Availability::idle : Availability::not_available;
    return offer;
}

}  // namespace trestle
