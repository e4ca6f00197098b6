// SPDX-License-Identifier: Apache-2.0
// What it costs to decide when: a backlog entered into a timeline, the earliest start of a job on a
// full machine, passes over a queue, who has to end, the state of a moment to come, and what a
// timeline takes up. One step is the whole of it; ns_a_job is a job's share, bytes_per_share that
// of a job on a node. Names: backlog/jobs/nodes, licensed/jobs/nodes, earliest/nodes/gpus,
// wide/first or again/nodes, pass/discipline/jobs/nodes, pass_shared the same, never/nodes,
// preemption/nodes/asked/costs (costs up to that, 1: alike), future/ended/nodes,
// bytes_running/nodes/gpus, bytes_reserved/jobs/nodes; seeds are fixed.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "alloc/schedule/timeline/owner_moment.hpp"
#include "base/cow/cow_map.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/alloc/schedule/explain.hpp"
#include "trestle/alloc/schedule/preemption.hpp"
#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace {

using namespace trestle;

Timeline idle(std::int64_t nodes, std::int64_t gpus = 8) {
    return Timeline(
        *testing::cluster_from_text(fmt::format("{} x (2s32c mem=1T gpu:{})", nodes, gpus)));
}

/// Jobs of 1 to 64 whole nodes for 1 to 100 minutes; those of a size share a request.
std::vector<QueuedJob> whole_node_jobs(std::int64_t count) {
    std::vector<PreparedRequest> requests;
    for (std::int64_t nodes = 1; nodes <= 64; ++nodes) {
        Request request;
        request.nodes = Range<Count>::exactly(Count(nodes));
        request.exclusivity = Exclusivity::whole_node;
        requests.emplace_back(std::move(request));
    }
    Rng rng(7);
    std::vector<QueuedJob> jobs;
    for (std::int64_t i = 0; i < count; ++i) {
        const PreparedRequest& request = requests[static_cast<std::size_t>(rng.below(64))];
        const auto minutes = static_cast<std::int64_t>(1 + rng.below(100));
        jobs.push_back(
            {OwnerId(static_cast<std::uint64_t>(i + 1)), request, Seconds(60 * minutes), 0});
    }
    return jobs;
}

Request one_gpu() {
    Request request;
    request.cpus_per_task = Range<Count>::exactly(Count(8));
    request.memory = Range<Bytes>::at_least(gib(32));
    DeviceRequest device;
    device.count = Range<Count>::exactly(Count(1));
    request.devices = {device};
    return request;
}

void per_job(benchmark::State& state, std::int64_t jobs) {
    state.counters["ns_a_job"] = benchmark::Counter(
        static_cast<double>(jobs) / 1e9,
        benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// Enters each job where it can start first; true when all have entered.
bool enter(const std::vector<QueuedJob>& jobs, Timeline& timeline, StartFinder& finder) {
    for (const QueuedJob& job : jobs) {
        auto found = finder.earliest_start(timeline, job.request, {{}, job.duration, {}});
        const Status given =
            timeline.reserve({job.owner, job.request, std::move(found->placement)}, found->period);
        if (!given.ok()) return false;
    }
    return true;
}

/// Enters the jobs, again and again.
void enter_all(benchmark::State& state, const std::vector<QueuedJob>& jobs, const Timeline& start) {
    StartFinder finder;
    for (auto _ : state) {
        Timeline timeline = start;
        if (!enter(jobs, timeline, finder)) return state.SkipWithError("not reserved");
        benchmark::DoNotOptimize(timeline);
    }
    per_job(state, state.range(0));
}

void backlog(benchmark::State& state) {
    enter_all(state, whole_node_jobs(state.range(0)), idle(state.range(1)));
}
BENCHMARK(backlog)->Args({1000, 1000})->Args({10000, 10000})->Unit(benchmark::kMillisecond);

/// The same with jobs of one core and one of 16 licences, which they wait for, not for nodes.
void licensed(benchmark::State& state) {
    auto parts = *testing::cluster_parts_from_text(fmt::format("{} x (2s32c)", state.range(1)));
    parts.counts = {{"abaqus", Count(16)}};
    const Timeline start(*Cluster::create(parts));
    Request request;
    request.cluster_counts = {{"abaqus", Count(1)}};
    std::vector<QueuedJob> jobs = whole_node_jobs(state.range(0));
    const PreparedRequest shared(std::move(request));
    for (QueuedJob& job : jobs) job.request = shared;
    enter_all(state, jobs, start);
}
BENCHMARK(licensed)->Args({300, 100})->Args({1000, 100})->Unit(benchmark::kMillisecond);

/// Makes every GPU somebody's, a job each, all of which end some time. True when they were
/// reserved.
bool fill(Timeline& timeline, const PreparedRequest& request) {
    Rng rng(7);
    std::uint64_t owner = 0;
    Placer placer;
    while (auto placement = placer.place(timeline.cluster(), request)) {
        const Instant end(static_cast<std::int64_t>(1000 + rng.below(1'000'000)));
        if (!timeline.reserve({OwnerId(++owner), request, *std::move(placement)}, {{}, end}).ok()) {
            return false;
        }
    }
    return true;
}

void earliest(benchmark::State& state) {
    Timeline timeline = idle(state.range(0), state.range(1));
    const PreparedRequest request = one_gpu();
    if (!fill(timeline, request)) return state.SkipWithError("not reserved");
    StartFinder finder;
    std::int64_t seconds = 1;
    for (auto _ : state) {
        auto found = finder.earliest_start(timeline, request, {{}, Seconds(++seconds), {}});
        if (!found) return state.SkipWithError("no start");
        benchmark::DoNotOptimize(found);
    }
    state.counters["running"] = static_cast<double>(timeline.size());
}
BENCHMARK(earliest)->Args({12500, 8})->Args({100000, 1})->Unit(benchmark::kMicrosecond);

/// The cluster at a moment by which so many of the jobs, one on each node, have ended.
void future(benchmark::State& state) {
    Timeline timeline = idle(state.range(1), 1);
    if (!fill(timeline, one_gpu())) return state.SkipWithError("not reserved");
    auto end = timeline.ends().begin();
    for (std::int64_t i = 1; i < state.range(0); ++i) ++end;
    const Instant at = end->key.at;
    for (auto _ : state) benchmark::DoNotOptimize(*timeline.free_at(at));
}
BENCHMARK(future)
    ->Args({1, 100000})
    ->Args({100, 100000})
    ->Args({1000, 100000})
    ->Args({100, 1000})
    ->Unit(benchmark::kMicrosecond);

double bytes_in_use() {
    const auto heap = mallinfo2();
    return static_cast<double>(heap.uordblks + heap.hblkhd);
}
std::size_t shares(const Timeline& timeline) {
    std::size_t all = 0;
    for (const TimedAllocation& one : timeline.reservations()) {
        all += one.allocation.placement.nodes.size();
    }
    return all;
}
/// What the heap holds more once the timeline is full, for each job on each node.
template <class Enter>
void bytes(benchmark::State& state, Timeline timeline, const Enter& enter) {
    for (auto _ : state) {
        const double before = bytes_in_use();
        if (!enter(timeline)) return state.SkipWithError("not reserved");
        const double taken = bytes_in_use() - before;
        state.counters["bytes_per_share"] = taken / static_cast<double>(shares(timeline));
    }
}
void bytes_running(benchmark::State& state) {
    const PreparedRequest request = one_gpu();
    bytes(state, idle(state.range(0), state.range(1)),
          [&](Timeline& timeline) { return fill(timeline, request); });
}
BENCHMARK(bytes_running)->Args({12500, 8})->Args({100000, 1})->Iterations(1);
void bytes_reserved(benchmark::State& state) {
    const std::vector<QueuedJob> jobs = whole_node_jobs(state.range(0));
    bytes(state, idle(state.range(1)), [&](Timeline& timeline) {
        StartFinder finder;
        return enter(jobs, timeline, finder);
    });
}
BENCHMARK(bytes_reserved)->Args({1000, 1000})->Args({10000, 10000})->Iterations(1);

void passes(benchmark::State& state, const Timeline& timeline, const std::vector<QueuedJob>& jobs,
            const Discipline& discipline) {
    for (auto _ : state) {
        StartFinder finder;
        auto result = *schedule_pass(timeline, jobs, discipline, finder);
        state.counters["starts"] = static_cast<double>(result.starts.size());
        benchmark::DoNotOptimize(result);
    }
    per_job(state, state.range(0));
}

void pass(benchmark::State& state, const Discipline& discipline) {
    passes(state, idle(state.range(1)), whole_node_jobs(state.range(0)), discipline);
}
BENCHMARK_CAPTURE(pass, conservative, Discipline::conservative())
    ->Args({1000, 1000})
    ->Args({10000, 10000})
    ->Unit(benchmark::kMillisecond);
/// With reservations for the next two hours only, as of a queue that is far longer.
BENCHMARK_CAPTURE(pass, two_hours, Discipline{Discipline::Order::as_queued, {}, {}, Seconds(7200)})
    ->Args({1000, 1000})
    ->Args({10000, 10000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pass, easy, Discipline::easy())
    ->Args({1000, 1000})
    ->Args({10000, 10000})
    ->Unit(benchmark::kMillisecond);

/// Nodes that each have some GPUs taken for some time, and some free.
Timeline half_full(std::int64_t nodes) {
    Timeline timeline = idle(nodes);
    Rng rng(7);
    std::vector<PreparedRequest> requests;
    for (const std::int64_t count : {1, 2, 4}) {
        Request request = one_gpu();
        request.devices[0].count = Range<Count>::exactly(Count(count));
        requests.emplace_back(std::move(request));
    }
    Placer placer;
    std::uint64_t owner = 0;
    for (std::int64_t taken = 0; taken < 8 * nodes;) {
        const auto kind = static_cast<std::size_t>(rng.below(3));
        auto placement = placer.place(timeline.cluster(), requests[kind]);
        if (!placement && kind == 0) break;
        if (!placement) continue;
        const Instant end(static_cast<std::int64_t>(1000 + rng.below(1'000'000)));
        const Allocation job{OwnerId(++owner), requests[kind], *std::move(placement)};
        if (!timeline.reserve(job, {{}, end}).ok()) break;
        taken += std::int64_t{1} << kind;
    }
    for (std::uint64_t one = 1; one <= owner; ++one) {
        const NodeId node = timeline.find_allocation(OwnerId(one))->placement.nodes[0].node;
        const bool is_last = timeline.cluster().owners_on(node).size() == 1;
        if (rng.below(3) != 0 && !is_last) static_cast<void>(timeline.cancel(OwnerId(one)));
    }
    return timeline;
}

/// Jobs of 1 to 8 GPUs of a node, and of 8 GPUs on each of 2, 8 and 64 nodes.
std::vector<QueuedJob> shared_node_jobs(std::int64_t count) {
    std::vector<PreparedRequest> requests;
    const auto add = [&](std::int64_t nodes, std::int64_t devices) {
        Request request = one_gpu();
        request.nodes = Range<Count>::exactly(Count(nodes));
        request.tasks = Count(nodes);
        request.devices[0].count = Range<Count>::exactly(Count(devices));
        requests.emplace_back(std::move(request));
    };
    for (const std::int64_t devices : {1, 2, 4, 8}) add(1, devices);
    for (const std::int64_t nodes : {2, 8, 64}) add(nodes, 8);
    Rng rng(8);
    std::vector<QueuedJob> jobs;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto minutes = static_cast<std::int64_t>(1 + rng.below(6000));
        const PreparedRequest& request = requests[static_cast<std::size_t>(rng.below(7))];
        jobs.push_back({OwnerId(static_cast<std::uint64_t>(1'000'000 + i)), request,
                        Seconds(60 * minutes), 0});
    }
    return jobs;
}

/// When 64 nodes have 8 GPUs each, on nodes of which each has some taken: by a new finder for each
/// question, or by one that is asked again, for another duration.
void wide(benchmark::State& state, bool is_new) {
    const Timeline timeline = half_full(state.range(0));
    Request wanted = one_gpu();
    wanted.nodes = Range<Count>::exactly(Count(64));
    wanted.tasks = Count(64);
    wanted.devices[0].count = Range<Count>::exactly(Count(8));
    const PreparedRequest request(std::move(wanted));
    StartFinder kept;
    std::int64_t seconds = 1;
    for (auto _ : state) {
        StartFinder fresh;
        auto found =
            (is_new ? fresh : kept).earliest_start(timeline, request, {{}, Seconds(++seconds), {}});
        if (!found) return state.SkipWithError("no start");
        benchmark::DoNotOptimize(found);
    }
}
BENCHMARK_CAPTURE(wide, first, true)->Arg(10000)->Arg(100000)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(wide, again, false)->Arg(10000)->Arg(100000)->Unit(benchmark::kMicrosecond);

/// A pass over jobs that share nodes with others.
void pass_shared(benchmark::State& state, const Discipline& discipline) {
    passes(state, half_full(state.range(1)), shared_node_jobs(state.range(0)), discipline);
}
BENCHMARK_CAPTURE(pass_shared, conservative, Discipline::conservative())
    ->Args({1000, 1000})
    ->Args({1000, 10000})
    ->Args({10000, 10000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pass_shared, easy, Discipline::easy())
    ->Args({1000, 10000})
    ->Args({1000, 100000})
    ->Unit(benchmark::kMillisecond);

/// Why a job that no node can ever take has no place.
void never(benchmark::State& state) {
    const Cluster cluster = half_full(state.range(0)).cluster();
    Request request = one_gpu();
    request.devices[0].count = Range<Count>::exactly(Count(9));
    for (auto _ : state) benchmark::DoNotOptimize(explain(cluster, request));
}
BENCHMARK(never)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMicrosecond);

/// Every GPU is somebody's, a job each; 8 of a node are wanted, on `asked` nodes.
void preemption(benchmark::State& state) {
    Cluster cluster = idle(state.range(0)).cluster();
    const PreparedRequest tenant = one_gpu();
    Rng rng(7);
    std::vector<PreemptionPlan::Victim> victims;
    Placer placer;
    while (auto placement = placer.place(cluster, tenant)) {
        const OwnerId owner(victims.size());
        if (!cluster.commit({owner, tenant, *std::move(placement)}).ok()) {
            return state.SkipWithError("not given");
        }
        const auto costs = static_cast<std::uint64_t>(state.range(2));
        victims.push_back({owner, 1 + static_cast<std::int64_t>(rng.below(costs)), {}});
    }
    Request request = one_gpu();
    request.nodes = Range<Count>::exactly(Count(state.range(1)));
    request.devices[0].count = Range<Count>::exactly(Count(8));
    for (auto _ : state) {
        const auto plan = plan_preemption(cluster, request, victims);
        if (!plan) return state.SkipWithError("no plan");
        state.counters["cost"] = static_cast<double>(plan->cost);
        state.counters["is_cheapest"] = plan->is_cheapest ? 1 : 0;
        benchmark::DoNotOptimize(plan);
    }
}
BENCHMARK(preemption)
    ->Args({1000, 1, 1})
    ->Args({1000, 1, 100})
    ->Args({1000, 4, 1})
    ->Args({1000, 4, 100})
    ->Unit(benchmark::kMillisecond);

}  // namespace
