// SPDX-License-Identifier: Apache-2.0
// The smallest scheduler: it starts jobs by EASY backfill and lets time pass until all have ended.
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/model/node_builder.hpp"

using namespace trestle;

QueuedJob job(std::uint64_t owner, std::int64_t nodes, std::int64_t gpus, std::int64_t minutes) {
    const Request request{.nodes = Range<Count>::exactly(Count(nodes)),
                          .devices = {{.count = Range<Count>::exactly(Count(gpus))}}};
    return {OwnerId(owner), request, Seconds(60 * minutes)};
}

int main() {
    ClusterParts parts;
    parts.nodes = *make_nodes(
        {.name = "n", .cores_per_package = 16, .devices = {{.name = "gpu", .count = 4}}}, 2);
    Timeline timeline(*Cluster::create(parts));
    std::vector<QueuedJob> queue = {job(1, 1, 4, 60), job(2, 2, 4, 30), job(3, 1, 2, 45)};

    for (;;) {
        const StatusOr<PassResult> pass = schedule_pass(timeline, queue, Discipline::easy());
        if (!pass.ok()) return fmt::print("{}\n", message(pass.status())), 1;
        for (const TimedAllocation& one : pass->starts) {
            if (!timeline.reserve(one.allocation, one.period).ok()) return 1;
            std::erase_if(queue, [&](const QueuedJob& waiting) {
                return waiting.owner == one.allocation.owner;
            });
            for (const NodePlacement& part : one.allocation.placement.nodes) {
                fmt::print("{:>4}: job {} starts on {}\n", timeline.now(), one.allocation.owner,
                           to_text(part, timeline.cluster().node(part.node)));
            }
        }
        const std::optional<Instant> next = timeline.next_change();
        if (!next) return 0;
        const StatusOr<Timeline::Advance> passed = timeline.advance(*next);
        if (!passed.ok()) return fmt::print("{}\n", message(passed.status())), 1;
        for (const TimedAllocation& one : passed->ended) {
            fmt::print("{:>4}: job {} ends\n", timeline.now(), one.allocation.owner);
        }
    }
}
