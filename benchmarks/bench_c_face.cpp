// SPDX-License-Identifier: Apache-2.0
// What a call of trestle.h costs over the same call in C++: libtrestle.so against the library.
// README.md has the figures. `calls` is how many functions of trestle.h a round calls, so that the
// overhead of one call is the difference of a pair divided by it.
#include <benchmark/benchmark.h>
#include <trestle.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/dialect/slurm/options/options.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

constexpr auto nodes = "10000 x (2s16c2t mem=512G gpu:a100:4)";
constexpr auto options = "--gres=gpu:a100:2 -c 8 --mem=32G";
/// One that no node has, which is refused.
constexpr auto refused_options = "--gres=gpu:h100:2";

PreparedRequest prepared(const char* text) {
    return PreparedRequest::create(
               slurm::request_of(slurm::parse_option_text(text).value()).value())
        .value();
}

void need(int code) {
    if (code != TRESTLE_OK) std::abort();
}

/// A cluster and a request behind handles.
struct Handles {
    explicit Handles(const char* request_text) {
        need(trestle_cluster_create(TRESTLE_NODE_TEXT, nodes, &cluster, nullptr));
        need(trestle_request_create(TRESTLE_SRUN, request_text, &request, nullptr));
    }
    Handles(const Handles&) = delete;
    Handles& operator=(const Handles&) = delete;
    ~Handles() {
        trestle_request_free(request);
        trestle_cluster_free(cluster);
    }
    trestle_cluster* cluster = nullptr;
    trestle_request* request = nullptr;
};

void job_cpp(benchmark::State& state) {
    Cluster cluster = testing::cluster_from_text(nodes).value();
    const PreparedRequest request = prepared(options);
    Placer placer;
    for (auto _ : state) {
        const auto placement = placer.place(cluster, request);
        if (!cluster.commit({OwnerId(1), request, *placement}).ok()) std::abort();
        if (!cluster.release(OwnerId(1)).ok()) std::abort();
    }
}

void job_c(benchmark::State& state) {
    Handles handles(options);
    trestle_error error;
    for (auto _ : state) {
        trestle_placement* placement = nullptr;
        need(trestle_place(handles.cluster, handles.request, &placement, &error));
        need(trestle_commit(handles.cluster, 1, handles.request, placement, &error));
        need(trestle_release(handles.cluster, 1, &error));
        trestle_placement_free(placement);
    }
    state.counters["calls"] = 4;
}

void refused_cpp(benchmark::State& state) {
    const Cluster cluster = testing::cluster_from_text(nodes).value();
    const PreparedRequest request = prepared(refused_options);
    Placer placer;
    for (auto _ : state) benchmark::DoNotOptimize(placer.place(cluster, request).has_value());
}

void refused_c(benchmark::State& state) {
    Handles handles(refused_options);
    for (auto _ : state) {
        trestle_placement* placement = nullptr;
        if (trestle_place(handles.cluster, handles.request, &placement, nullptr) !=
            TRESTLE_REFUSED) {
            std::abort();
        }
    }
    state.counters["calls"] = 1;
}

void find_node_cpp(benchmark::State& state) {
    const Cluster cluster = testing::cluster_from_text(nodes).value();
    for (auto _ : state) benchmark::DoNotOptimize(cluster.find_node("n7777"));
}

void find_node_c(benchmark::State& state) {
    Handles handles(options);
    trestle_error error;
    for (auto _ : state) {
        std::uint32_t node = 0;
        need(trestle_find_node(handles.cluster, "n7777", &node, &error));
        benchmark::DoNotOptimize(node);
    }
    state.counters["calls"] = 1;
}

BENCHMARK(job_cpp);
BENCHMARK(job_c);
BENCHMARK(refused_cpp);
BENCHMARK(refused_c);
BENCHMARK(find_node_cpp);
BENCHMARK(find_node_c);

}  // namespace
}  // namespace trestle
