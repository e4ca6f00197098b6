// SPDX-License-Identifier: Apache-2.0
#pragma once

// What dstack's backends can do.
//
// Layer: dialect/dstack. Main function: known_backends(). Facts of dstack 0.22.5; a caller with
// other backends copies the list and changes it.
// A reader would get wrong: `remote` is what dstack calls hosts of an SSH fleet.

#include <vector>

#include "trestle/alloc/market/offers/backend.hpp"

namespace trestle::dstack {

/// All backends that dstack knows, by name.
[[nodiscard]] const std::vector<Backend>& known_backends();

}  // namespace trestle::dstack
