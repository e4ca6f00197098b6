// SPDX-License-Identifier: Apache-2.0
// Groups of a job on nodes that they share: what is chosen, and what is refused.
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/schedule/earliest_start.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {

using Catch::Matchers::ContainsSubstring;

namespace {

/// A group of so many tasks of one CPU on so many nodes.
Request group_of(std::int64_t nodes, std::int64_t tasks) {
    Request group;
    group.nodes = Range<Count>::exactly(Count(nodes));
    group.tasks = Count(tasks);
    return group;
}

/// A leader of so many CPUs, and workers.
Request leader_with(std::int64_t cpus, Request workers) {
    Request job;
    job.cpus_per_task = Range<Count>::at_least(Count(cpus));
    job.components = {std::move(workers)};
    job.component_nodes = Request::ComponentNodes::shared;
    return job;
}

Request asking_gpus(Request group, std::int64_t gpus, Strictness locality) {
    group.devices = {{.count = Range<Count>::exactly(Count(gpus)), .locality = locality}};
    return group;
}

/// `0:1 0.1:3 1.1:2`: of each part its node, component and tasks.
std::string parts_shown(const Verdict<Placement>& answer) {
    if (!answer) return answer.refusal().reason;
    std::string text;
    for (const NodePlacement& part : answer->nodes) {
        if (!text.empty()) text += ' ';
        text += to_text(part.node);
        if (part.component != 0) text += fmt::format(".{}", part.component);
        text += fmt::format(":{}", part.tasks);
    }
    return text;
}

}  // namespace

TEST_CASE("shared: which nodes groups have", "[alloc]") {
    const auto with = [](Request job, const std::function<void(Request&)>& change) {
        change(job);
        return job;
    };
    const auto near = Strictness::require;
    const auto any = Strictness::ignore;
    struct Row {
        const char* why;
        const char* cluster;
        Request job;
        const char* nodes;
    };
    const std::vector<Row> rows{
        {"both fit on one node", "2 x (4c)", leader_with(1, group_of(1, 3)), "0:1 0.1:3"},
        {"they do not: two nodes", "2 x (4c)", leader_with(2, group_of(1, 3)), "0:1 1.1:3"},
        {"the leader goes where the workers leave room, though another node comes first",
         "(2c); (8c)", leader_with(1, group_of(1, 7)), "1:1 1.1:7"},
        {"workers of one group have different nodes", "3 x (8c)", leader_with(1, group_of(2, 2)),
         "0:1 0.1:1 1.1:1"},
        {"an uneven split leaves room for the leader, and needs no further node", "2 x (4c)",
         leader_with(2, group_of(2, 6)), "0:1 0.1:2 1.1:4"},
        {"an even one is required: a further node", "3 x (4c)",
         with(leader_with(2, group_of(2, 6)),
              [](Request& job) {
                  job.components[0].distribution.split = TaskDistribution::Split::even;
              }),
         "0:1 1.1:3 2.1:3"},
        {"three groups", "2 x (4c)",
         with(leader_with(1, group_of(1, 2)),
              [](Request& job) { job.components.push_back(group_of(2, 2)); }),
         "0:1 0.1:2 0.2:1 1.2:1"},
        {"apart: a node is of one group", "2 x (4c)",
         with(leader_with(1, group_of(1, 3)),
              [](Request& job) { job.component_nodes = Request::ComponentNodes::apart; }),
         "0:1 1.1:3"},
        {"a node that one takes whole is not shared", "2 x (4c)",
         with(leader_with(1, group_of(1, 3)),
              [](Request& job) { job.components[0].exclusivity = Exclusivity::whole_node; }),
         "0:1 1.1:3"},
        {"memory adds up", "2 x (4c mem=4G)",
         with(leader_with(1, group_of(1, 1)),
              [](Request& job) {
                  job.memory = Range<Bytes>::exactly(gib(3));
                  job.components[0].memory = Range<Bytes>::exactly(gib(2));
              }),
         "0:1 1.1:1"},
        {"both require one node by name", "2 x (4c)",
         with(leader_with(1, group_of(1, 3)),
              [](Request& job) {
                  job.required_nodes = {"n1"};
                  job.components[0].required_nodes = {"n1"};
              }),
         "1:1 1.1:3"},
        {"what one excludes, the other may have", "2 x (4c)",
         with(leader_with(1, group_of(1, 3)),
              [](Request& job) { job.components[0].excluded_nodes = {"n0"}; }),
         "1:1 1.1:3"},
        {"GPUs near cores: the leader makes way, though it is first", "(2s2c gpu:1@s0)",
         leader_with(1, asking_gpus(group_of(1, 2), 1, near)), "0:1 0.1:2"},
        {"devices are not shared", "2 x (4c gpu:2)",
         asking_gpus(leader_with(1, asking_gpus(group_of(1, 1), 1, any)), 2, any), "0:1 1.1:1"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto cluster = testing::cluster_from_text(row.cluster);
        REQUIRE(cluster.ok());
        CHECK(parts_shown(place(*cluster, row.job)) == row.nodes);
    }
}

TEST_CASE("shared: of a partition's CPUs of a node, groups count together", "[alloc]") {
    ClusterParts parts = testing::cluster_from_text("2 x (4c)")->parts();
    parts.partitions.resize(2);
    parts.partitions[0].name = "day";
    parts.partitions[1].name = "night";
    for (Partition& one : parts.partitions) one.nodes = NodeSet::range({0, 2});
    parts.partitions[0].max_cpus_per_node = Count(2);
    Cluster cluster = *Cluster::create(parts);
    for (std::uint32_t i = 0; i < 2; ++i) {  // the nodes are in one state
        Request request;
        request.partition = parts.partitions[i].name;
        NodePlacement taken;
        taken.node = NodeId(i);
        taken.cores.insert(CoreId(0));
        REQUIRE(cluster.commit({OwnerId(i), request, {{taken}}}).ok());
    }
    Request job = leader_with(1, group_of(1, 1));
    job.partition = "day";
    CHECK(parts_shown(place(cluster, job)) == "1:1 1.1:1");
    // A component may be of another partition than its job: what it has counts there.
    job.partition = "night";
    job.components[0].partition = "day";
    const auto placement = place(cluster, job);
    CHECK(parts_shown(placement) == "0:1 0.1:1");
    REQUIRE(cluster.commit({OwnerId(7), job, *placement}).ok());
    Request next;
    next.partition = "day";
    CHECK(parts_shown(place(cluster, next)) == "1:1");
}

TEST_CASE("shared: why there is no place", "[alloc]") {
    struct Row {
        const char* why;
        const char* cluster;
        Request job;
        const char* said;
    };
    const std::vector<Row> rows{
        {"one node has room for one of them", "(4c)", leader_with(2, group_of(1, 3)),
         "the groups of the job asked 5 CPUs together, 4 are free"},
        {"a group does not fit alone", "2 x (4c)", leader_with(1, group_of(1, 9)), "asked 9 cores"},
        {"more nodes than there are", "(4c)", leader_with(1, group_of(2, 2)),
         "asked 2 nodes, there is 1"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto cluster = testing::cluster_from_text(row.cluster);
        REQUIRE(cluster.ok());
        const auto answer = place(*cluster, row.job);
        REQUIRE_FALSE(answer);
        CHECK(answer.refusal().constraint != Constraint::gave_up);
        CHECK_THAT(answer.refusal().reason, ContainsSubstring(row.said));
    }
}

TEST_CASE("shared: the job starts when there is room for all groups", "[alloc]") {
    const Request job = leader_with(2, group_of(1, 2));
    Timeline timeline(*testing::cluster_from_text("(4c)"), Instant(0));
    NodePlacement taken;
    taken.cores.insert(CoreId(3));
    REQUIRE(timeline.reserve({OwnerId(1), {}, {{taken}}}, {Instant(0), Instant(50)}).ok());
    const auto start = earliest_start(timeline, job, {Instant(0), Seconds(10)});
    INFO((start ? "" : start.refusal().reason));
    REQUIRE(start);
    CHECK(start->period.first == Instant(50));
    CHECK(parts_shown(start->placement) == "0:1 0.1:2");
}

TEST_CASE("shared: many workers beside a leader on a large cluster", "[alloc]") {
    const Cluster cluster = *testing::cluster_from_text("300 x (8c)");
    const auto answer = place(cluster, leader_with(1, group_of(200, 1'599)));
    REQUIRE(answer);
    CHECK(answer->nodes.size() == 201);
    CHECK(answer->nodes.back().node == NodeId(199));
}

}  // namespace trestle
