// SPDX-License-Identifier: Apache-2.0
// How many times a decision asks for memory: `allocations` of each row, which no load of the
// machine changes.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace {

std::uint64_t allocation_count = 0;

}  // namespace

void* operator new(std::size_t size) {
    ++allocation_count;
    if (void* const memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace trestle {
namespace {

Cluster idle_cluster() { return *testing::cluster_from_text("4 x (2s16c2t mem=512G gpu:a100:8)"); }

Request two_gpus(std::int64_t nodes) {
    Request request;
    request.nodes = Range<Count>::exactly(Count(nodes));
    request.memory = Range<Bytes>::exactly(1_GiB);
    request.devices = {{.types = {"a100"}, .count = Range<Count>::exactly(Count(2))}};
    return request;
}

template <class Place>
void count(benchmark::State& state, const Place& place) {
    std::uint64_t last = 0;
    for (auto _ : state) {
        const std::uint64_t before = allocation_count;
        auto placement = place();
        if (!placement) return state.SkipWithError("no placement");
        last = allocation_count - before;
        benchmark::DoNotOptimize(placement);
    }
    state.counters["allocations"] = static_cast<double>(last);
}

void BM_PlaceOnce(benchmark::State& state) {
    const Cluster cluster = idle_cluster();
    const Request request = two_gpus(state.range(0));
    count(state, [&] { return place(cluster, request); });
}
BENCHMARK(BM_PlaceOnce)->ArgName("nodes")->Arg(1)->Arg(2);

void BM_PlacePrepared(benchmark::State& state) {
    const Cluster cluster = idle_cluster();
    const PreparedRequest request = two_gpus(state.range(0));
    count(state, [&] { return place(cluster, request); });
}
BENCHMARK(BM_PlacePrepared)->ArgName("nodes")->Arg(1)->Arg(2);

void BM_PlacerAgain(benchmark::State& state) {
    const Cluster cluster = idle_cluster();
    const PreparedRequest request = two_gpus(state.range(0));
    Placer placer;
    count(state, [&] { return placer.place(cluster, request); });
}
BENCHMARK(BM_PlacerAgain)->ArgName("nodes")->Arg(1)->Arg(2);

}  // namespace
}  // namespace trestle
