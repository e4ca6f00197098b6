// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/dialect/slurm/options/options.hpp"
#include "trestle/model/node_builder.hpp"

using namespace trestle;

int main() {
    ClusterParts parts;
    parts.nodes = {*make_node({.name = "n0",
                               .packages = 2,
                               .cores_per_package = 16,
                               .threads_per_core = 2,
                               .memory = 512_GiB,
                               .devices = {{.name = "gpu", .type = "a100", .count = 4}}})};
    Cluster cluster = *Cluster::create(parts);
    const std::vector<std::string> options = {"--gres=gpu:a100:2", "-c", "8", "--mem=32G"};
    const Request request = slurm::parse_options(options)->request;

    for (std::uint64_t job = 1; job <= 3; ++job) {
        const Verdict<Placement> placement = place(cluster, request);
        if (!placement) return fmt::print("job {}: {}\n", job, placement), 0;
        fmt::print("job {}: {}\n", job, to_text(*placement, cluster));
        if (!cluster.commit({OwnerId(job), request, *placement}).ok()) return 1;
    }
}
