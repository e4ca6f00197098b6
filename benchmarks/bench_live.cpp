// SPDX-License-Identifier: Apache-2.0
// What kubectl and scontrol print of a large cluster, read, and questions about what waits in it.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "trestle/dialect/container/live/kubernetes_cluster.hpp"
#include "trestle/dialect/container/live/pod_starts.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"
#include "trestle/dialect/slurm/live/live_cluster.hpp"
#include "trestle/dialect/slurm/live/why.hpp"

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

/// Three quarters of the jobs run, on a node each, and the others wait.
struct SlurmTexts {
    std::string conf, gres, nodes, jobs;
};

SlurmTexts slurm_texts(std::int64_t nodes) {
    SlurmTexts texts;
    texts.conf = fmt::format(
        "ClusterName=c\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"
        "GresTypes=gpu\nDefMemPerCPU=1000\n"
        "NodeName=n[0-{}] Sockets=2 CoresPerSocket=16 RealMemory=256000 Gres=gpu:a100:8\n"
        "PartitionName=p Nodes=ALL Default=YES MaxTime=2-0\n",
        nodes - 1);
    texts.gres = fmt::format(
        "NodeName=n[0-{0}] Name=gpu Type=a100 File=/dev/nvidia[0-3] Cores=0-15\n"
        "NodeName=n[0-{0}] Name=gpu Type=a100 File=/dev/nvidia[4-7] Cores=16-31\n",
        nodes - 1);
    for (std::int64_t n = 0; n < nodes; ++n) {
        const bool is_busy = n % 4 != 3;
        texts.nodes += fmt::format("NodeName=n{}\n   State={}\n\n", n, is_busy ? "MIXED" : "IDLE");
        const std::int64_t gpus = 1 + n % 8;
        if (is_busy) {
            texts.jobs += fmt::format(
                "JobId={0} JobName=r\n   JobState=RUNNING Reason=None\n"
                "   RunTime=00:00:09 TimeLimit=0{2}:00:00\n"
                "   StartTime=2026-11-26T11:22:16 EndTime=2026-11-26T1{2}:22:16\n   Partition=p\n"
                "   NodeList=n{1}\n   NumNodes=1 NumCPUs=4 NumTasks=1 CPUs/Task=4\n"
                "   JOB_GRES=gpu:a100:{3}\n"
                "     Nodes=n{1} CPU_IDs=0-3 Mem=4000 GRES=gpu:a100:{3}(IDX:0-{4})\n"
                "   OverSubscribe=OK Contiguous=0\n   TresPerNode=gres/gpu:a100:{3}\n\n",
                n + 1, n, 2 + n % 5, gpus, gpus - 1);
        } else {
            const std::int64_t counts[] = {2, nodes / 2, nodes, 2};
            const char* const asked[] = {"9", "8", "a100:4", "h100:1"};
            texts.jobs += fmt::format(
                "JobId={0} JobName=w\n   JobState=PENDING Reason=Resources\n"
                "   RunTime=00:00:00 TimeLimit=1-00:00:00\n   StartTime=Unknown EndTime=Unknown\n"
                "   Partition=p\n   NodeList=\n   NumNodes={1}-{1} NumCPUs=8 NumTasks={1} "
                "CPUs/Task=4\n"
                "   ReqTRES=cpu=8,node={1}\n"
                "   MinMemoryCPU=1000M\n   OverSubscribe=OK Contiguous=0\n"
                "   TresPerNode=gres/gpu:{2}\n\n",
                n + 1, counts[n / 4 % 4], asked[n / 4 % 4]);
        }
    }
    return texts;
}

trestle::slurm::LiveCluster slurm_cluster(const SlurmTexts& texts) {
    using namespace trestle::slurm;
    auto reading = read_cluster({.slurm_conf = texts.conf, .gres_conf = texts.gres});
    auto live = read_live_cluster(std::move(reading), {.nodes = texts.nodes, .jobs = texts.jobs});
    if (!live.ok() || live->running.empty()) std::abort();
    return *std::move(live);
}

void read_slurm(benchmark::State& state) {
    const SlurmTexts texts = slurm_texts(state.range(0));
    for (auto _ : state) benchmark::DoNotOptimize(slurm_cluster(texts));
}
BENCHMARK(read_slurm)->Name("slurm/read")->Arg(10'000)->Unit(benchmark::kMillisecond);

/// Of jobs that wait: for more than a node has, for half of the nodes, for all of them, for a type
/// that there is not.
void why_job(benchmark::State& state) {
    const auto live = slurm_cluster(slurm_texts(state.range(0)));
    const auto job = static_cast<std::uint64_t>(4 + 4 * state.range(1));
    for (auto _ : state) {
        const auto answer = trestle::slurm::why(live, job);
        if (!answer.ok()) std::abort();
        benchmark::DoNotOptimize(answer);
    }
}
BENCHMARK(why_job)
    ->Name("slurm/why")
    ->ArgsProduct({{10'000}, {0, 1, 2, 3}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
