// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trestle/alloc/place.hpp"
#include "trestle/dialect/slurm/options.hpp"
#include "trestle/testing/cluster_text.hpp"

using namespace trestle;

int main() {
    Cluster cluster = *testing::cluster_from_text("1 x (2s16c2t mem=512G gpu:a100:4)");
    const std::vector<std::string> options = {"--gres=gpu:a100:2", "-c", "8", "--mem=32G"};
    const Request request = slurm::parse_options(options)->request;

    for (std::uint64_t job = 1; job <= 3; ++job) {
        const Verdict<Placement> placement = place(cluster, request);
        if (!placement) return fmt::print("job {}: {}\n", job, placement), 0;
        fmt::print("job {}: {}\n", job, to_text(*placement, cluster));
        if (!cluster.commit({OwnerId(job), request, *placement}).ok()) return 1;
    }
}
