// SPDX-License-Identifier: Apache-2.0
// Calls that take a timeline.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "growth.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/schedule/earliest_start.hpp"
#include "trestle/alloc/schedule/explain.hpp"
#include "trestle/alloc/schedule/queue/job_queue.hpp"
#include "trestle/alloc/schedule/reservation_timeline.hpp"
#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/alloc/schedule/timeline_bytes.hpp"
#include "trestle/alloc/schedule/timeline_diff.hpp"
#include "trestle/base/hash.hpp"

namespace trestle::growth {
namespace {

/// Jobs of 1 to 8 GPUs of a node, and of 8 GPUs on each of 2 and 8 nodes, for unlike durations.
std::vector<QueuedJob> queue_of(std::uint64_t count) {
    std::vector<PreparedRequest> requests;
    for (const std::int64_t each : {1, 2, 4, 8}) requests.push_back(gpus(1, each));
    for (const std::int64_t nodes : {2, 8}) requests.push_back(gpus(nodes, 8));
    std::vector<QueuedJob> jobs;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto minutes = static_cast<std::int64_t>(1 + (i * 7919) % 6000);
        jobs.push_back(
            {OwnerId(10'000'000 + i), requests[i % requests.size()], Seconds(60 * minutes), 0, {}});
    }
    return jobs;
}

/// The same, and no two want as much memory.
std::vector<QueuedJob> unlike_queue_of(std::int64_t count) {
    auto jobs = queue_of(static_cast<std::uint64_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        jobs[static_cast<std::size_t>(i)].request = gpus(1, 1 + i % 8, 16 + i);
    }
    return jobs;
}

std::size_t read_timeline(const Timeline& timeline, NodeId node) {
    const Period soon{Instant(0), Instant(500)};
    (void)timeline.periods();
    (void)timeline.reserved();
    (void)timeline.starts();
    (void)timeline.ends();
    (void)timeline.journal();
    (void)timeline.next_change();
    (void)timeline.starts_around(node, Instant(1));
    (void)timeline.most_cpus(node, "", soon);
    return timeline.size() + static_cast<std::size_t>(timeline.now().value()) +
           (timeline.period_of(OwnerId(2)) ? 1U : 0U) +
           timeline.find_allocation(OwnerId(2))->placement.nodes.size() +
           timeline.state(node, soon).free.memory.size();
}

}  // namespace

void count_starts(const Timeline& full) {
    const Watched watched;
    const PreparedRequest whole = gpus(1, 8);
    const PreparedRequest wide = gpus(64, 8);
    StartFinder finder;
    const auto start = [&](const PreparedRequest& request, std::int64_t seconds) {
        return finder.earliest_start(full, request, {{}, Seconds(seconds), {}});
    };
    require(measure("earliest_start", [&] { return start(wide, 1000); }).has_value(), "a start");
    (void)measure("earliest_start again", [&] { return start(wide, 2000); });
    (void)measure("earliest_start of another", [&] { return start(whole, 2000); });
    (void)measure("why_never", [&] { return finder.why_never(full, gpus(1, 9)); });
    const Instant late(2'000'000);
    (void)measure("place_throughout, at the end", [&] {
        return finder.place_throughout(full, whole, {late, late + Seconds(60)});
    });
    (void)measure("explain when", [&] { return explain(full, wide, {{}, Seconds(60), {}}); });
    (void)measure("explain when, a never", [&] {
        return explain(full, gpus(1, 9), {{}, Seconds(60), {}});
    });
}

void count_passes(const Timeline& full) {
    const Watched watched;
    const auto jobs = queue_of(100);
    const auto unlike = unlike_queue_of(100);
    (void)measure("EASY pass 100", [&] { return schedule_pass(full, jobs, Discipline::easy()); });
    (void)measure("EASY pass 100 that differ",
                  [&] { return schedule_pass(full, unlike, Discipline::easy()); });
    (void)measure("conservative pass 100",
                  [&] { return schedule_pass(full, jobs, Discipline::conservative()); });
    (void)measure("slack-based pass 20", [&] {
        return schedule_pass(full, std::span(jobs).first(20), Discipline::slack_based());
    });
    (void)measure("lookahead pass 100",
                  [&] { return schedule_pass(full, jobs, Discipline::lookahead()); });
    StartFinder kept;
    (void)schedule_pass(full, jobs, Discipline::easy(), kept);
    (void)measure("EASY pass 100 again",
                  [&] { return schedule_pass(full, jobs, Discipline::easy(), kept); });
    JobQueue queue(Discipline::easy());
    for (const QueuedJob& job : jobs) require(queue.add(job).ok(), "a job that waits");
    StartFinder finder;
    (void)measure("JobQueue of 100", [&] { return queue.schedule(full, finder); });
    require(queue.remove(queue.jobs().back().owner).ok(), "a job that waits");
    (void)measure("JobQueue of 100 again", [&] { return queue.schedule(full, finder); });
}

void count_reserving(const Timeline& full) {
    const Watched watched;
    (void)measure("what is known of a timeline", [&] { return read_timeline(full, NodeId(2)); });
    Timeline own = measure("copy of a timeline", [&] { return full; });
    const PreparedRequest one = gpus(1, 1);
    const Allocation job{newcomer, one, *place(own.cluster(), one)};
    measure("reserve and cancel", [&] {
        require(own.reserve(job, {Instant(500), Instant(900)}).ok(), "a reservation");
        return own.cancel(newcomer).ok();
    });
    measure("a reservation, trial, mark and rollback", [&] {
        Timeline::Trial trial(own);
        const auto mark = trial.mark();
        require(own.reserve(job, {Instant(500), Instant(900)}).ok(), "a reservation");
        trial.rollback(mark);
        return true;
    });
    measure("set_end", [&] { return own.set_end(OwnerId(2), Instant(2'000'000)).ok(); });
    measure("change_cluster, a node drained", [&] {
        return own
            .change_cluster([](Cluster& cluster) {
                cluster.set_node_state(NodeId(3), NodeState::drained);
                return Status();
            })
            .ok();
    });
    require(own.reserve(job, {Instant(1), Instant(2)}).ok(), "a reservation");
    measure("advance over a start and an end", [&] { return own.advance(Instant(3)).ok(); });
    (void)measure("diff of timelines", [&] { return diff(full, own); });
    (void)measure("owners that differ", [&] {
        std::uint64_t sum = 0;
        full.for_each_different_owner(own, [&](OwnerId id) { sum += id.value(); });
        return sum;
    });
    (void)measure("two timelines compared", [&] { return full == own; });
    (void)measure("free_at the next end", [&] { return own.free_at(Instant(1001)); });
    (void)measure("free_counts", [&] { return own.free_counts({Instant(3), Instant(500)}); });

    NodeSet two;
    two.insert(NodeId(0));
    two.insert(NodeId(1));
    const Instant late(2'000'000);
    require(own.reserve({newcomer, Request(), *whole_nodes(own.cluster(), two)},
                        {late, late + Seconds(60)})
                .ok(),
            "a window of maintenance");
    (void)measure("reservation_timeline", [&] { return reservation_timeline(own, newcomer); });
    (void)measure("hash of a timeline", [&] { return hash_of(full); });
    const auto bytes = measure("timeline to_bytes", [&] { return to_bytes(full); });
    (void)measure("timeline_from_bytes", [&] { return timeline_from_bytes(bytes); });
    (void)measure("reservations", [&] { return full.reservations(); });
    (void)measure("Timeline::parts and create",
                  [&] { return Timeline::create(full.cluster(), full.parts()); });
}

}  // namespace trestle::growth
