// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which keys of slurm.conf a release of Slurm refuses.
//
// Layer: tool. Main name: is_refused_by.
// Pitfall: keys of other releases are no mistakes to the reader, which knows those of all.

#include <string_view>

#include "trestle/dialect/slurm/release.hpp"

namespace trestle::tool {

/// True for a key with which that release does not start, dropped before or added later.
[[nodiscard]] bool is_refused_by(slurm::Release release, std::string_view key);

}  // namespace trestle::tool
