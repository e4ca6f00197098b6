// SPDX-License-Identifier: Apache-2.0
#pragma once

// A machine that is there already, as an offer: price 0, what it gives to work, its exact devices.
//
// Layer: alloc. Main function: offer_of, of a node as it is now, and of a shape.
// Pitfall: devices of different models stand in the offer as kinds of their own. A node leaves out
// a device that takes no work, a shape does not.

#include <algorithm>
#include <span>

#include "trestle/alloc/market/offers/known_devices.hpp"
#include "trestle/alloc/market/offers/offer.hpp"
#include "trestle/model/device.hpp"
#include "trestle/model/node.hpp"

namespace trestle {

/// The machine as an offer, with empty names and places and a price of 0. CPUs are the hardware
/// threads of cores that work may have, memory is the ordinary one, both without what is kept for
/// the system. A disk of 0 bytes is unknown. Devices are those that allocations use up and that
/// decide how the machine is divided (divided_devices). Equal devices are one kind, in the order of
/// the machine. Failed devices count: their blocks exist, but cannot be taken. Complexity: devices
/// times kinds and known devices.
[[nodiscard]] Offer offer_of(const NodeShape& shape,
                             std::span<const KnownDevice> known = known_devices());

/// The node as an offer now: as that of its shape, but with all devices that take work. Its
/// `instance` is the node's name. It is idle when new work may go there, else not_available.
[[nodiscard]] Offer offer_of(const Node& node,
                             std::span<const KnownDevice> known = known_devices());

}  // namespace trestle
