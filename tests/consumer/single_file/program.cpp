// SPDX-License-Identifier: Apache-2.0
// A job is placed, started on a timeline and planned, with nothing but trestle.hpp and trestle.cpp.
#include "trestle.hpp"

#include <cstdio>
#include <string>

using namespace trestle;

int main() {
    ClusterParts parts;
    parts.nodes = {*make_node({.name = "n0",
                               .packages = 2,
                               .cores_per_package = 4,
                               .memory = 64_GiB,
                               .devices = {{.name = "gpu", .count = 2}}})};
    const auto cluster = Cluster::create(parts);
    if (!cluster.ok()) return 1;
    Request request;
    request.cpus_per_task = Range<Count>::exactly(Count(2));
    const Verdict<Placement> placement = place(*cluster, request);
    if (!placement) return 2;
    Timeline timeline(*cluster);
    if (!timeline.reserve({OwnerId(1), request, *placement}, {Instant(0), Instant(60)}).ok()) {
        return 3;
    }
    PlanOptions options;
    options.group = "job_1";
    const auto job = plan(timeline.cluster().node(NodeId(0)), placement->nodes[0], request,
                          LimitPolicy(), options);
    if (!job.ok() || job->steps.empty()) return 4;
    std::puts(to_text(*placement, timeline.cluster()).c_str());
    return 0;
}
