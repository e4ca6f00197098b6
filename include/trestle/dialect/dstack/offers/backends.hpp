// SPDX-License-Identifier: Apache-2.0
#pragma once

// What dstack's backends can do.
//
// Layer: dialect/dstack. Main function: known_backends(). A caller with other backends copies the
// list and changes it.
// Pitfall: `remote` is what dstack calls hosts of an SSH fleet.

#include <vector>

#include "trestle/alloc/market/offers/backend.hpp"
#include "trestle/dialect/dstack/release.hpp"

namespace trestle::dstack {

/// All backends that the release knows, by name.
[[nodiscard]] const std::vector<Backend>& known_backends(Release release = default_release);

}  // namespace trestle::dstack
