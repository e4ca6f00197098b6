// SPDX-License-Identifier: Apache-2.0
#pragma once

// The cluster as a picture in a file.
//
// Layer: tool. Main name: write_picture.

#include <optional>
#include <string>

#include "site.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::tool {

/// Writes the cluster as it is now, with what a job would take of it. Errors: FailedPrecondition
/// for a file that cannot be written.
[[nodiscard]] Status write_picture(const std::string& path, const Site& site,
                                   const std::optional<Placement>& proposed,
                                   const std::string& title);

}  // namespace trestle::tool
