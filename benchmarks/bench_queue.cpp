// SPDX-License-Identifier: Apache-2.0
// What it costs to say who may start: eligible_jobs() on a queue of jobs that wait for others. One
// step is the whole queue; ns_a_dependency is one owner's share of it.
// Names: eligible/jobs/dependencies of each; chain/jobs, each waiting for the next.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "trestle/alloc/schedule/eligible.hpp"
#include "trestle/base/rng.hpp"

namespace {

using namespace trestle;

struct WaitingQueue {
    std::vector<QueuedJob> queue;
    QueueState state;
};

/// Half of the jobs wait in the queue, for jobs before them of which half have ended well.
WaitingQueue random_queue(std::int64_t jobs, std::int64_t dependencies) {
    Rng rng(7);
    WaitingQueue made;
    for (std::int64_t i = 1; i <= 2 * jobs; ++i) {
        const OwnerId owner(static_cast<std::uint64_t>(i));
        if (i % 2 == 0) {
            made.state.records.push_back(
                {owner, JobRecord::Phase::completed, Instant(1), Instant(2)});
            continue;
        }
        made.queue.push_back({owner, {}, {}});
        StartConditions conditions;
        conditions.owner = owner;
        Dependency dependency{Dependency::Kind::afterok, {}, {}, {}};
        for (std::int64_t k = 0; k < dependencies && i > 1; ++k) {
            const auto before = static_cast<std::uint64_t>(i - 1);
            dependency.jobs.push_back(OwnerId(1 + rng.below(before)));
        }
        if (i > 1) conditions.dependencies.push_back(dependency);
        made.state.conditions.push_back(conditions);
    }
    return made;
}

WaitingQueue chain_of(std::int64_t jobs) {
    WaitingQueue made;
    for (std::int64_t i = 1; i <= jobs; ++i) {
        const OwnerId owner(static_cast<std::uint64_t>(i));
        made.queue.push_back({owner, {}, {}});
        if (i == jobs) break;
        StartConditions conditions;
        conditions.owner = owner;
        const OwnerId next(static_cast<std::uint64_t>(i + 1));
        conditions.dependencies.push_back({Dependency::Kind::afterok, {next}, {}, {}});
        made.state.conditions.push_back(conditions);
    }
    return made;
}

void look(benchmark::State& state, const WaitingQueue& made, std::int64_t dependencies) {
    for (auto _ : state) {
        const auto found = eligible_jobs(made.queue, made.state, Instant(10));
        if (!found.ok()) return state.SkipWithError("no queue");
        benchmark::DoNotOptimize(found);
    }
    state.counters["ns_a_dependency"] = benchmark::Counter(
        static_cast<double>(dependencies) / 1e9,
        benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void eligible(benchmark::State& state) {
    look(state, random_queue(state.range(0), state.range(1)), state.range(0) * state.range(1));
}
BENCHMARK(eligible)->Args({1000, 2})->Args({100000, 10})->Unit(benchmark::kMillisecond);

void chain(benchmark::State& state) { look(state, chain_of(state.range(0)), state.range(0)); }
BENCHMARK(chain)->Arg(1000000)->Unit(benchmark::kMillisecond);

}  // namespace
