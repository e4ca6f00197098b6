// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/market/offers/offer.hpp"

#include "support/catch.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

TEST_CASE("is_available: unknown is taken for a yes, busy is not", "[model]") {
    struct Row {
        Offer::Availability availability;
        bool is_available;
    };
    const Row rows[] = {
        {Offer::Availability::unknown, true},        {Offer::Availability::available, true},
        {Offer::Availability::idle, true},           {Offer::Availability::busy, false},
        {Offer::Availability::not_available, false}, {Offer::Availability::no_quota, false},
        {Offer::Availability::no_balance, false},
    };
    CHECK(std::size(rows) == enum_names(Offer::Availability{}).size());
    for (const Row& row : rows) {
        INFO(to_text(row.availability));
        Offer offer;
        offer.availability = row.availability;
        CHECK(offer.is_available() == row.is_available);
    }
}

}  // namespace
}  // namespace trestle
