// SPDX-License-Identifier: Apache-2.0
// What a conservative pass makes of a queue, as a picture: timeline_picture.svg.
#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/dialect/svg/timeline.hpp"
#include "trestle/model/node_builder.hpp"

using namespace trestle;

namespace {

constexpr std::int64_t minute = 60;

QueuedJob job(std::uint64_t owner, std::int64_t nodes, std::int64_t gpus, std::int64_t minutes) {
    const Request request{.nodes = Range<Count>::exactly(Count(nodes)),
                          .devices = {{.count = Range<Count>::exactly(Count(gpus))}}};
    return {OwnerId(owner), request, Seconds(minutes * minute)};
}

}  // namespace

int main() {
    ClusterParts parts;
    parts.nodes = *make_nodes({.name = "dgx",
                               .cores_per_package = 64,
                               .memory = 1_TiB,
                               .devices = {{.name = "gpu", .type = "h100", .count = 8}}},
                              16);
    Timeline timeline(*Cluster::create(parts));
    const Placement half = *whole_nodes(timeline.cluster(), NodeSet::range({8, 16}));
    const Period window{Instant(180 * minute), Instant(240 * minute)};
    if (!timeline.reserve({OwnerId(99), {}, half}, window).ok()) return 1;

    const std::vector<QueuedJob> queue{job(1, 6, 8, 90),  job(2, 1, 4, 150), job(3, 12, 8, 60),
                                       job(4, 1, 2, 45),  job(5, 4, 8, 120), job(6, 1, 2, 100),
                                       job(7, 16, 8, 30), job(8, 2, 8, 70),  job(9, 1, 1, 200)};
    const auto result = schedule_pass(timeline, queue, Discipline::conservative());
    if (!result.ok()) return 1;
    for (const auto& given : {result->starts, result->reservations}) {
        for (const TimedAllocation& one : given) {
            if (!timeline.reserve(one.allocation, one.period).ok()) return 1;
        }
    }
    svg::TimelinePictureOptions options;
    options.title = "one pass over nine jobs";
    options.names = {{OwnerId(99), "maintenance"}};
    fmt::print("{}", svg::render_timeline(timeline, options));
}
