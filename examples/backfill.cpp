// SPDX-License-Identifier: Apache-2.0
// When does each job start? Four jobs wait for four nodes, of which two are taken for an hour; one
// pass over the queue, strictly in order and with both kinds of backfill.
#include <fmt/core.h>

#include <cstdint>
#include <vector>

#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/model/node_builder.hpp"

using namespace trestle;

namespace {

constexpr std::int64_t minute = 60;

QueuedJob job(std::uint64_t owner, std::int64_t nodes, std::int64_t minutes) {
    const Request request{.nodes = Range<Count>::exactly(Count(nodes)),
                          .exclusivity = Exclusivity::whole_node};
    return {OwnerId(owner), request, Seconds(minutes * minute)};
}

/// What the pass said of a job: `now`, `in 60`, `waits`.
std::string start_of(const PassResult& result, OwnerId owner) {
    for (const TimedAllocation& one : result.starts) {
        if (one.allocation.owner == owner) return "now";
    }
    for (const TimedAllocation& one : result.reservations) {
        if (one.allocation.owner == owner) {
            return fmt::format("in {}", one.period.first.value() / minute);
        }
    }
    return "waits";
}

}  // namespace

int main() {
    ClusterParts parts;
    parts.nodes = *make_nodes({.name = "n", .cores_per_package = 16}, 4);
    Timeline timeline(*Cluster::create(parts));
    const Placement half = *whole_nodes(timeline.cluster(), NodeSet::range({0, 2}));
    if (!timeline.reserve({OwnerId(1), {}, half}, period_of(Instant(0), Seconds(60 * minute)))
             .ok()) {
        return 1;
    }

    const std::vector<QueuedJob> queue{job(2, 3, 60), job(3, 4, 30), job(4, 1, 180), job(5, 1, 60)};
    const auto strict = schedule_pass(timeline, queue, Discipline::strict());
    const auto easy = schedule_pass(timeline, queue, Discipline::easy());
    const auto conservative = schedule_pass(timeline, queue, Discipline::conservative());
    if (!strict.ok() || !easy.ok() || !conservative.ok()) return 1;

    fmt::print("job  nodes  minutes  strict  EASY    conservative\n");
    for (const QueuedJob& one : queue) {
        fmt::print("{:<3}  {:<5}  {:<7}  {:<6}  {:<6}  {}\n", one.owner, one.request->nodes.least(),
                   one.duration->value() / minute, start_of(*strict, one.owner),
                   start_of(*easy, one.owner), start_of(*conservative, one.owner));
    }
    const PassResult::Waiting& first = conservative->waiting.front();
    fmt::print("job {}: {}\n", queue[first.job].owner, first.why.reason);
}
