// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/market/offers/offer.hpp"

#include <span>
#include <string_view>

#include "alloc/market/offers/offer_counts.hpp"

namespace trestle {

Count count_of(std::span<const Offer::Devices> devices, std::string_view name) {
    Count sum;
    for (const Offer::Devices& kind : devices) {
        if (kind.name == name) sum = checked_add(sum, kind.count).value_or(Count::max());
    }
    return sum;
}

bool Offer::is_available() const {
    return availability == Offer::Availability::unknown ||
           availability == Offer::Availability::available ||
           availability == Offer::Availability::idle;
}

}  // namespace trestle
