// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/dialect/slurm/options/options.hpp"
#include "trestle/dialect/svg/node.hpp"
#include "trestle/model/node_builder.hpp"

using namespace trestle;

int main() {
    ClusterParts parts;
    parts.nodes = {*make_node({.name = "dgx0",
                               .packages = 2,
                               .cores_per_package = 16,
                               .threads_per_core = 2,
                               .memory = 512_GiB,
                               .devices = {{.name = "gpu",
                                            .type = "a100",
                                            .count = 8,
                                            .memory = 80_GiB,
                                            .linking = NodeDescription::Devices::Linking::all,
                                            .link_strength = 12},
                                           {.name = "nic", .type = "mlx5", .count = 2}}})};
    Cluster cluster = *Cluster::create(parts);
    const std::vector<std::vector<std::string>> jobs = {
        {"--gres=gpu:2", "-c", "8", "--mem=64G"},
        {"-c", "12", "--mem=96G"},
        {"--gres=gpu:3", "-c", "12", "--mem=128G"},
    };
    for (std::uint64_t id = 1; id <= jobs.size(); ++id) {
        const Request request = slurm::parse_options(jobs[id - 1])->request;
        const Verdict<Placement> placement = place(cluster, request);
        if (!cluster.commit({OwnerId(id), request, *placement}).ok()) return 1;
    }
    const auto next = slurm::parse_options({{"--gres=gpu:1,nic:1", "-c", "8", "--mem=48G"}});
    const Verdict<Placement> decision = place(cluster, next->request);

    const NodeId node(0);
    fmt::print("{}", svg::render_node(cluster.node(node), cluster.ledger(node),
                                      {.names = {{OwnerId(1), "training"}, {OwnerId(3), "sweep"}},
                                       .proposed = decision->nodes[0]}));
}
