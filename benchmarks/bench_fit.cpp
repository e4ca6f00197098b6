// SPDX-License-Identifier: Apache-2.0
// fit() on one node: beside the exhaustive oracle that defines it, cold and warm on a large GPU
// node, and on the cases that are hard elsewhere. One step of a benchmark is a whole decision, each
// time on another occupancy. Cold: demand and shape are prepared, the occupancy is not remembered.
// Warm: the occupancy was seen before. Once: nothing is prepared.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/oracle_fit.hpp"
#include "trestle/alloc/node/fit.hpp"
#include "trestle/alloc/node/fit_cache.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/model/slice_geometry.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

constexpr const char* small_node = "2s4c mem=64G gpu:a100-80G:8@nvlink-pairs";
constexpr const char* large_node = "2s32c2t mem=1T gpu:a100-80G:8@nvlink";

NodeShape node(const char* text) { return *testing::node_from_text(text)->shape; }

NodeDemand::Device devices(std::int64_t count, Strictness locality = Strictness::prefer) {
    NodeDemand::Device demand{DeviceRequest{}, Range<Count>::exactly(Count(count))};
    demand.request.locality = locality;
    return demand;
}

NodeDemand demand_for(std::int64_t cpus, std::vector<NodeDemand::Device> devices) {
    NodeDemand demand;
    demand.cpus_per_task = Count(cpus);
    demand.memory = gib(8);
    demand.devices = std::move(devices);
    return demand;
}

/// 64 states of the node in which each core and device is taken with this chance.
std::vector<NodeLedger> states_of(const NodeShape& shape, std::uint64_t percent) {
    Rng rng(1);
    std::vector<NodeLedger> states;
    while (states.size() < 64) {
        NodePlacement taken;
        for (std::uint32_t i = 0; i < shape.hardware.core_count(); ++i) {
            if (rng.chance(percent, 100)) taken.cores.insert(CoreId(i));
        }
        for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
            if (rng.chance(percent, 100)) {
                taken.devices.push_back({DeviceId(i), shape.devices[i].shares});
            }
        }
        NodeLedger ledger(shape);
        if (ledger.take(taken, OwnerId(1)).ok()) states.push_back(std::move(ledger));
    }
    return states;
}

/// Asks `decide` about one state after the other, and tells how many were a yes.
template <class Decide>
void ask(benchmark::State& state, const std::vector<NodeLedger>& states, const Decide& decide) {
    std::size_t at = 0;
    std::int64_t yes = 0;
    for (auto _ : state) {
        yes += decide(states[at]) ? 1 : 0;
        at = at + 1 == states.size() ? 0 : at + 1;
    }
    state.counters["yes"] =
        benchmark::Counter(static_cast<double>(yes), benchmark::Counter::kAvgIterations);
}

void fit_once(benchmark::State& state, const NodeShape& shape, const NodeDemand& demand,
              std::uint64_t taken) {
    ask(state, states_of(shape, taken), [&](const NodeLedger& ledger) {
        const auto answer = fit(shape, ledger, demand);
        benchmark::DoNotOptimize(&answer);
        return answer.has_value();
    });
}
void fit_cold(benchmark::State& state, const NodeShape& shape, const NodeDemand& demand,
              std::uint64_t taken) {
    FitCache cache(shape, demand, {}, 0);
    ask(state, states_of(shape, taken),
        [&](const NodeLedger& ledger) { return cache.fit(ledger.free()).has_value(); });
}
void fit_warm(benchmark::State& state, const NodeShape& shape, const NodeDemand& demand,
              std::uint64_t taken) {
    FitCache cache(shape, demand);
    ask(state, states_of(shape, taken),
        [&](const NodeLedger& ledger) { return cache.fit(ledger.free()).has_value(); });
}
void oracle(benchmark::State& state, const NodeShape& shape, const NodeDemand& demand,
            std::uint64_t taken) {
    ask(state, states_of(shape, taken),
        [&](const NodeLedger& ledger) { return oracle_fit(shape, ledger, demand).has_value(); });
}

/// 64 devices of which 63 are free, and two demands that could share any of them but the last.
NodeShape many_devices() {
    NodeShape shape = node("2s32c mem=1T gpu:64");
    for (Device& device : shape.devices) {
        device.attributes = {{"driver", device.index % 2 == 0 ? "550" : "560"}};
    }
    shape.devices[63].health = Health::failure;
    return shape;
}
NodeDemand nearly_all_devices() {
    NodeDemand demand = demand_for(8, {devices(31), devices(33)});
    demand.devices[0].request.attributes = {
        {"driver", DeviceRequest::AttributeTest::Comparison::greater_equal, "550"}};
    demand.devices[1].request.attributes = {
        {"driver", DeviceRequest::AttributeTest::Comparison::less, "570"}};
    return demand;
}

/// Two packages and 32 domains without cores: a GPU's memory shown as NUMA nodes, but ordinary.
NodeShape many_domains() {
    NodeShape shape = node("2s36c mem=960G gpu:4");
    while (shape.memory.size() < 34) {
        const auto index = static_cast<std::uint32_t>(shape.memory.size());
        shape.memory.push_back({OsIndex(index), MemoryDomain::Kind::dram, gib(1), {}});
    }
    return shape;
}

/// 16 devices, all connected through switches.
NodeShape dgx2() { return node("2s24c2t mem=1T gpu:v100:16@nvlink"); }

/// 8 cards of which each holds other instances.
NodeShape sliced_node() {
    NodeShape shape = node("2s32c mem=1T gpu:a100-40G:8");
    for (Device& device : shape.devices) {
        device.slicing = Slicing{*find_slice_geometry("a100-40gb"), {}, false};
    }
    return shape;
}
std::vector<NodeLedger> sliced_states(const NodeShape& shape) {
    std::vector<NodeLedger> states;
    Rng rng(1);
    for (int i = 0; i < 64; ++i) {
        NodeLedger ledger(shape);
        for (std::uint32_t d = 0; d < shape.devices.size(); ++d) {
            NodePlacement taken;
            const Slicing::Instance small{static_cast<std::uint32_t>(rng.below(7)), 1, "1g.5gb"};
            taken.devices = {{DeviceId(d), Count(1), small}};
            if (rng.chance(2, 3)) static_cast<void>(ledger.take(taken, OwnerId(d)).ok());
        }
        states.push_back(std::move(ledger));
    }
    return states;
}
void fit_slices(benchmark::State& state) {
    const NodeShape shape = sliced_node();
    NodeDemand::Device slices = devices(4);
    slices.request.slice = "3g.20gb";
    FitCache cache(shape, demand_for(8, {slices}), {}, 0);
    ask(state, sliced_states(shape),
        [&](const NodeLedger& ledger) { return cache.fit(ledger.free()).has_value(); });
}

/// A node of a trace of containers, which ask for thousandths of CPUs and GPUs and for no core.
NodeShape shared_node() { return node("96c mem=768G gpu:g2:8/1000"); }
NodeDemand container(std::int64_t gpus, std::int64_t shares) {
    NodeDemand demand = demand_for(0, {});
    demand.milli_cpus = MilliCpu(4'000);
    if (gpus > 0) demand.devices = {devices(gpus)};
    if (gpus > 0) demand.devices[0].request.shares = Count(shares);
    return demand;
}
/// Others have some hundredths of each GPU, often all or nothing.
std::vector<NodeLedger> shared_states(const NodeShape& shape) {
    std::vector<NodeLedger> states;
    Rng rng(1);
    while (states.size() < 64) {
        NodePlacement taken;
        taken.milli_cpus = MilliCpu(100 * static_cast<std::int64_t>(rng.below(900)));
        for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
            const auto percent =
                std::min<std::int64_t>(100, static_cast<std::int64_t>(rng.below(140)));
            if (rng.chance(2, 3) && percent > 0)
                taken.devices.push_back({DeviceId(i), Count(10 * percent)});
        }
        NodeLedger ledger(shape);
        if (ledger.take(taken, OwnerId(1)).ok()) states.push_back(std::move(ledger));
    }
    return states;
}
void fit_container(benchmark::State& state, std::int64_t gpus, std::int64_t shares) {
    const NodeShape shape = shared_node();
    FitCache cache(shape, container(gpus, shares), {}, 0);
    ask(state, shared_states(shape),
        [&](const NodeLedger& ledger) { return cache.fit(ledger.free()).has_value(); });
}

NodeDemand four_gpus_with_cpus() {
    NodeDemand demand = demand_for(1, {devices(4)});
    demand.cpus_per_device = Count(1);
    return demand;
}

}  // namespace

BENCHMARK_CAPTURE(fit_cold, 8_cores_8_gpus, node(small_node), four_gpus_with_cpus(), 10);
BENCHMARK_CAPTURE(fit_once, 8_cores_8_gpus, node(small_node), four_gpus_with_cpus(), 10);
BENCHMARK_CAPTURE(oracle, 8_cores_8_gpus, node(small_node), four_gpus_with_cpus(), 10);

BENCHMARK_CAPTURE(fit_cold, 64_cores_8_gpus / 1_gpu_8_cores, node(large_node),
                  demand_for(16, {devices(1)}), 50);
BENCHMARK_CAPTURE(fit_warm, 64_cores_8_gpus / 1_gpu_8_cores, node(large_node),
                  demand_for(16, {devices(1)}), 50);
BENCHMARK_CAPTURE(fit_once, 64_cores_8_gpus / 1_gpu_8_cores, node(large_node),
                  demand_for(16, {devices(1)}), 50);
BENCHMARK_CAPTURE(fit_cold, 64_cores_8_gpus / 4_gpus_8_cores, node(large_node),
                  demand_for(16, {devices(4)}), 25);
BENCHMARK_CAPTURE(fit_cold, 64_cores_8_gpus / 8_cores, node(large_node), demand_for(16, {}), 50);

BENCHMARK_CAPTURE(fit_cold, 64_devices_63_usable, many_devices(), nearly_all_devices(), 0);
BENCHMARK_CAPTURE(fit_cold, 34_domains, many_domains(), demand_for(8, {devices(2)}), 25);
BENCHMARK_CAPTURE(fit_cold, dgx2 / 8_of_16, dgx2(), demand_for(8, {devices(8)}), 10);
BENCHMARK_CAPTURE(fit_cold, hgx_pairs / 4_of_8, node("2s32c mem=1T gpu:8@nvlink-pairs"),
                  demand_for(8, {devices(4)}), 25);
BENCHMARK_CAPTURE(fit_cold, 1024_threads, node("4s128c2t mem=4T gpu:8"),
                  demand_for(96, {devices(2)}), 50);
BENCHMARK(fit_slices)->Name("fit_cold/8_sliced_cards/4_x_3g.20gb");
BENCHMARK_CAPTURE(fit_container, no_gpu, 0, 0);
BENCHMARK_CAPTURE(fit_container, half_a_gpu, 1, 500);
BENCHMARK_CAPTURE(fit_container, 1_gpu, 1, 0);
BENCHMARK_CAPTURE(fit_container, 4_gpus, 4, 0);

}  // namespace trestle
