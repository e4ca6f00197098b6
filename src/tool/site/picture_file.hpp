// SPDX-License-Identifier: Apache-2.0
#pragma once

// The cluster as a picture in a file.
//
// Layer: tool. Main name: write_picture.

#include <string>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/live/live_cluster.hpp"
#include "trestle/dialect/svg/cluster.hpp"

namespace trestle::tool {

/// What the picture calls the owners.
[[nodiscard]] std::vector<svg::OwnerName> owner_names(const slurm::LiveCluster& live);

/// Writes the cluster as it is now. Errors: FailedPrecondition for a file that cannot be written.
[[nodiscard]] Status write_picture(const std::string& path, const Cluster& cluster,
                                   const svg::ClusterPictureOptions& picture);

}  // namespace trestle::tool
