// SPDX-License-Identifier: Apache-2.0
#pragma once

// OwnerMoment: a moment at which an owner's period begins or ends, as a key of Timeline::Moments.
//
// Layer: alloc (private). Main type: OwnerMoment.

#include <compare>

#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"

namespace trestle {

/// A moment at which the period of an owner begins or ends.
struct OwnerMoment {
    Instant at;
    OwnerId owner;

    static constexpr auto fields(auto list) {
        return list(field("at", &OwnerMoment::at), field("owner", &OwnerMoment::owner));
    }
    friend bool operator==(const OwnerMoment&, const OwnerMoment&) = default;
    friend auto operator<=>(const OwnerMoment&, const OwnerMoment&) = default;
};

}  // namespace trestle
