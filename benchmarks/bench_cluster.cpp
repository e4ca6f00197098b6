// SPDX-License-Identifier: Apache-2.0
// What it costs to hold a cluster and to change it, from 1,000 to 1,000,000 nodes of ten shapes.
// Names: operation/nodes. "memory" counts what is allocated, by a new of its own; "commit_release"
// gives eight cores, memory and a GPU of some node back and takes them again, in a cluster of which
// a third of the nodes are used; "first_write" is a copy, one such change of it and its end.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/compact_cluster_parts.hpp"
#include "model/topologies.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/cluster_bytes.hpp"
#include "trestle/alloc/cluster/cluster_diff.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace {
std::size_t allocated_bytes = 0;
}  // namespace

void* operator new(std::size_t size) {
    void* const memory = std::malloc(size);
    if (memory == nullptr) throw std::bad_alloc();
    allocated_bytes += malloc_usable_size(memory);
    return memory;
}
void operator delete(void* memory) noexcept {
    if (memory != nullptr) allocated_bytes -= malloc_usable_size(memory);
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace {

using namespace trestle;

std::uint32_t nodes_of(const benchmark::State& state) {
    return static_cast<std::uint32_t>(state.range(0));
}

/// 2 x 32 cores and 8 GPUs each, with ten sizes of memory.
ClusterParts parts_of(std::uint32_t nodes) {
    std::string text;
    for (std::uint32_t i = 0; i < 10; ++i) {
        text += fmt::format("{}{} x (2s32c mem={}G gpu:8)", i == 0 ? "" : "; ", nodes / 10,
                            512 + 64 * i);
    }
    return *testing::cluster_parts_from_text(text);
}

NodePlacement one_gpu(std::uint32_t node, std::uint32_t gpu) {
    NodePlacement part;
    part.node = NodeId(node);
    part.cores = CoreSet::range({8 * gpu, 8 * gpu + 8});
    part.memory = {{DomainId(gpu / 4), gib(32)}};
    part.devices = {{DeviceId(gpu), Count(1)}};
    return part;
}

/// Every third node has two to eight jobs; owners count from 0.
Cluster used_cluster(std::uint32_t nodes) {
    Cluster cluster = *Cluster::create(parts_of(nodes));
    Rng rng(1);
    std::uint64_t owner = 0;
    for (std::uint32_t node = 0; node < nodes; node += 3) {
        const auto jobs = static_cast<std::uint32_t>(2 + rng.below(7));
        for (std::uint32_t gpu = 0; gpu < jobs; ++gpu) {
            if (!cluster.commit({OwnerId(owner++), {}, {{one_gpu(node, gpu)}}}).ok()) std::abort();
        }
    }
    return cluster;
}

OwnerId any_owner(Rng& rng, const Cluster& cluster) {
    return OwnerId(rng.below(cluster.allocation_count()));
}

void change(Cluster& cluster, OwnerId owner) {
    auto given = cluster.release(owner);
    if (!cluster.commit(*std::move(given)).ok()) std::abort();
}

void memory_idle(benchmark::State& state) {
    const ClusterParts parts = parts_of(nodes_of(state));
    for (auto _ : state) {
        const std::size_t before = allocated_bytes;
        const Cluster cluster = *Cluster::create(parts);
        state.counters["bytes_per_node"] =
            static_cast<double>(allocated_bytes - before) / nodes_of(state);
    }
}
void memory_half_full(benchmark::State& state) {
    const ClusterParts parts = parts_of(nodes_of(state));
    for (auto _ : state) {
        const std::size_t before = allocated_bytes;
        Cluster cluster = *Cluster::create(parts);
        for (std::uint32_t node = 0; node < nodes_of(state); ++node) {
            for (std::uint32_t gpu = 0; gpu < 8; gpu += 2) {
                const OwnerId owner(std::uint64_t{node} << 3 | gpu);
                if (!cluster.commit({owner, {}, {{one_gpu(node, gpu)}}}).ok()) std::abort();
            }
        }
        state.counters["bytes_per_node"] =
            static_cast<double>(allocated_bytes - before) / nodes_of(state);
        state.counters["jobs"] = static_cast<double>(cluster.allocation_count());
    }
}
void create(benchmark::State& state) {
    const ClusterParts parts = parts_of(nodes_of(state));
    for (auto _ : state) benchmark::DoNotOptimize(Cluster::create(parts));
}
void from_compact_parts(benchmark::State& state) {
    const auto compact = CompactClusterParts::of(*Cluster::create(parts_of(nodes_of(state))));
    for (auto _ : state) benchmark::DoNotOptimize(compact.cluster());
}
void copy(benchmark::State& state) {
    const Cluster cluster = used_cluster(nodes_of(state));
    for (auto _ : state) {
        Cluster another = cluster;
        benchmark::DoNotOptimize(another);
    }
}
void first_write(benchmark::State& state) {
    const Cluster cluster = used_cluster(nodes_of(state));
    Rng rng(2);
    for (auto _ : state) {
        Cluster another = cluster;
        change(another, any_owner(rng, cluster));
    }
}
void commit_release(benchmark::State& state) {
    Cluster cluster = used_cluster(nodes_of(state));
    Rng rng(2);
    for (auto _ : state) change(cluster, any_owner(rng, cluster));
}
void trial_undo(benchmark::State& state) {
    Cluster cluster = used_cluster(nodes_of(state));
    Rng rng(2);
    for (auto _ : state) {
        const Cluster::Trial trial = cluster.trial();
        benchmark::DoNotOptimize(cluster.release(any_owner(rng, cluster)));
    }
}
void drain_resume(benchmark::State& state) {
    Cluster cluster = used_cluster(nodes_of(state));
    Rng rng(2);
    for (auto _ : state) {
        const NodeId node(static_cast<std::uint32_t>(rng.below(cluster.node_count())));
        cluster.set_node_state(node, NodeState::drained);
        cluster.set_node_state(node, NodeState::up);
    }
}
void write_bytes(benchmark::State& state) {
    const Cluster cluster = used_cluster(nodes_of(state));
    for (auto _ : state) benchmark::DoNotOptimize(to_bytes(cluster));
    state.counters["bytes_per_node"] =
        static_cast<double>(to_bytes(cluster).size()) / nodes_of(state);
}
void read_bytes(benchmark::State& state) {
    const auto bytes = to_bytes(used_cluster(nodes_of(state)));
    for (auto _ : state) benchmark::DoNotOptimize(from_bytes(bytes));
}
void diff_of_one(benchmark::State& state) {
    const Cluster before = used_cluster(nodes_of(state));
    Cluster after = before;
    if (!after.release(OwnerId(5)).ok()) std::abort();
    for (auto _ : state) benchmark::DoNotOptimize(diff(before, after));
}

void sizes(benchmark::internal::Benchmark* one) {
    for (const int nodes : {1'000, 10'000, 100'000, 1'000'000}) one->Arg(nodes);
}

BENCHMARK(commit_release)->Apply(sizes);
BENCHMARK(trial_undo)->Apply(sizes);
BENCHMARK(copy)->Apply(sizes);
BENCHMARK(first_write)->Apply(sizes);
BENCHMARK(drain_resume)->Apply(sizes);
BENCHMARK(diff_of_one)->Apply(sizes);
BENCHMARK(create)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(from_compact_parts)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(write_bytes)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(read_bytes)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(memory_idle)->Arg(1'000'000)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(memory_half_full)->Arg(1'000'000)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
