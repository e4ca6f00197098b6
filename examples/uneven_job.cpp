// SPDX-License-Identifier: Apache-2.0
// Ten tasks on two nodes with two and eight free cores, three GPUs where one and two are free, and
// how a request asks for an even split, a packed one, or limits the tasks of a node.
#include <fmt/core.h>

#include <string>
#include <vector>

#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/testing/cluster_text.hpp"

using namespace trestle;

namespace {

/// The tasks of each node, and its devices behind a +.
void show(const char* what, const Cluster& cluster, const Request& request) {
    const Verdict<Placement> answer = place(cluster, request);
    std::string text;
    if (!answer) text = answer.refusal().reason;
    for (const NodePlacement& part : answer ? answer->nodes : std::vector<NodePlacement>()) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", cluster.name(part.node),
                            part.tasks.value());
        if (!part.devices.empty()) text += fmt::format("+{}", part.devices.size());
    }
    fmt::print("{}: {}\n", what, text);
}

}  // namespace

int main() {
    const Cluster cores = *testing::cluster_from_text("(2c); (8c)");
    Request tasks;
    tasks.nodes = Range<Count>::between(Count(1), Count(2));
    tasks.tasks = Count(10);
    show("10 tasks", cores, tasks);
    tasks.tasks = Count(11);
    show("11 tasks", cores, tasks);
    tasks.tasks = Count(4);
    tasks.nodes = Range<Count>::exactly(Count(2));
    show("4 tasks", cores, tasks);
    tasks.distribution.split = TaskDistribution::Split::packed;
    show("packed", cores, tasks);
    tasks.distribution.split = TaskDistribution::Split::as_even;
    tasks.tasks = Count(6);
    show("6 tasks", cores, tasks);
    tasks.tasks_per_node = Range<Count>::exactly(Count(3));
    show("3 on each node", cores, tasks);

    const Cluster gpus = *testing::cluster_from_text("(4c gpu:1); (4c gpu:2)");
    Request job;
    job.nodes = Range<Count>::exactly(Count(2));
    job.devices = {{.count = Range<Count>::exactly(Count(3)), .per = Per::job}};
    show("3 GPUs", gpus, job);
}
