// SPDX-License-Identifier: Apache-2.0
#include "alloc/market/offer_constraint.hpp"

namespace trestle {

Constraint constraint_of(OfferRefusal::Test test) {
    switch (test) {
        case OfferRefusal::Test::availability:
            return Constraint::node_state;
        case OfferRefusal::Test::price:
        case OfferRefusal::Test::pricing:
            return Constraint::price;
        case OfferRefusal::Test::blocks:
            return Constraint::blocks;
        case OfferRefusal::Test::cpus:
            return Constraint::cores;
        case OfferRefusal::Test::memory:
            return Constraint::memory;
        case OfferRefusal::Test::devices:
            return Constraint::devices;
        case OfferRefusal::Test::device_vendor:
        case OfferRefusal::Test::device_count:
        case OfferRefusal::Test::device_model:
        case OfferRefusal::Test::compute_capability:
        case OfferRefusal::Test::device_memory:
        case OfferRefusal::Test::device_total_memory:
        case OfferRefusal::Test::device_attributes:
            return Constraint::device_attributes;
        case OfferRefusal::Test::disk:
            return Constraint::disk;
        case OfferRefusal::Test::backend:
        case OfferRefusal::Test::region:
        case OfferRefusal::Test::instance:
        case OfferRefusal::Test::availability_zone:
            return Constraint::candidates;
        case OfferRefusal::Test::interconnect:
            return Constraint::topology;
        default:
            return Constraint::features;
    }
}

}  // namespace trestle
