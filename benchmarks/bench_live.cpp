// SPDX-License-Identifier: Apache-2.0
// What kubectl prints of a large cluster, read, and questions about its waiting pods.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "trestle/dialect/container/live/kubernetes_cluster.hpp"
#include "trestle/dialect/container/live/pod_starts.hpp"

namespace {

using trestle::container::KubernetesCluster;

/// As many pods as nodes run, and a fifth as many wait: in three zones, half of them for more than
/// any node has.
std::string document_of(std::int64_t nodes) {
    std::string text = R"({"kind": "List", "items": [)";
    for (std::int64_t n = 0; n < nodes; ++n) {
        text += fmt::format(
            R"({{"kind": "Node", "metadata": {{"name": "n{}", "labels": {{"zone": "{}"}}}},
             "status": {{"allocatable": {{"cpu": "63500m", "memory": "256Gi", "pods": "110",
             "nvidia.com/gpu": "8"}}, "conditions": [{{"type": "Ready", "status": "True"}}]}}}},)",
            n, n % 3);
        text += fmt::format(
            R"({{"kind": "Pod", "metadata": {{"namespace": "d", "name": "p{}"}}, "spec": {{
             "nodeName": "n{}", {}"containers": [{{"resources": {{"requests": {{"cpu": "8",
             "memory": "16Gi", "nvidia.com/gpu": "{}"}}}}}}]}},
             "status": {{"phase": "Running"}}}},)",
            n, n * 7919 % nodes, n % 4 == 0 ? R"("activeDeadlineSeconds": 600, )" : "", 1 + n % 4);
    }
    for (std::int64_t n = 0; n < nodes / 5; ++n) {
        text += fmt::format(
            R"({}{{"kind": "Pod", "metadata": {{"namespace": "d", "name": "w{}"}}, "spec": {{
             "nodeSelector": {{"zone": "{}"}}, "containers": [{{"resources": {{"requests": {{
             "cpu": "8", "nvidia.com/gpu": "{}"}}}}}}]}}, "status": {{"phase": "Pending"}}}})",
            n == 0 ? "" : ",", n, n % 3, n % 2 == 0 ? 8 : 9);
    }
    return text + "]}";
}

KubernetesCluster cluster_of(std::int64_t nodes) {
    auto pods = trestle::container::read_kubernetes_cluster(document_of(nodes));
    if (!pods.ok() || !pods->problems.empty()) std::abort();
    return *std::move(pods);
}

void read_pods(benchmark::State& state) {
    const std::string text = document_of(state.range(0));
    for (auto _ : state) {
        benchmark::DoNotOptimize(trestle::container::read_kubernetes_cluster(text));
    }
}
BENCHMARK(read_pods)->Name("kubernetes/read")->Arg(10'000)->Unit(benchmark::kMillisecond);

void start_one(benchmark::State& state) {
    const KubernetesCluster pods = cluster_of(state.range(0));
    for (auto _ : state) {
        benchmark::DoNotOptimize(trestle::container::pod_start(pods, pods.waiting.front()));
    }
}
BENCHMARK(start_one)->Name("kubernetes/pod_start")->Arg(10'000)->Unit(benchmark::kMillisecond);

void start_all(benchmark::State& state) {
    const KubernetesCluster pods = cluster_of(state.range(0));
    for (auto _ : state) {
        benchmark::DoNotOptimize(trestle::container::pod_starts(pods, pods.waiting));
    }
}
BENCHMARK(start_all)->Name("kubernetes/pod_starts")->Arg(10'000)->Unit(benchmark::kMillisecond);

}  // namespace
