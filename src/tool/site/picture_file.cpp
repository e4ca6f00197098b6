// SPDX-License-Identifier: Apache-2.0
#include "picture_file.hpp"

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "trestle/base/status.hpp"

namespace trestle::tool {

std::vector<svg::OwnerName> owner_names(const slurm::LiveCluster& live) {
    std::vector<svg::OwnerName> names;
    for (const slurm::RunningJob& job : live.running) names.push_back({job.owner, job.name});
    return names;
}

Status write_picture(const std::string& path, const Cluster& cluster,
                     const svg::ClusterPictureOptions& picture) {
    std::ofstream file(path);
    file << svg::render_cluster(cluster, picture);
    file.close();
    if (!file) return failed_precondition("{}: it cannot be written", path);
    return {};
}

}  // namespace trestle::tool
