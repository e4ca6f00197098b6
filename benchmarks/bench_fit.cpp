// SPDX-License-Identifier: Apache-2.0
// fit() beside the exhaustive oracle that defines it. One step of a benchmark is a whole decision,
// each time on another occupancy; the ratio of Fit to Oracle is what to compare between machines.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "support/oracle_fit.hpp"
#include "trestle/alloc/fit.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

constexpr const char* small_node = "2s4c mem=64G gpu:a100-80G:8@nvlink-pairs";
constexpr const char* large_node = "2s32c mem=1T gpu:a100-80G:8@nvlink";

NodeShape shape_of(const char* text) { return *testing::node_from_text(text)->shape; }

/// Two GPUs with two CPUs each and memory near them.
NodeDemand two_gpus() {
    NodeDemand demand;
    demand.devices = {{DeviceRequest{}, Range<Count>::exactly(Count(2))}};
    demand.cpus_per_device = Count(2);
    demand.memory = gib(8);
    return demand;
}

/// 16 states of the node with about half of its cores and GPUs taken.
std::vector<NodeUsage> half_full(const NodeShape& shape) {
    Rng rng(1);
    std::vector<NodeUsage> states;
    while (states.size() < 16) {
        NodePlacement taken;
        for (std::uint32_t i = 0; i < shape.hardware.core_count(); ++i) {
            if (rng.chance(1, 2)) taken.cores.insert(CoreId(i));
        }
        for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
            if (rng.chance(1, 2)) taken.devices.push_back({DeviceId(i), Count(1)});
        }
        NodeUsage usage(shape);
        if (usage.take(taken, OwnerId(1)).ok()) states.push_back(std::move(usage));
    }
    return states;
}

template <class Decide>
void decide(benchmark::State& state, const char* node, Decide&& one) {
    const NodeShape shape = shape_of(node);
    const std::vector<NodeUsage> states = half_full(shape);
    const NodeDemand demand = two_gpus();
    std::size_t at = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(one(shape, states[at], demand));
        at = (at + 1) % states.size();
    }
}

void fit_small(benchmark::State& state) {
    decide(state, small_node, [](const auto&... question) { return fit(question...); });
}
void oracle_small(benchmark::State& state) {
    decide(state, small_node, [](const auto&... question) { return oracle_fit(question...); });
}
void fit_large(benchmark::State& state) {
    decide(state, large_node, [](const auto&... question) { return fit(question...); });
}

}  // namespace

BENCHMARK(fit_small)->Name("Fit/8_cores_8_gpus/half_full");
BENCHMARK(oracle_small)->Name("Oracle/8_cores_8_gpus/half_full");
BENCHMARK(fit_large)->Name("Fit/64_cores_8_gpus/half_full");

}  // namespace trestle
