// SPDX-License-Identifier: Apache-2.0
// A leader and workers: on nodes of their own, or on nodes that both have; and what one of them
// has.
#include <fmt/core.h>

#include <string>
#include <vector>

#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/cluster_text.hpp"

using namespace trestle;

namespace {

/// Of each part: its node, the group of the job, its tasks and cores.
void show(const char* what, const Cluster& cluster, const Request& request) {
    const Verdict<Placement> answer = place(cluster, request);
    std::string text;
    if (!answer) text = answer.refusal().reason;
    for (const NodePlacement& part : answer ? answer->nodes : std::vector<NodePlacement>()) {
        text +=
            fmt::format("{}{} {} {} on cores {}", text.empty() ? "" : ", ", cluster.name(part.node),
                        part.component == 0 ? "leader" : "workers", part.tasks, part.cores);
    }
    fmt::print("{}: {}\n", what, text);
}

}  // namespace

int main() {
    const Cluster cluster = *testing::cluster_from_text("2 x (8c gpu:2)");
    Request workers;
    workers.nodes = Range<Count>::exactly(Count(2));
    workers.tasks = Count(14);
    workers.devices = {{.count = Range<Count>::exactly(Count(2))}};
    Request job;  // the leader: one task with one CPU
    job.components = {workers};
    show("apart", cluster, job);
    job.component_nodes = Request::ComponentNodes::shared;
    show("shared", cluster, job);
    job.components[0].exclusivity = Exclusivity::whole_node;
    show("whole nodes", cluster, job);

    job.components = {workers};
    const Placement placement = *place(cluster, job);
    fmt::print("the leader's: {}\n", to_text(component_placement(placement, 0), cluster));
}
