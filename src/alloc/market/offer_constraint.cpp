// SPDX-License-Identifier: Apache-2.0
#include "alloc/market/offer_constraint.hpp"

namespace trestle {

Constraint constraint_of(OfferTest test) {
    switch (test) {
        case OfferTest::availability:
            return Constraint::node_state;
        case OfferTest::price:
        case OfferTest::pricing:
            return Constraint::price;
        case OfferTest::blocks:
            return Constraint::blocks;
        case OfferTest::cpus:
            return Constraint::cores;
        case OfferTest::memory:
            return Constraint::memory;
        case OfferTest::devices:
            return Constraint::devices;
        case OfferTest::device_vendor:
        case OfferTest::device_count:
        case OfferTest::device_model:
        case OfferTest::compute_capability:
        case OfferTest::device_memory:
        case OfferTest::device_total_memory:
        case OfferTest::device_attributes:
            return Constraint::device_attributes;
        case OfferTest::disk:
            return Constraint::disk;
        case OfferTest::backend:
        case OfferTest::region:
        case OfferTest::instance:
        case OfferTest::availability_zone:
            return Constraint::candidates;
        case OfferTest::interconnect:
            return Constraint::topology;
        default:
            return Constraint::features;
    }
}

}  // namespace trestle
