// SPDX-License-Identifier: Apache-2.0
// Which policy gives more GPUs away? Inference jobs take 300 to 700 thousandths of a GPU, now and
// then a training job wants four whole ones, and no job ends.
#include <fmt/core.h>

#include <array>
#include <string>
#include <vector>

#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/model/node_builder.hpp"

using namespace trestle;

namespace {

/// 16 nodes of 4 GPUs.
Cluster idle_cluster() {
    ClusterParts parts;
    parts.nodes = *make_nodes({.name = "node",
                               .cores_per_package = 64,
                               .devices = {{.name = "gpu", .count = 4, .shares = Count(1000)}}},
                              16);
    return *Cluster::create(parts);
}

/// Without shares whole GPUs.
PreparedRequest job(Count gpus, Count shares = {}) {
    return Request{.devices = {{.count = Range<Count>::exactly(gpus), .shares = shares}}};
}

}  // namespace

int main() {
    const std::array jobs{job(Count(1), Count(700)), job(Count(1), Count(500)),
                          job(Count(1), Count(300)), job(Count(4))};
    const std::array often{4U, 4U, 4U, 1U};
    std::vector<PolicyOptions::TypicalJob> typical;  // what a site knows of its jobs
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const DeviceRequest& device = jobs[i]->devices.front();
        const Count part = device.shares.is_zero() ? Count(1000) : device.shares;
        typical.push_back({MilliCpu(1000), device.count.least(), part, {}, Count(often[i])});
    }
    // A policy of one's own: least left, and idle GPUs are for the training jobs.
    // One of our own: least left, and nodes with an untouched GPU last.
    const auto own = ScoreExpression::parse("-devices_after - 500 * max(each_device_before)");
    if (!own.ok()) return 1;
    const std::array<NodePolicy, 4> policies{Policy::worst_fit, Policy::best_fit,
                                             Policy::future_fit, *own};
    for (const NodePolicy& policy : policies) {
        PlaceOptions options;
        options.policy = policy;
        options.policy_options.typical_jobs = typical;
        Cluster cluster = idle_cluster();
        Placer placer(options);
        Rng rng(7);
        std::int64_t given = 0;
        std::int64_t refused = 0;
        for (std::uint64_t arrival = 0; arrival < 120; ++arrival) {
            const std::uint64_t draw = rng.below(13);
            const std::size_t kind = draw == 12 ? 3 : draw / 4;
            const Verdict<Placement> placement = placer.place(cluster, jobs[kind]);
            if (!placement) {
                ++refused;
                continue;
            }
            if (!cluster.commit({OwnerId(arrival), jobs[kind], *placement}).ok()) return 1;
            for (const DeviceShare& share : placement->nodes.front().devices) {
                given += share.shares.value();
            }
        }
        const auto name = policy.name();
        fmt::print("{:<10} {:.1f} of 64 GPUs given, {} jobs refused\n",
                   name ? to_text(*name) : "expression", static_cast<double>(given) / 1000,
                   refused);
    }
}
