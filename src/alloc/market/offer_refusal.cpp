// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/market/offer_refusal.hpp"

#include <utility>

namespace trestle {

Refusal to_refusal(OfferRefusal refusal) {
    return {constraint_of(refusal.test), std::move(refusal.reason)};
}

}  // namespace trestle
