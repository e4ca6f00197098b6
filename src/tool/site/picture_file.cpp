// SPDX-License-Identifier: Apache-2.0
#include "picture_file.hpp"

#include <fstream>
#include <optional>
#include <string>

#include "trestle/base/status.hpp"
#include "trestle/dialect/svg/cluster.hpp"

namespace trestle::tool {

Status write_picture(const std::string& path, const Site& site,
                     const std::optional<Placement>& proposed, const std::string& title) {
    svg::ClusterPictureOptions picture;
    picture.title = title;
    for (const slurm::RunningJob& job : site.live.running)
        picture.names.push_back({job.owner, job.name});
    picture.proposed = proposed;
    std::ofstream file(path);
    file << svg::render_cluster(site.live.controller.cluster(), picture);
    file.close();
    if (!file) return failed_precondition("{}: it cannot be written", path);
    return {};
}

}  // namespace trestle::tool
