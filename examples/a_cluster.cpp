// SPDX-License-Identifier: Apache-2.0
// A cluster as a value: jobs on few switches, trying and undoing, a no with what would help.
#include <fmt/format.h>

#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/alloc/schedule/explain.hpp"
#include "trestle/model/node_builder.hpp"

using namespace trestle;

namespace {

/// 64 nodes with eight GPUs each, eight nodes below each switch.
ClusterParts hall() {
    ClusterParts parts;
    parts.nodes = *make_nodes({.name = "n",
                               .packages = 2,
                               .cores_per_package = 32,
                               .memory = 1_TiB,
                               .devices = {{.name = "gpu", .type = "h100", .count = 8}}},
                              64);
    TreeTopology tree{"tree", {{"top", {}, {}}}};
    for (std::uint32_t i = 0; i < 8; ++i) {
        const NodeSet nodes = NodeSet::range({8 * i, 8 * i + 8});
        tree.switches.push_back({fmt::format("s{}", i), TreeTopology::SwitchId(0), nodes});
    }
    parts.network.trees = {tree};
    return parts;
}

/// So many nodes with eight GPUs each, below as few switches as will do.
Request training(std::int64_t nodes) {
    return {.nodes = Range<Count>::exactly(Count(nodes)),
            .devices = {{.count = Range<Count>::exactly(Count(8))}},
            .topology = {.switches_max = Count(2)}};
}

std::string nodes_of(const Verdict<Placement>& placement) {
    if (!placement) return fmt::format("{}", placement);
    NodeSet nodes;
    for (const NodePlacement& part : placement->nodes) nodes.insert(part.node);
    return "nodes " + to_text(nodes);
}

}  // namespace

int main() {
    Cluster cluster = *Cluster::create(hall());
    PlaceOptions options;
    options.policy = Policy::best_fit;
    Placer placer(options);  // remembers what the nodes said

    for (std::uint64_t job = 1; job <= 4; ++job) {
        const PreparedRequest request = training(4 * static_cast<std::int64_t>(job));
        const Verdict<Placement> placement = placer.place(cluster, request);
        fmt::print("job {}: {}\n", job, nodes_of(placement));
        if (placement && !cluster.commit({OwnerId(job), request, *placement}).ok()) return 1;
    }

    const PreparedRequest large = training(20);
    fmt::print("20 nodes: {}\n", nodes_of(placer.place(cluster, large)));
    fmt::print("{}\n", to_text(explain(cluster, large, options)));

    const Cluster before = cluster;  // shares all that does not change
    {
        const Cluster::Trial trial = cluster.trial();
        if (!cluster.release(OwnerId(4)).ok()) return 1;
        cluster.set_node_state(NodeId(63), NodeState::drained);
        fmt::print("without job 4 and node 63, 12 nodes: {}\n",
                   nodes_of(placer.place(cluster, training(12))));
    }
    fmt::print("undone: {}\n", cluster == before);
}
