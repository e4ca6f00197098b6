// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/earliest_start.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/cow/cow_map.hpp"
#include "support/catch.hpp"
#include "support/codes.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;

static_assert(lists_all_fields<StartQuestion>);
static_assert(lists_all_fields<Start>);

Request on_nodes(std::int64_t nodes) {
    Request request;
    request.nodes = Range<Count>::exactly(Count(nodes));
    request.exclusivity = Exclusivity::whole_node;
    return request;
}
Request with_cores(std::int64_t cores) {
    Request request;
    request.cpus_per_task = Range<Count>::exactly(Count(cores));
    return request;
}
StartQuestion lasting(std::int64_t seconds) { return {{}, Seconds(seconds), {}}; }

/// 3 nodes, of which 0 is taken until 10 and 1 until 20, and all from 50 to 60.
Timeline busy_nodes() {
    Timeline timeline(*testing::cluster_from_text("3 x (4c)"));
    const auto take = [&](std::uint64_t owner, const NodeSet& nodes, Period period) {
        const Placement whole = *whole_nodes(timeline.cluster(), nodes);
        REQUIRE(timeline.reserve({OwnerId(owner), {}, whole}, period).ok());
    };
    take(1, NodeSet::of({NodeId(0)}), {Instant(0), Instant(10)});
    take(2, NodeSet::of({NodeId(1)}), {Instant(0), Instant(20)});
    take(99, NodeSet::range({0, 3}), {Instant(50), Instant(60)});
    return timeline;
}

/// A node with GPUs that is free from 2 to 5 alone, and one without that is not free until 8.
Timeline with_hard_node() {
    Timeline timeline(*testing::cluster_from_text("(4s8c gpu:8); (2c)"));
    std::uint64_t owner = 0;
    const auto take = [&](NodePlacement part, Period period) {
        REQUIRE(timeline.reserve({OwnerId(++owner), {}, {{std::move(part)}, {}}}, period).ok());
    };
    const Placement whole = *whole_nodes(timeline.cluster(), NodeSet::of({NodeId(0)}));
    take(whole.nodes[0], {Instant(0), Instant(2)});
    take(whole.nodes[0], {Instant(5), end_of_time});
    for (const std::uint32_t core : {0u, 1u}) {
        NodePlacement part;
        part.node = NodeId(1);
        part.cores.insert(CoreId(core));
        take(part, {Instant(0), Instant(7 + static_cast<int>(core))});
    }
    return timeline;
}

std::int64_t start_of(const Verdict<Start>& found) {
    REQUIRE(found);
    return found->period.first.value();
}

}  // namespace

TEST_CASE("earliest_start: a core that carries thousandths at one moment is shared at no other",
          "[alloc][time]") {
    Cluster cluster = *testing::cluster_from_text("1 x (2c)");
    Partition shared;
    shared.name = "shared";
    shared.nodes = NodeSet::range({0, 1});
    shared.oversubscribe = Partition::OverSubscribe::force;
    REQUIRE(cluster.set_partitions({shared}).ok());
    for (const bool is_row_first : {true, false}) {
        INFO("row first: " << is_row_first);
        Timeline timeline(cluster);
        const auto reserve = [&](std::uint64_t owner, NodePlacement part, bool is_first) {
            Placement placement;
            placement.nodes = {std::move(part)};
            const Period period =
                is_first ? Period{Instant(0), Instant(3)} : Period{Instant(3), Instant(6)};
            REQUIRE(timeline.reserve({OwnerId(owner), {}, placement}, period).ok());
        };
        NodePlacement in_row;
        in_row.cores = CoreSet::range({0, 2});
        in_row.row = 1;
        NodePlacement in_thousandths;
        in_thousandths.milli_cpus = MilliCpu(1500);
        reserve(1, in_row, is_row_first);
        reserve(2, in_thousandths, !is_row_first);
        Request one_core = with_cores(1);
        one_core.partition = "shared";
        CHECK(start_of(earliest_start(timeline, one_core, lasting(3))) == (is_row_first ? 0 : 3));
        CHECK(start_of(earliest_start(timeline, one_core, lasting(6))) == (is_row_first ? 6 : 3));
        // What is found can be had.
        const auto found = earliest_start(timeline, one_core, lasting(6));
        CHECK(timeline.reserve({OwnerId(3), one_core, found->placement}, found->period).ok());
    }
}

TEST_CASE("earliest_start: a short job goes before a window of maintenance, a long one behind",
          "[alloc][time]") {
    const Timeline timeline = busy_nodes();
    for (const bool is_whole : {true, false}) {
        Request two = on_nodes(2);
        if (!is_whole) two.exclusivity = Exclusivity::shared;
        INFO(is_whole);
        CHECK(start_of(earliest_start(timeline, two, lasting(40))) == 10);
        CHECK(start_of(earliest_start(timeline, two, lasting(41))) == 60);
        Request three = two;
        three.nodes = Range<Count>::exactly(Count(3));
        CHECK(start_of(earliest_start(timeline, three, lasting(30))) == 20);
        CHECK(start_of(earliest_start(timeline, three, lasting(31))) == 60);
        CHECK(start_of(earliest_start(timeline, three, {})) == 60);  // without an end
        CHECK(start_of(earliest_start(timeline, two, {Instant(15), Seconds(1), {}})) == 15);
        CHECK(start_of(earliest_start(timeline, two, {Instant(50), Seconds(1), {}})) == 60);
    }
}

TEST_CASE("earliest_start: when and where are one answer", "[alloc][time]") {
    const auto found = earliest_start(busy_nodes(), on_nodes(2), lasting(5));
    REQUIRE(found);
    CHECK(found->period == Period{Instant(10), Instant(15)});
    CHECK(to_text(found->placement) == "node 0: cores=0-3; node 2: cores=0-3");
    REQUIRE(found->waits_for);
    CHECK(to_text(*found->waits_for) ==
          "nodes: asked 2 nodes for itself, at most 1 of 3 are free all through the time from 0 to "
          "5");
    const auto at_once = earliest_start(busy_nodes(), on_nodes(1), lasting(5));
    REQUIRE(at_once);
    CHECK(!at_once->waits_for);
}

TEST_CASE("earliest_start: parts of nodes, one after the other", "[alloc][time]") {
    Timeline timeline(*testing::cluster_from_text("1 x (4c)"));
    const Placement three = *place(timeline.cluster(), with_cores(3));
    REQUIRE(timeline.reserve({OwnerId(1), {}, three}, {Instant(0), Instant(10)}).ok());
    REQUIRE(timeline.reserve({OwnerId(2), {}, three}, {Instant(12), Instant(20)}).ok());
    CHECK(start_of(earliest_start(timeline, with_cores(1), lasting(100))) == 0);
    CHECK(start_of(earliest_start(timeline, with_cores(2), lasting(2))) == 10);
    CHECK(start_of(earliest_start(timeline, with_cores(2), lasting(3))) == 20);
}

TEST_CASE("earliest_start: licences over time", "[alloc][time]") {
    auto parts = *testing::cluster_parts_from_text("2 x (4c)");
    parts.counts = {{"abaqus", Count(3)}};
    Timeline timeline(*Cluster::create(parts));
    Request request = with_cores(1);
    request.cluster_counts = {{"abaqus", Count(2)}};
    const Placement two = *place(timeline.cluster(), request);
    REQUIRE(timeline.reserve({OwnerId(1), request, two}, {Instant(0), Instant(10)}).ok());
    REQUIRE(timeline.reserve({OwnerId(2), request, two}, {Instant(15), Instant(30)}).ok());
    CHECK(start_of(earliest_start(timeline, request, lasting(5))) == 10);
    CHECK(start_of(earliest_start(timeline, request, lasting(6))) == 30);
    // A memory sees them go and come back.
    StartFinder finder;
    CHECK(start_of(finder.earliest_start(timeline, request, lasting(6))) == 30);
    REQUIRE(timeline.set_end(OwnerId(2), Instant(25)).ok());
    CHECK(start_of(finder.earliest_start(timeline, request, lasting(6))) == 25);
    const Period now{Instant(0), Instant(6)};
    CHECK(!finder.place_throughout(timeline, request, now));
    REQUIRE(timeline.cancel(OwnerId(1)).ok());
    CHECK(finder.place_throughout(timeline, request, now).has_value());
    CHECK(start_of(finder.earliest_start(timeline, request, lasting(6))) == 0);
    REQUIRE(timeline.reserve({OwnerId(1), request, two}, {Instant(0), Instant(10)}).ok());
    CHECK(start_of(finder.earliest_start(timeline, request, lasting(6))) == 25);
    REQUIRE(timeline.set_end(OwnerId(2), Instant(30)).ok());
    request.exclusivity = Exclusivity::whole_node;
    CHECK(start_of(earliest_start(timeline, request, lasting(6))) == 30);
    request.cluster_counts = {{"abaqus", Count(4)}};
    const auto none = earliest_start(timeline, request, lasting(1));
    CHECK(none.refusal().constraint == Constraint::cluster_counts);
}

TEST_CASE("earliest_start: the partition's time limit", "[alloc][time]") {
    auto parts = *testing::cluster_parts_from_text("1 x (4c)");
    parts.partitions = {{}};
    parts.partitions[0].name = "day";
    parts.partitions[0].nodes.insert(NodeId(0));
    parts.partitions[0].max_time = Seconds(100);
    parts.partitions[0].default_time = Seconds(10);
    const Timeline timeline(*Cluster::create(parts));
    Request request = with_cores(1);
    request.partition = "day";
    const auto by_default = earliest_start(timeline, request);
    REQUIRE(by_default);
    CHECK(by_default->period.end == Instant(10));
    CHECK(start_of(earliest_start(timeline, request, lasting(100))) == 0);
    const auto too_long = earliest_start(timeline, request, lasting(101));
    CHECK(to_text(too_long.refusal()) ==
          "partition: partition day runs jobs for at most 100 s, asked 101 s");
    request.time_limit = Seconds(20);
    CHECK(earliest_start(timeline, request)->period.end == Instant(20));
}

TEST_CASE("earliest_start: CPUs that a partition counts are counted all through the job",
          "[alloc][time]") {
    auto parts = *testing::cluster_parts_from_text("1 x (4c)");
    parts.partitions = {{}};
    parts.partitions[0].name = "day";
    parts.partitions[0].nodes.insert(NodeId(0));
    parts.partitions[0].max_cpus_per_node = Count(3);
    Timeline timeline(*Cluster::create(parts));
    Request request = with_cores(2);
    request.partition = "day";
    const Placement two = *place(timeline.cluster(), request);
    REQUIRE(timeline.reserve({OwnerId(1), request, two}, {Instant(5), Instant(10)}).ok());
    StartFinder finder;
    CHECK(start_of(finder.earliest_start(timeline, request, lasting(5))) == 0);
    CHECK(start_of(finder.earliest_start(timeline, request, lasting(6))) == 10);
    CHECK(start_of(finder.earliest_start(timeline, request, lasting(5))) == 0);
    REQUIRE(timeline.advance(Instant(5)).ok());
    CHECK(start_of(finder.earliest_start(timeline, request, lasting(5))) == 10);
    REQUIRE(timeline.set_end(OwnerId(1), Instant(7)).ok());
    CHECK(start_of(finder.earliest_start(timeline, request, lasting(5))) == 7);
    REQUIRE(timeline.cancel(OwnerId(1)).ok());
    CHECK(start_of(finder.earliest_start(timeline, request, lasting(5))) == 5);
}

TEST_CASE("earliest_start: CPUs of jobs that do not meet are not added up", "[alloc][time]") {
    auto parts = *testing::cluster_parts_from_text("1 x (8c)");
    parts.partitions = {{}};
    parts.partitions[0].name = "day";
    parts.partitions[0].nodes.insert(NodeId(0));
    parts.partitions[0].max_cpus_per_node = Count(4);
    Request request = with_cores(2);
    request.partition = "day";
    for (const std::int64_t now : {0, 5}) {  // the first is reserved, or runs
        INFO(now);
        Timeline timeline(*Cluster::create(parts));
        const Placement two = *place(timeline.cluster(), request);
        REQUIRE(timeline.reserve({OwnerId(1), request, two}, {Instant(1), Instant(10)}).ok());
        REQUIRE(timeline.reserve({OwnerId(2), request, two}, {Instant(10), Instant(20)}).ok());
        REQUIRE(timeline.advance(Instant(now)).ok());
        StartFinder finder;
        const auto found = finder.earliest_start(timeline, request, lasting(30));
        CHECK(start_of(found) == now);
        REQUIRE(timeline.reserve({OwnerId(3), request, found->placement}, found->period).ok());
        CHECK(start_of(finder.earliest_start(timeline, request, lasting(30))) == 20);
    }
}

TEST_CASE("earliest_start: a memory sees nodes go and come back", "[alloc][time]") {
    Timeline timeline(*testing::cluster_from_text("3 x (4c)"));
    Request whole = on_nodes(1);
    whole.exclusivity = Exclusivity::whole_node;
    const PreparedRequest request(whole);
    StartFinder kept;
    const auto check_same = [&](const Timeline& asked) {
        const auto found = kept.earliest_start(asked, request, lasting(5));
        const auto anew = StartFinder().earliest_start(asked, request, lasting(5));
        REQUIRE(found.has_value() == anew.has_value());
        if (found) CHECK(found->placement == anew->placement);
    };
    const auto set_state = [&](std::uint32_t node, NodeState state) {
        const auto change = [&](Cluster& cluster) {
            cluster.set_node_state(NodeId(node), state);
            return Status();
        };
        REQUIRE(timeline.change_cluster(change).ok());
    };
    std::uint64_t owner = 0;
    for (const NodeState state : {NodeState::down, NodeState::up, NodeState::down}) {
        for (std::uint32_t node = 0; node < 3; ++node) {
            set_state(node, state);
            check_same(timeline);
            // Another life of the same timeline, as in a pass; then this one goes on.
            Timeline copy = timeline;
            if (const auto found = kept.earliest_start(copy, request, lasting(5))) {
                const Allocation given{OwnerId(++owner), request, found->placement};
                REQUIRE(copy.reserve(given, found->period).ok());
                check_same(copy);
            }
            check_same(timeline);
        }
    }
}

TEST_CASE("earliest_start: jobs of many tasks start when place() first serves them",
          "[alloc][time]") {
    Rng rng(test_seed());
    const auto drawn = [&](std::uint64_t bound) {
        return static_cast<std::int64_t>(rng.below(bound));
    };
    std::size_t later = 0;
    std::size_t never = 0;
    for (std::uint32_t round = 0; round < test_rounds(400u); ++round) {
        Timeline timeline(*testing::cluster_from_text(
            rng.chance(5, 10) ? "6 x (4c)" : "3 x (4c); 2 x (2c2t); (6c gpu:2)"));
        StartFinder finder;
        const auto draw_job = [&] {
            Request job;
            job.nodes = {};
            if (rng.chance(3, 10)) job.nodes.max = Count(1 + drawn(6));
            job.tasks = Count(1 + drawn(26));
            if (rng.chance(3, 10)) job.cpus_per_task = Range<Count>::exactly(Count(2));
            if (rng.chance(2, 10)) job.tasks_per_node.max = Count(1 + drawn(4));
            if (rng.chance(2, 10)) job.tasks_per_core = Count(1 + drawn(2));
            if (!check(job).ok()) job.tasks_per_node = {};  // too few for the tasks
            return PreparedRequest(job);
        };
        for (std::uint64_t owner = 1; owner < 14; ++owner) {
            INFO("seed " << test_seed() << ", round " << round << ", job " << owner);
            const PreparedRequest job = draw_job();
            const Seconds duration(1 + drawn(9));
            std::set<Instant> moments{timeline.now()};
            timeline.periods().for_each(
                [&](OwnerId, const Period& one) { moments.insert(one.end); });
            std::optional<Refusal> last;
            std::optional<Start> expected;
            for (const Instant at : moments) {
                const Period period = period_of(at, duration);
                auto placed = StartFinder().place_throughout(timeline, job, period);
                if (placed) expected = Start{period, *std::move(placed), {}, true};
                if (expected) break;
                last = placed.refusal();
            }
            const auto found = finder.earliest_start(timeline, job, {{}, duration});
            REQUIRE(found.has_value() == expected.has_value());
            if (!found) {
                ++never;
                CHECK(to_text(found.refusal()) == to_text(*last));
                CHECK(!found.refusal().reason.empty());
                continue;
            }
            CHECK(found->period == expected->period);
            CHECK(found->placement == expected->placement);
            CHECK(found->is_earliest);
            CHECK((!found->waits_for || !found->waits_for->reason.empty()));
            if (found->waits_for) ++later;
            REQUIRE(timeline.reserve({OwnerId(owner), job, found->placement}, found->period).ok());
        }
    }
    CHECK(later > test_rounds(1000u));
    CHECK(never > test_rounds(100u));
}

TEST_CASE("earliest_start: a request that no time helps is refused in words", "[alloc][time]") {
    const auto many = earliest_start(busy_nodes(), on_nodes(4), lasting(5));
    REQUIRE(!many);
    CHECK(many.refusal().constraint == Constraint::nodes);
    const auto large = earliest_start(busy_nodes(), with_cores(5), lasting(5));
    CHECK(to_text(large.refusal()) == "cores: asked 5 cores, 4 of 4 are free");
    const auto late = earliest_start(busy_nodes(), on_nodes(3), {{}, Seconds(5), Instant(19)});
    CHECK(late.refusal().constraint == Constraint::nodes);
    const auto in_time = earliest_start(busy_nodes(), on_nodes(3), {{}, Seconds(5), Instant(20)});
    CHECK(in_time.has_value());
}

TEST_CASE("earliest_start: beyond which moment not to look is refused in the words of the first",
          "[alloc][time]") {
    // At 10 a core more is free than at 0, and still too few.
    Timeline timeline(*testing::cluster_from_text("1 x (4c)"));
    for (std::uint32_t core = 0; core < 3; ++core) {
        NodePlacement part;
        part.cores.insert(CoreId(core));
        const Instant end(10 + 10 * core);
        REQUIRE(timeline.reserve({OwnerId(core), {}, {{part}, {}}}, {Instant(0), end}).ok());
    }
    Request request = with_cores(4);
    const StartQuestion to_15{{}, Seconds(5), Instant(15)};
    CHECK(to_text(earliest_start(timeline, request, to_15).refusal()) ==
          "cores: asked 4 cores, 1 of 4 are free");
    request.exclusivity = Exclusivity::whole_node;
    const auto first = to_text(earliest_start(timeline, request, to_15).refusal());
    CHECK(first ==
          "nodes: asked 1 node for itself, at most 0 of 1 are free all through the time from 0 to "
          "5");
    request.cpus_per_task = Range<Count>::exactly(Count(5));  // never
    // At the last end somebody has the node.
    const Placement whole = *whole_nodes(timeline.cluster(), NodeSet::of({NodeId(0)}));
    REQUIRE(timeline.reserve({OwnerId(8), {}, whole}, {Instant(40), Instant(50)}).ok());
    REQUIRE(timeline.reserve({OwnerId(9), {}, whole}, {Instant(50), end_of_time}).ok());
    const StartQuestion late{Instant(30), Seconds(5), Instant(45)};
    CHECK(to_text(earliest_start(timeline, request, late).refusal()) ==
          "cores: asked 5 cores, 4 of 4 are free");
}

TEST_CASE("earliest_start: a moment that was given up is no no", "[alloc][time]") {
    // Node 0 has GPUs, which are too hard a question for four steps, and is free from 2 to 5; node
    // 1 has none and is somebody's until 8.
    const Timeline timeline = with_hard_node();
    PlaceOptions few;
    few.fit.steps_max = 4;
    for (const auto use : {Exclusivity::shared, Exclusivity::whole_node}) {
        INFO(to_text(use));
        Request request = with_cores(2);
        request.exclusivity = use;
        request.devices = {DeviceRequest{}};
        CHECK(start_of(earliest_start(timeline, request, lasting(3))) == 2);
        const auto unsure = earliest_start(timeline, request, lasting(3), few);
        REQUIRE(!unsure);
        CHECK(unsure.refusal().constraint == Constraint::gave_up);

        request.device_alternatives = {{}};
        const auto sure = earliest_start(timeline, request, lasting(3));
        CHECK(start_of(sure) == 2);
        CHECK(sure->is_earliest);
        const auto late = earliest_start(timeline, request, lasting(3), few);
        CHECK(start_of(late) == 8);
        CHECK(!late->is_earliest);
        CHECK(late->waits_for.has_value());
        const auto behind = earliest_start(timeline, request, {Instant(8), Seconds(3), {}}, few);
        CHECK(start_of(behind) == 8);
        CHECK(behind->is_earliest);
        CHECK(!behind->waits_for);
    }
}

TEST_CASE("earliest_start: the caller's filter", "[alloc][time]") {
    const NodeSet first = NodeSet::of({NodeId(0)});
    const auto found = earliest_start(busy_nodes(), on_nodes(1), lasting(5), {}, {&first, nullptr});
    CHECK(start_of(found) == 10);
    const auto other = earliest_start(busy_nodes(), with_cores(1), lasting(5), {},
                                      {nullptr, [](NodeId node) { return node == NodeId(1); }});
    CHECK(start_of(other) == 20);
}

TEST_CASE("earliest_start: what is no question", "[alloc][time]") {
    Timeline timeline = busy_nodes();
    REQUIRE(timeline.advance(Instant(7)).ok());
    struct Row {
        const char* why;
        StartQuestion question;
        const char* words;
    };
    const std::vector<Row> rows{
        {"it is later already",
         {Instant(6), Seconds(1), {}},
         "start after 6: expected from now, 7"},
        {"no time at all", {{}, Seconds(0), {}}, "duration 0"},
        {"longer than time", {{}, Seconds::max(), {}}, "beyond the end of time"},
        {"after all time", {end_of_time, Seconds(1), {}}, "the end of time"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto found = earliest_start(timeline, on_nodes(1), row.question);
        REQUIRE_FALSE(found);
        CHECK(found.refusal().constraint == Constraint::invalid);
        CHECK_THAT(found.refusal().reason, ContainsSubstring(row.words));
    }
}

TEST_CASE("earliest_start: free now, and a reservation begins meanwhile", "[alloc][time]") {
    Timeline timeline(*testing::cluster_from_text("2 x (1s8c mem=16G gpu:1 nic:1)"));
    const auto later = whole_nodes(timeline.cluster(), NodeSet::of({NodeId(0)}));
    REQUIRE(later.ok());
    REQUIRE(timeline.reserve({OwnerId(1), {}, *later}, {Instant(20), Instant(100)}).ok());
    Request request;
    request.devices.resize(2);
    request.devices[1].name = "nic";
    request.cpus_per_device = Count(5);  // of the first name: two would not fit
    request.memory = Range<Bytes>::at_least(gib(10));
    request.memory_per = Per::device;
    const auto other_node = earliest_start(timeline, request, lasting(60));
    CHECK(start_of(other_node) == 0);
    REQUIRE(other_node);
    CHECK(other_node->placement.nodes[0].node == NodeId(1));

    const auto overdue = earliest_start(timeline, request, {{}, Seconds(60), Instant(0)});
    CHECK(start_of(overdue) == 0);

    request.required_nodes = {"n0"};
    const auto required = earliest_start(timeline, request, lasting(60));
    CHECK(start_of(required) == 100);
    REQUIRE(required);
    REQUIRE(required->waits_for);
}

}  // namespace trestle
