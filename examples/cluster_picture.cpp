// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/dialect/slurm/options/options.hpp"
#include "trestle/dialect/svg/cluster.hpp"
#include "trestle/model/node_builder.hpp"

using namespace trestle;

int main() {
    ClusterParts parts;
    parts.nodes = *make_nodes({.name = "dgx",
                               .packages = 2,
                               .cores_per_package = 16,
                               .threads_per_core = 2,
                               .memory = 512_GiB,
                               .devices = {{.name = "gpu",
                                            .type = "a100",
                                            .count = 8,
                                            .memory = 80_GiB,
                                            .linking = NodeDescription::Devices::Linking::all,
                                            .link_strength = 12}}},
                              16);
    TreeTopology tree{"tree", {{"top", {}, {}}}};
    for (std::uint32_t i = 0; i < 4; ++i) {
        const NodeSet nodes = NodeSet::range({4 * i, 4 * i + 4});
        tree.switches.push_back({fmt::format("s{}", i), TreeTopology::SwitchId(0), nodes});
    }
    parts.network.trees = {tree};
    Cluster cluster = *Cluster::create(parts);
    cluster.set_node_state(NodeId(6), NodeState::drained);
    cluster.set_node_state(NodeId(11), NodeState::down);
    cluster.set_node_health(NodeId(9), Health::warning);
    const std::vector<std::vector<std::string>> jobs = {
        {"-N", "4", "--gpus-per-node=8", "-c", "32", "--mem=256G"},
        {"--gres=gpu:2", "-c", "8", "--mem=64G"},
        {"-N", "3", "--gpus-per-node=4", "-c", "16", "--mem=128G"},
        {"-c", "24", "--mem=96G"},
        {"--gres=gpu:3", "-c", "12", "--mem=128G"},
    };
    for (std::uint64_t id = 1; id <= jobs.size(); ++id) {
        const Request request = slurm::parse_options(jobs[id - 1])->request;
        const Verdict<Placement> placement = place(cluster, request);
        if (!placement || !cluster.commit({OwnerId(id), request, *placement}).ok()) return 1;
    }
    const auto next =
        slurm::parse_options({{"-N", "2", "--gpus-per-node=8", "-c", "32", "--mem=256G"}});
    const Verdict<Placement> decision = place(cluster, next->request);
    if (!decision) return 1;

    fmt::print("{}", svg::render_cluster(
                         cluster, {.title = "research",
                                   .names = {{OwnerId(1), "training"}, {OwnerId(3), "sweep"}},
                                   .proposed = *decision}));
}
