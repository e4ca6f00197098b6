// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the volumes are that a run mounts.
//
// Layer: dialect/dstack. Main function: with_volumes.
// Pitfall: a volume fixes backend and region of the run; a plan without with_volumes does not know.

#include <span>

#include "trestle/base/status.hpp"
#include "trestle/dialect/dstack/configuration.hpp"
#include "trestle/dialect/dstack/other_files.hpp"

namespace trestle::dstack {

/// The run where the volumes are that it mounts: its backends, regions and zones are narrowed to
/// theirs. Folders of instances have no place, nor has a name with `${{ }}`, which is another one
/// at each node. Errors: NotFound for a volume that is not in `volumes`. InvalidArgument for a
/// malformed mount, for volumes of one mount in several places, and for places where the run may
/// not go.
[[nodiscard]] StatusOr<RunConfiguration> with_volumes(const RunConfiguration& run,
                                                      std::span<const VolumeConfiguration> volumes);

}  // namespace trestle::dstack
