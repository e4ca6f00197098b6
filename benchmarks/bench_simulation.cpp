// SPDX-License-Identifier: Apache-2.0
// What pass after pass over a queue costs: jobs arrive on 1,000 nodes, run shorter than they say,
// and there is a pass whenever something changes. Names: kept/discipline/jobs/whole by a JobQueue,
// anew/discipline/jobs/whole by schedule_pass(); us_a_job is the time of all by jobs, waiting the
// mean length of the queue. Disciplines: 1 is EASY, 2 conservative. Then 1 for jobs of whole nodes,
// 0 for jobs of half of a node each, 2 for jobs of 1 to 14,043 tasks on any number of nodes.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <queue>
#include <utility>
#include <vector>

#include "trestle/alloc/schedule/queue/job_queue.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace {

using namespace trestle;

struct SimulatedJob {
    std::int64_t arrival = 0;
    QueuedJob queued;
    std::int64_t runtime = 1;
};

enum class DrawnJobs { parts_of_nodes, whole_nodes, tasks };

/// Sizes are powers of two, most of them small; users ask for up to five times what they use.
std::vector<SimulatedJob> draw_jobs(std::int64_t count, DrawnJobs kind) {
    Rng rng(11);
    const std::int64_t limits[] = {600, 1800, 3600, 7200, 14400, 28800, 43200, 86400, 172800};
    std::vector<PreparedRequest> requests;
    for (std::int64_t i = 0; i < (kind == DrawnJobs::tasks ? 14 : 9); ++i) {
        Request request;
        // Sizes of tasks are no multiples of one another.
        const std::int64_t odd = kind == DrawnJobs::tasks ? (std::int64_t{1} << i) * 5 / 7 : 0;
        const Count size((std::int64_t{1} << i) + odd);
        if (kind == DrawnJobs::tasks) {
            request.nodes = {};
            request.tasks = size;
        } else {
            request.nodes = Range<Count>::exactly(size);
        }
        if (kind == DrawnJobs::whole_nodes) {
            request.exclusivity = Exclusivity::whole_node;
        } else if (kind == DrawnJobs::parts_of_nodes) {
            request.cpus_per_task = Range<Count>::exactly(Count(8));  // half of a node
        }
        requests.emplace_back(std::move(request));
    }
    std::vector<SimulatedJob> jobs;
    std::int64_t now = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        now += static_cast<std::int64_t>(rng.below(346));
        const auto runtime = static_cast<std::int64_t>(30 + rng.below(1 + rng.below(40'000)));
        const auto wanted = runtime * static_cast<std::int64_t>(10 + rng.below(40)) / 10;
        const auto* const limit = std::find_if(std::begin(limits), std::end(limits) - 1,
                                               [&](std::int64_t one) { return wanted <= one; });
        const auto size = rng.below(1 + rng.below(requests.size()));
        jobs.push_back({now,
                        {OwnerId(static_cast<std::uint64_t>(i)), requests[size], Seconds(*limit)},
                        std::min(runtime, *limit)});
    }
    return jobs;
}

class Simulation {
  public:
    Simulation(const std::vector<SimulatedJob>& jobs, const Discipline& discipline, bool is_kept)
        : jobs_(jobs),
          discipline_(discipline),
          is_kept_(is_kept),
          timeline_(*testing::cluster_from_text("1000 x (16c)")),
          queue_(discipline, {false}) {}

    void run() {
        for (std::size_t next = 0; next < jobs_.size() || !ends_.empty();) {
            std::int64_t now = next < jobs_.size() ? jobs_[next].arrival : ends_.top().first;
            if (!ends_.empty()) now = std::min(now, ends_.top().first);
            if (!timeline_.advance(Instant(now)).ok()) return;
            for (; !ends_.empty() && ends_.top().first == now; ends_.pop()) {
                const OwnerId owner(ends_.top().second);
                if (timeline_.period_of(owner) && !timeline_.cancel(owner).ok()) return;
            }
            for (; next < jobs_.size() && jobs_[next].arrival == now; ++next) {
                if (!is_kept_) waiting_.push_back(jobs_[next].queued);
                if (is_kept_ && !queue_.add(jobs_[next].queued).ok()) return;
            }
            pass(now);
        }
    }
    std::uint64_t started = 0, passes = 0, waiting = 0;

  private:
    void pass(std::int64_t now) {
        ++passes;
        waiting += is_kept_ ? queue_.size() : waiting_.size();
        const auto starts = is_kept_
                                ? queue_.schedule(timeline_, finder_)->starts
                                : schedule_pass(timeline_, waiting_, discipline_, finder_)->starts;
        for (const TimedAllocation& one : starts) {
            if (!timeline_.reserve(one.allocation, one.period).ok()) return;
            const OwnerId owner = one.allocation.owner;
            std::erase_if(waiting_, [&](const QueuedJob& job) { return job.owner == owner; });
            ends_.emplace(now + jobs_[owner.value()].runtime, owner.value());
            ++started;
        }
    }

    using End = std::pair<std::int64_t, std::uint64_t>;

    const std::vector<SimulatedJob>& jobs_;
    Discipline discipline_;
    bool is_kept_;
    Timeline timeline_;
    JobQueue queue_;
    std::vector<QueuedJob> waiting_;
    StartFinder finder_;
    std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

void simulate(benchmark::State& state, bool is_kept) {
    const auto jobs = draw_jobs(state.range(1), static_cast<DrawnJobs>(state.range(2)));
    const Discipline discipline =
        state.range(0) == 1 ? Discipline::easy() : Discipline::conservative();
    double waiting = 0;
    for (auto unused : state) {
        Simulation simulation(jobs, discipline, is_kept);
        simulation.run();
        if (simulation.started != jobs.size()) state.SkipWithError("not all jobs started");
        waiting = static_cast<double>(simulation.waiting) / static_cast<double>(simulation.passes);
    }
    state.counters["waiting"] = waiting;
    state.counters["us_a_job"] = benchmark::Counter(
        static_cast<double>(jobs.size()) / 1e6,
        benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void kept(benchmark::State& state) { simulate(state, true); }
void anew(benchmark::State& state) { simulate(state, false); }

BENCHMARK(kept)->ArgsProduct({{1, 2}, {1000, 4000, 16000}, {1, 0}})->Unit(benchmark::kMillisecond);
BENCHMARK(kept)->ArgsProduct({{1, 2}, {150, 500, 2000}, {2}})->Unit(benchmark::kMillisecond);
BENCHMARK(anew)->ArgsProduct({{1, 2}, {1000}, {1, 0}})->Unit(benchmark::kMillisecond);

}  // namespace
