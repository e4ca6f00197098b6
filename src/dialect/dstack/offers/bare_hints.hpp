// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which values without `..` are to blame when nothing is found.
//
// Layer: dialect/dstack, inside. Main function: find_bare_hints.

#include <functional>
#include <vector>

#include "trestle/dialect/dstack/offers/match.hpp"
#include "trestle/dialect/dstack/resources.hpp"

namespace trestle::dstack {

struct BareHints {
    std::vector<BareHint> hints;
    bool is_together = false;  ///< they count together only
};

/// The bare values of which each, opened upwards, makes `fits` true; when none does alone, all of
/// them if they do together. Asks once for each bare value, and once more.
[[nodiscard]] BareHints find_bare_hints(const Resources& resources,
                                        const std::function<bool(const Resources&)>& fits);

}  // namespace trestle::dstack
