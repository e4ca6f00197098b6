// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/schedule_pass.hpp"

#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/codes.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;

static_assert(lists_all_fields<QueuedJob>);
static_assert(lists_all_fields<Discipline>);
static_assert(lists_all_fields<PassResult::Waiting>);
static_assert(lists_all_fields<PassResult>);

/// A job of whole nodes for some seconds.
QueuedJob job(std::uint64_t owner, std::int64_t nodes, std::int64_t seconds,
              std::int64_t priority = 0) {
    Request request;
    request.nodes = Range<Count>::exactly(Count(nodes));
    request.exclusivity = Exclusivity::whole_node;
    return {OwnerId(owner), request, Seconds(seconds), priority};
}

/// 4 nodes, 2 of them taken until 100.
Timeline half_full() {
    Timeline timeline(*testing::cluster_from_text("4 x (4c)"));
    const Placement half = *whole_nodes(timeline.cluster(), NodeSet::range({0, 2}));
    REQUIRE(timeline.reserve({OwnerId(1), {}, half}, {Instant(0), Instant(100)}).ok());
    return timeline;
}

std::string starts_of(const std::vector<TimedAllocation>& all) {
    std::string text;
    for (const TimedAllocation& one : all) {
        text += fmt::format("{}@{} ", one.allocation.owner, one.period.first);
    }
    return text;
}

}  // namespace

TEST_CASE("schedule_pass: which jobs start, and which are reserved what, by discipline",
          "[alloc][time]") {
    // The first cannot start before 100 and then takes all; the second fits before it, the third
    // would last too long; the fourth is short.
    const std::vector<QueuedJob> queue{job(10, 4, 50, 1), job(11, 1, 100, 2), job(12, 1, 101, 5),
                                       job(13, 1, 10, 2)};
    struct Row {
        const char* why;
        Discipline discipline;
        const char* starts;
        const char* reservations;
    };
    using enum Discipline::Order;
    const std::vector<Row> rows{
        {"nobody overtakes", Discipline::strict(), "", ""},
        {"whoever is done by then overtakes", Discipline::easy(), "11@0 13@0 ", "10@100 "},
        {"and everybody is reserved something", Discipline::conservative(), "11@0 13@0 ",
         "10@100 12@150 "},
        {"the highest first", Discipline::strict(by_priority), "12@0 11@0 ", ""},
        {"the one who overtook moves the large one", Discipline::easy(by_priority), "12@0 11@0 ",
         "13@100 "},
        {"the shortest first", Discipline::strict(shortest_first), "13@0 ", ""},
        {"the shortest first, with a reservation", Discipline::easy(shortest_first), "13@0 11@0 ",
         "10@100 "},
        {"nobody is looked at", {as_queued, {}, Count(0), {}}, "", ""},
        {"two that wait are looked at", {as_queued, {}, Count(2), {}}, "11@0 ", "10@100 12@150 "},
        {"no reservation is made that far ahead",
         {as_queued, {}, {}, Seconds(99)},
         "11@0 12@0 ",
         ""},
        {"but so far ahead it is", {as_queued, {}, {}, Seconds(100)}, "11@0 13@0 ", "10@100 "},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto result = schedule_pass(half_full(), queue, row.discipline);
        REQUIRE(result.ok());
        CHECK(starts_of(result->starts) == row.starts);
        CHECK(starts_of(result->reservations) == row.reservations);
        CHECK(result->starts.size() + result->waiting.size() == queue.size());
    }
}

TEST_CASE("schedule_pass: each waiting job has a reason and an end of its wait", "[alloc][time]") {
    const std::vector<QueuedJob> queue{job(10, 4, 50), job(11, 1, 101), job(12, 5, 1)};
    const auto result = schedule_pass(half_full(), queue, Discipline::easy());
    REQUIRE(result.ok());
    REQUIRE(result->waiting.size() == 3);
    CHECK(result->waiting[0].until == Instant(100));
    CHECK_THAT(result->waiting[0].why.reason, ContainsSubstring("at most 2 of 4"));
    CHECK(result->waiting[1].until == std::nullopt);
    CHECK(!result->waiting[1].why.reason.empty());
    CHECK_THAT(result->waiting[2].why.reason, ContainsSubstring("asked 5 nodes"));
    const auto strict = schedule_pass(half_full(), queue, Discipline::strict());
    REQUIRE(strict.ok());
    CHECK(strict->waiting[1].why.reason == "waits behind owner 10");
}

TEST_CASE("schedule_pass: a job that needs more than the horizon waits for what is in its way now",
          "[alloc][time]") {
    // Of four nodes one more comes free at 10, the last at 200.
    Timeline timeline(*testing::cluster_from_text("4 x (4c)"));
    for (const std::uint32_t node : {0u, 1u}) {
        const Placement whole = *whole_nodes(timeline.cluster(), NodeSet::of({NodeId(node)}));
        const Instant end(node == 0 ? 10 : 200);
        REQUIRE(timeline.reserve({OwnerId(node), {}, whole}, {Instant(0), end}).ok());
    }
    std::vector<QueuedJob> queue{job(10, 4, 50)};
    Request four = *queue[0].request;
    four.exclusivity = Exclusivity::shared;
    queue[0].request = PreparedRequest(four);
    const Discipline near{Discipline::Order::as_queued, {}, {}, Seconds(50)};
    const auto result = schedule_pass(timeline, queue, near);
    REQUIRE(result.ok());
    REQUIRE(result->waiting.size() == 1);
    CHECK_THAT(result->waiting[0].why.reason, ContainsSubstring("2 of 4"));
}

TEST_CASE("schedule_pass: a reservation is marked where an earlier one was given up",
          "[alloc][time]") {
    // GPUs, free from 2 to 5 alone, are too hard a question for four steps; the node without any is
    // not free until 8.
    const Cluster cluster = *testing::cluster_from_text("(4s8c gpu:8); (2c)");
    Timeline timeline(cluster);
    const auto take = [&](std::uint64_t owner, std::uint32_t node, const Period& period) {
        const Placement whole = *whole_nodes(cluster, NodeSet::of({NodeId(node)}));
        REQUIRE(timeline.reserve({OwnerId(owner), {}, whole}, period).ok());
    };
    take(1, 0, {Instant(0), Instant(2)});
    take(2, 0, {Instant(5), end_of_time});
    take(3, 1, {Instant(0), Instant(8)});
    std::vector<QueuedJob> queue{job(10, 1, 3)};
    Request request = *queue[0].request;
    request.devices = {DeviceRequest{}};
    request.device_alternatives = {{}};
    queue[0].request = PreparedRequest(request);
    PlaceOptions few;
    few.fit.steps_max = 4;
    const auto result = schedule_pass(timeline, queue, Discipline::easy(), few);
    REQUIRE(result.ok());
    CHECK(starts_of(result->reservations) == "10@8 ");
    REQUIRE(result->waiting.size() == 1);
    CHECK(!result->waiting[0].is_earliest);
    const auto sure = schedule_pass(timeline, queue, Discipline::easy());
    REQUIRE(sure.ok());
    CHECK(starts_of(sure->reservations) == "10@2 ");
    CHECK(sure->waiting[0].is_earliest);
}

TEST_CASE("schedule_pass: a job that never fits delays no other", "[alloc][time]") {
    const std::vector<QueuedJob> queue{job(10, 5, 1), job(11, 2, 1)};
    for (const auto& discipline : {Discipline::strict(), Discipline::easy()}) {
        const auto result = schedule_pass(half_full(), queue, discipline);
        REQUIRE(result.ok());
        CHECK(starts_of(result->starts) == "11@0 ");
    }
}

TEST_CASE("schedule_pass: jobs that can never start do not use up the depth", "[alloc][time]") {
    // One node of another kind is drained, and the other nodes are two of four.
    Cluster cluster = *testing::cluster_from_text("4 x (4c); (8c)");
    cluster.set_node_state(NodeId(4), NodeState::drained);
    Timeline timeline(cluster);
    const Placement half = *whole_nodes(cluster, NodeSet::range({0, 2}));
    REQUIRE(timeline.reserve({OwnerId(1), {}, half}, {Instant(0), Instant(100)}).ok());
    std::vector<QueuedJob> queue;
    for (std::uint64_t owner = 10; owner < 16; ++owner) {
        Request request;
        request.cpus_per_task = {Count(8), std::nullopt};  // only the drained node has them
        queue.push_back({OwnerId(owner), request, Seconds(10), 0});
    }
    queue.push_back(job(20, 5, 10));  // more nodes than there are
    queue.push_back(job(21, 3, 10));  // waits until 100
    queue.push_back(job(22, 1, 10));  // starts
    queue.push_back(job(23, 2, 10));  // waits
    queue.push_back(job(24, 1, 10));  // starts, unless the pass ends before
    const auto pass_of = [&](std::int64_t depth) {
        Discipline discipline = Discipline::easy();
        discipline.depth = Count(depth);
        return *schedule_pass(timeline, queue, discipline);
    };
    CHECK(starts_of(pass_of(3).starts) == "22@0 24@0 ");
    CHECK(starts_of(pass_of(2).starts) == "22@0 ");
    CHECK(starts_of(pass_of(1).starts).empty());
    const PassResult result = pass_of(3);
    std::vector<std::uint64_t> never;
    for (const PassResult::Waiting& one : result.waiting) {
        if (!one.can_start) never.push_back(queue[one.job].owner.value());
    }
    CHECK(never == std::vector<std::uint64_t>{10, 11, 12, 13, 14, 15, 20});
    CHECK_THAT(result.waiting[0].why.reason, ContainsSubstring("8"));
    CHECK(starts_of(result.reservations) == "21@100 ");

    cluster.set_node_state(NodeId(4), NodeState::up);
    const auto resumed = *schedule_pass(Timeline(cluster), queue, Discipline::easy());
    CHECK(starts_of(resumed.starts).starts_with("10@0 "));
}

TEST_CASE("schedule_pass: a job that no partition runs for so long can never start",
          "[alloc][time]") {
    ClusterParts parts = testing::cluster_from_text("2 x (4c)")->parts();
    Partition partition;
    partition.name = "short";
    partition.nodes = NodeSet::range({0, 2});
    partition.max_time = Seconds(60);
    parts.partitions = {partition};
    const Timeline timeline(*Cluster::create(parts));
    std::vector<QueuedJob> queue{job(10, 1, 61), job(11, 1, 60)};
    for (QueuedJob& one : queue) {
        Request request = *one.request;
        request.partition = "short";
        one.request = PreparedRequest(request);
    }
    StartFinder finder;
    const auto never = finder.why_never(timeline, queue[0].request, queue[0].duration);
    REQUIRE(never);
    CHECK_THAT(never->reason, ContainsSubstring("at most 60 s"));
    CHECK_FALSE(finder.why_never(timeline, queue[1].request, queue[1].duration));
    const auto result = schedule_pass(timeline, queue, Discipline::strict());
    REQUIRE(result.ok());
    CHECK_FALSE(result->waiting[0].can_start);
    CHECK(starts_of(result->starts) == "11@0 ");
    // A duration that is no duration is the caller's mistake, of a job that can never start too.
    queue[0].duration = Seconds(0);
    CHECK_FALSE(schedule_pass(timeline, queue, Discipline::easy()).ok());
}

TEST_CASE("schedule_pass: what is no queue", "[alloc][time]") {
    struct Row {
        const char* why;
        std::vector<QueuedJob> queue;
        StatusCode code;
        const char* words;
    };
    const std::vector<Row> rows{
        {"an owner stands once", {job(10, 1, 1), job(10, 1, 1)}, refused, "owner 10 stands twice"},
        {"an owner runs already", {job(1, 1, 1)}, refused, "owner 1 has something already"},
        {"a job takes time", {job(10, 1, 0)}, invalid, "owner 10: duration 0"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto result = schedule_pass(half_full(), row.queue, Discipline::easy());
        CHECK(result.status().code() == row.code);
        CHECK_THAT(std::string(message(result.status())), ContainsSubstring(row.words));
    }
    CHECK(schedule_pass(half_full(), {}, Discipline::easy())->starts.empty());
}

}  // namespace trestle
