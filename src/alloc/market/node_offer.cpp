// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/market/node_offer.hpp"

#include <span>

#include "alloc/market/block_parts.hpp"
#include "alloc/market/offers/device_names.hpp"
#include "trestle/alloc/market/blocks.hpp"

namespace trestle {

namespace {

/// One device as offers call it: a driver's name becomes that of the model, with its vendor and the
/// memory that it is sold with, where they are known. The vendor of the machine may be another
/// word for the same: PCI ids say habana of what is sold as Intel's.
Offer::Devices offered(const Device& device, std::span<const KnownDevice> known) {
    Offer::Devices one{device.name,   device.vendor, device.model,
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

/// The machine with those devices that `takes` says yes to.
template <class Takes>
Offer machine_offer(const NodeShape& shape, std::span<const KnownDevice> known,
                    const Takes& takes) {
    Offer offer;
    offer.architecture = shape.architecture;
    offer.cpus = Count(shape.hardware.threads_of(shape.allocatable_cores()).count());
    offer.memory = shape.ordinary_memory();
    if (!shape.disk.is_zero()) offer.disk = shape.disk;
    offer.availability = Offer::Availability::idle;
    for (const Device& device : shape.devices) {
        if (!takes(device)) continue;
        const Offer::Devices one = offered(device, known);
        const auto same =
            std::find_if(offer.devices.begin(), offer.devices.end(), [&](Offer::Devices kind) {
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

}  // namespace

Offer offer_of(const NodeShape& shape, std::span<const KnownDevice> known) {
    return machine_offer(shape, known, [](const Device& device) {
        return device.name == divided_devices && device.is_consumed;
    });
}

Offer offer_of(const Node& node, std::span<const KnownDevice> known) {
    Offer offer =
        machine_offer(*node.shape, known, [](const Device& device) { return is_usable(device); });
    offer.instance = node.name;
    offer.availability =
        is_usable(node) ? Offer::Availability::idle : Offer::Availability::not_available;
    return offer;
}

}  // namespace trestle
