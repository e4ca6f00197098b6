// SPDX-License-Identifier: Apache-2.0
// What it costs to plan moves on a cluster in fragments: nodes of 8 GPUs, each GPU taken by a job
// of its own with the odds of `percent`. One step is a whole plan: room for a job of 8 GPUs on a
// node, or 10 moves against fragments. Names: room/nodes/percent, fragments/nodes/percent; seeds
// are fixed.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "trestle/alloc/schedule/compaction.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace {

using namespace trestle;

Request gpus(std::int64_t count) {
    Request request;
    request.devices = {DeviceRequest{}};
    request.devices[0].count = Range<Count>::exactly(Count(count));
    return request;
}

struct Fragmented {
    Cluster cluster;
    std::vector<OwnerId> owners;
};

/// Owner 8 n + g has, or would have, GPU g of node n.
Fragmented fragmented(std::int64_t nodes, std::int64_t percent) {
    Fragmented one{*testing::cluster_from_text(fmt::format("{} x (2s32c mem=1T gpu:8)", nodes)),
                   {}};
    const PreparedRequest job = gpus(1);
    Rng rng(7);
    for (std::int64_t i = 0; i < 8 * nodes; ++i) {
        if (static_cast<std::int64_t>(rng.below(100)) >= percent) continue;
        NodePlacement part;
        part.node = NodeId(static_cast<std::uint32_t>(i / 8));
        const auto gpu = static_cast<std::uint32_t>(i % 8);
        part.cores.insert(CoreId(gpu));
        part.devices = {{DeviceId(gpu), Count(1)}};
        one.owners.emplace_back(static_cast<std::uint64_t>(i));
        if (!one.cluster.commit({one.owners.back(), job, {{part}}}).ok()) return {};
    }
    return one;
}

void room(benchmark::State& state) {
    const Fragmented one = fragmented(state.range(0), state.range(1));
    for (auto _ : state) {
        auto plan = plan_compaction(one.cluster, gpus(8), one.owners);
        if (!plan) return state.SkipWithError("no plan");
        state.counters["moves"] = static_cast<double>(plan->moves.size());
        state.counters["is_smallest"] = plan->is_smallest ? 1 : 0;
    }
}
BENCHMARK(room)->Args({1000, 80})->Args({1000, 90})->Unit(benchmark::kMillisecond);

void fragments(benchmark::State& state) {
    const Fragmented one = fragmented(state.range(0), state.range(1));
    PlaceOptions options;
    options.policy = Policy::fgd;
    std::vector<PolicyOptions::TypicalJob> jobs;
    for (const std::int64_t count : {1, 2, 4, 8}) {
        PolicyOptions::TypicalJob job;
        job.cpus = MilliCpu(1000 * count);
        job.devices = Count(count);
        jobs.push_back(std::move(job));
    }
    options.policy_options.typical_jobs = std::move(jobs);
    CompactionRules rules;
    rules.moves_max = Count(10);
    for (auto _ : state) {
        const auto plan = *plan_defragmentation(one.cluster, one.owners, rules, options);
        state.counters["before"] = static_cast<double>(plan.before) / 1e6;
        state.counters["after"] = static_cast<double>(plan.after) / 1e6;
    }
}
BENCHMARK(fragments)->Args({1000, 80})->Unit(benchmark::kMillisecond);

}  // namespace
