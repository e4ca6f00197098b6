// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/timeline.hpp"

#include <string>
#include <utility>
#include <vector>

#include "alloc/schedule/timeline/owner_moment.hpp"
#include "base/cow/cow_map.hpp"
#include "support/catch.hpp"
#include "support/codes.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;

static_assert(lists_all_fields<TimedAllocation>);
static_assert(lists_all_fields<OwnerMoment>);
static_assert(lists_all_fields<Timeline::Advance>);

Period between(std::int64_t first, std::int64_t last) { return {Instant(first), Instant(last)}; }

/// So many cores of a node, from core `first` on.
Allocation some_cores(std::uint64_t owner, std::uint32_t node, std::uint32_t first,
                      std::uint32_t count) {
    NodePlacement part;
    part.node = NodeId(node);
    part.cores = CoreSet::range({first, first + count});
    return {OwnerId(owner), {}, {{std::move(part)}, {}}};
}

Timeline two_nodes() { return Timeline(*testing::cluster_from_text("2 x (4c mem=4G)")); }

}  // namespace

TEST_CASE("Timeline: a moment of the future is a cluster", "[alloc][time]") {
    Timeline timeline = two_nodes();
    REQUIRE(timeline.reserve(some_cores(1, 0, 0, 4), between(0, 10)).ok());
    REQUIRE(timeline.reserve(some_cores(2, 0, 0, 2), between(10, 20)).ok());
    CHECK(timeline.size() == 2);
    CHECK(timeline.cluster().find_allocation(OwnerId(1)) != nullptr);
    CHECK(timeline.cluster().find_allocation(OwnerId(2)) == nullptr);
    CHECK(*timeline.find_allocation(OwnerId(2)) == some_cores(2, 0, 0, 2));
    CHECK(timeline.period_of(OwnerId(2)) == between(10, 20));
    CHECK(timeline.period_of(OwnerId(3)) == std::nullopt);
    const auto free = [&](std::int64_t at) {
        return timeline.free_at(Instant(at))->free(NodeId(0)).cores.count();
    };
    CHECK(free(0) == 0);
    CHECK(free(9) == 0);
    CHECK(free(10) == 2);
    CHECK(free(20) == 4);
    CHECK(timeline.free_at(Instant(0)).value() == timeline.cluster());
    CHECK(timeline.state(NodeId(0), between(5, 15)).free.cores.is_empty());
    CHECK(timeline.state(NodeId(0), between(10, 30)).free.cores == CoreSet::range({2, 4}));
}

TEST_CASE("Timeline: time passes", "[alloc][time]") {
    Timeline timeline = two_nodes();
    REQUIRE(timeline.reserve(some_cores(1, 0, 0, 4), between(0, 10)).ok());
    REQUIRE(timeline.reserve(some_cores(2, 0, 0, 4), between(10, 20)).ok());
    REQUIRE(timeline.reserve(some_cores(3, 1, 0, 4), between(12, 14)).ok());
    CHECK(timeline.next_change() == Instant(10));
    const auto first = timeline.advance(Instant(10));
    REQUIRE(first.ok());
    REQUIRE(first->ended.size() == 1);
    CHECK(first->ended[0] == TimedAllocation{some_cores(1, 0, 0, 4), between(0, 10)});
    CHECK(first->begun == std::vector{OwnerId(2)});
    CHECK(timeline.now() == Instant(10));
    CHECK(timeline.next_change() == Instant(12));
    CHECK(timeline.period_of(OwnerId(1)) == std::nullopt);
    CHECK(timeline.cluster().find_allocation(OwnerId(2)) != nullptr);
    const auto rest = timeline.advance(Instant(30));
    REQUIRE(rest.ok());
    REQUIRE(rest->ended.size() == 2);
    CHECK(rest->ended[0].allocation.owner == OwnerId(3));
    CHECK(rest->ended[1].allocation.owner == OwnerId(2));
    CHECK(rest->begun == std::vector{OwnerId(3)});
    CHECK(timeline.size() == 0);
    CHECK(timeline.next_change() == std::nullopt);
    CHECK(timeline.cluster() == two_nodes().cluster());
    CHECK(timeline.advance(Instant(29)).status().code() == invalid);
}

TEST_CASE("Timeline: a sink hears what runs, what ends and what is refused, when all is done",
          "[alloc][time]") {
    Timeline timeline = two_nodes();
    std::string heard;
    const TraceSink sink = [&](const TraceEvent& event) {
        heard += fmt::format("{}:{}{} ", timeline.now(), to_text(event.kind), event.owner);
    };
    REQUIRE(timeline.reserve(some_cores(1, 0, 0, 4), between(0, 10), sink).ok());
    REQUIRE(timeline.reserve(some_cores(2, 0, 0, 4), between(10, 20), sink).ok());
    CHECK(heard == "0:commit1 ");
    CHECK_FALSE(timeline.reserve(some_cores(3, 0, 0, 1), between(5, 15), sink).ok());
    CHECK_FALSE(timeline.reserve(some_cores(3, 0, 0, 1), between(0, 5), sink).ok());
    CHECK_FALSE(timeline.cancel(OwnerId(4), sink).ok());
    CHECK(heard == "0:commit1 0:refusal3 0:refusal3 0:refusal4 ");
    heard.clear();
    REQUIRE(timeline.advance(Instant(10), sink).ok());
    CHECK(heard == "10:release1 10:commit2 ");
    REQUIRE(timeline.reserve(some_cores(5, 1, 0, 1), between(30, 40), sink).ok());
    heard.clear();
    REQUIRE(timeline.cancel(OwnerId(5), sink).ok());  // it never ran
    REQUIRE(timeline.cancel(OwnerId(2), sink).ok());
    CHECK(heard == "10:release2 ");
}

TEST_CASE("Timeline: an empty one, a moved one and a default one are equal", "[alloc][time]") {
    Timeline timeline = two_nodes();
    REQUIRE(timeline.reserve(some_cores(1, 0, 0, 4), between(0, 10)).ok());
    const Timeline moved = std::move(timeline);
    CHECK(moved.size() == 1);
    CHECK(timeline == Timeline());
    CHECK(timeline == Timeline(Cluster(), Instant(0)));
    CHECK(timeline.next_change() == std::nullopt);
    timeline = moved;
    CHECK(timeline == moved);
}

TEST_CASE("Timeline: a job that runs on is given a later end, as far as others let it",
          "[alloc][time]") {
    Timeline timeline = two_nodes();
    REQUIRE(timeline.reserve(some_cores(1, 0, 0, 4), between(0, 10)).ok());
    REQUIRE(timeline.reserve(some_cores(2, 0, 3, 1), between(20, 30)).ok());
    CHECK(timeline.set_end(OwnerId(1), Instant(20)).ok());
    const Status status = timeline.set_end(OwnerId(1), Instant(21));
    CHECK(status.code() == refused);
    CHECK_THAT(std::string(message(status)),
               ContainsSubstring("node n0 at 20: core 3 belongs to owner 2"));
    CHECK(timeline.period_of(OwnerId(1)) == between(0, 20));
    CHECK(timeline.set_end(OwnerId(1), Instant(5)).ok());
    CHECK(timeline.set_end(OwnerId(9), Instant(5)).code() == absent);
    CHECK(timeline.set_end(OwnerId(1), Instant(0)).code() == invalid);
    CHECK(timeline.set_end(OwnerId(2), Instant(20)).code() == invalid);
    CHECK(timeline.set_end(OwnerId(2), end_of_time).ok());
    CHECK(timeline.ends().size() == 1);
}

TEST_CASE("Timeline: what is refused is named, and nothing happens", "[alloc][time]") {
    auto parts = *testing::cluster_parts_from_text("2 x (4c mem=4G)");
    parts.counts = {{"abaqus", Count(2)}};
    Timeline timeline(*Cluster::create(parts), Instant(5));
    Allocation licensed = some_cores(1, 0, 0, 2);
    licensed.placement.cluster_counts = {{"abaqus", Count(2)}};
    REQUIRE(timeline.reserve(licensed, between(10, 20)).ok());
    Allocation memory = some_cores(2, 1, 0, 0);
    memory.placement.nodes[0].memory = {{DomainId(0), gib(3)}};
    REQUIRE(timeline.reserve(memory, between(30, 40)).ok());
    const Timeline before = timeline;

    Allocation more_memory = memory;
    more_memory.owner = OwnerId(7);
    Allocation more_licences = some_cores(7, 1, 0, 1);
    more_licences.placement.cluster_counts = {{"abaqus", Count(1)}};
    Allocation twice = some_cores(7, 0, 2, 1);
    twice.placement.nodes.push_back(twice.placement.nodes[0]);
    struct Row {
        const char* why;
        Allocation allocation;
        Period period;
        StatusCode code;
        const char* words;
    };
    const std::vector<Row> rows{
        {"an end before the start", some_cores(7, 0, 2, 1), between(9, 8), invalid,
         "owner 7: a period from 9 to 8: expected an end after the start"},
        {"no moment at all", some_cores(7, 0, 2, 1), between(9, 9), invalid, "from 9 to 9"},
        {"it has begun already", some_cores(7, 0, 2, 1), between(4, 8), invalid,
         "expected a start from now, 5, on"},
        {"an owner has one allocation", some_cores(1, 1, 0, 1), between(6, 7), refused,
         "owner 1 from 6 to 7: the owner has something already, from 10 to 20"},
        {"a core that is somebody's then", some_cores(7, 0, 1, 2), between(6, 11), refused,
         "node n0 at 10: core 1 belongs to owner 1, owner 1 from 10 to 20"},
        {"memory that is somebody's then", more_memory, between(6, 31), refused,
         "owner 2 from 30 to 40"},
        {"licences that are somebody's then", more_licences, between(19, 22), refused,
         "at 19: asked 1 abaqus, 0 are free, owner 1 from 10 to 20"},
        {"a core that is not there", some_cores(7, 0, 3, 2), between(6, 7), invalid,
         "core 4 does not exist"},
        {"a node that is not there", some_cores(7, 2, 0, 1), between(6, 7), invalid,
         "node 2 does not exist"},
        {"a node that stands twice", twice, between(6, 7), invalid, "each once"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const Status status = timeline.reserve(row.allocation, row.period);
        CHECK(status.code() == row.code);
        CHECK_THAT(std::string(message(status)), ContainsSubstring(row.words));
        CHECK(timeline == before);
    }
    CHECK(timeline.cancel(OwnerId(7)).status().code() == absent);
    CHECK(timeline.free_at(Instant(4)).status().code() == invalid);
    // Side by side, and one after the other.
    CHECK(timeline.reserve(some_cores(7, 0, 2, 2), between(6, 11)).ok());
    CHECK(timeline.reserve(some_cores(8, 0, 0, 2), between(20, 21)).ok());
    CHECK(timeline.reserve(some_cores(9, 0, 0, 2), between(5, 10)).ok());
}

TEST_CASE("Timeline: licences of a period are those of its worst moment", "[alloc][time]") {
    auto parts = *testing::cluster_parts_from_text("1 x (8c)");
    parts.counts = {{"abaqus", Count(4)}, {"fluent", Count(1)}};
    Timeline timeline(*Cluster::create(parts));
    const auto reserve = [&](std::uint64_t owner, std::int64_t count, Period period) {
        Allocation one = some_cores(owner, 0, static_cast<std::uint32_t>(owner), 1);
        one.placement.cluster_counts = {{"abaqus", Count(count)}};
        if (owner == 3) one.placement.cluster_counts.push_back({"fluent", Count(1)});
        REQUIRE(timeline.reserve(one, period).ok());
    };
    reserve(1, 2, between(0, 10));
    reserve(2, 2, between(5, 10));
    reserve(3, 1, between(10, 20));
    reserve(4, 1, between(12, 14));
    struct Row {
        const char* why;
        Period period;
        std::vector<ClusterCount> free;
    };
    const std::vector<Row> rows{
        {"one who is there from the start",
         between(0, 5),
         {{"abaqus", Count(2)}, {"fluent", Count(1)}}},
        {"none is left for a while, and of all later", between(0, 20), {}},
        {"what has ended is free, what begins is not", between(10, 12), {{"abaqus", Count(3)}}},
        {"two at once", between(13, 30), {{"abaqus", Count(2)}}},
        {"one of them", between(14, 15), {{"abaqus", Count(3)}}},
        {"nobody", between(20, 30), {{"abaqus", Count(4)}, {"fluent", Count(1)}}},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(timeline.free_counts(row.period) == row.free);
    }
    REQUIRE(timeline.set_end(OwnerId(4), Instant(13)).ok());
    CHECK(timeline.free_counts(between(13, 30)) == std::vector<ClusterCount>{{"abaqus", Count(3)}});
}

TEST_CASE("Timeline: what is cancelled is as if it had never been", "[alloc][time]") {
    Timeline timeline = two_nodes();
    const Timeline before = timeline;
    REQUIRE(timeline.reserve(some_cores(1, 0, 0, 4), between(0, 10)).ok());
    REQUIRE(timeline.reserve(some_cores(2, 1, 0, 4), between(10, 20)).ok());
    CHECK(hash_of(timeline) != hash_of(before));
    const auto running = timeline.cancel(OwnerId(1));
    REQUIRE(running.ok());
    CHECK(*running == TimedAllocation{some_cores(1, 0, 0, 4), between(0, 10)});
    const auto reserved = timeline.cancel(OwnerId(2));
    REQUIRE(reserved.ok());
    CHECK(*reserved == TimedAllocation{some_cores(2, 1, 0, 4), between(10, 20)});
    CHECK(timeline == before);
    CHECK(hash_of(timeline) == hash_of(before));
}

TEST_CASE("Timeline: a trial is undone unless it is kept", "[alloc][time]") {
    Timeline timeline = two_nodes();
    const Timeline before = timeline;
    {
        const Timeline::Trial trial(timeline);
        REQUIRE(timeline.reserve(some_cores(1, 0, 0, 4), between(0, 10)).ok());
        REQUIRE(timeline.advance(Instant(3)).ok());
    }
    CHECK(timeline == before);
    {
        Timeline::Trial trial(timeline);
        REQUIRE(timeline.reserve(some_cores(1, 0, 0, 4), between(0, 10)).ok());
        trial.undo();
        REQUIRE(timeline.reserve(some_cores(2, 0, 0, 4), between(0, 10)).ok());
        trial.keep();
    }
    CHECK(timeline.period_of(OwnerId(1)) == std::nullopt);
    CHECK(timeline.period_of(OwnerId(2)) == between(0, 10));
}

TEST_CASE("Timeline: a window of maintenance takes nodes whole", "[alloc][time]") {
    Timeline timeline(*testing::cluster_from_text("2 x (4c mem=4G gpu:2)"));
    REQUIRE(timeline.reserve(some_cores(1, 1, 0, 1), between(0, 10)).ok());
    const auto both = whole_nodes(timeline.cluster(), NodeSet::range({0, 2}));
    REQUIRE(both.ok());
    const Status early = timeline.reserve({OwnerId(99), {}, *both}, between(9, 20));
    CHECK(early.code() == refused);
    CHECK_THAT(std::string(message(early)), ContainsSubstring("belongs to owner 1"));
    REQUIRE(timeline.reserve({OwnerId(99), {}, *both}, between(10, 20)).ok());
    const FreeState free = timeline.free_at(Instant(10))->free(NodeId(0));
    CHECK(free.cores.is_empty());
    CHECK(free.memory == std::vector<Bytes>{Bytes()});
    CHECK(free.shares == std::vector<Count>{Count(), Count()});
    CHECK(whole_nodes(timeline.cluster(), NodeSet::of({NodeId(2)})).status().code() == invalid);
}

TEST_CASE("Timeline: what there is changes where reservations let it", "[alloc][time]") {
    auto parts = *testing::cluster_parts_from_text("2 x (4c mem=4G)");
    parts.counts = {{"abaqus", Count(3)}};
    Timeline timeline(*Cluster::create(parts));
    Allocation licensed = some_cores(1, 1, 0, 2);
    licensed.placement.cluster_counts = {{"abaqus", Count(2)}};
    REQUIRE(timeline.reserve(licensed, between(10, 20)).ok());
    const Timeline before = timeline;
    const auto counts = [&](std::int64_t count) {
        return timeline.change_cluster([&](Cluster& cluster) {
            return cluster.set_counts({{"abaqus", Count(count)}});
        });
    };
    const Status fewer = counts(1);
    CHECK(fewer.code() == refused);
    CHECK_THAT(std::string(message(fewer)),
               ContainsSubstring("owner 1: at 10: asked 2 abaqus, 1 are free"));
    const auto remove = [](std::uint32_t node) {
        return [node](Cluster& cluster) { return cluster.remove_node(NodeId(node)); };
    };
    CHECK(timeline.change_cluster(remove(1)).code() == refused);
    const Status taken = timeline.change_cluster(
        [](Cluster& cluster) { return cluster.commit(some_cores(5, 0, 0, 1)); });
    CHECK_THAT(std::string(message(taken)), ContainsSubstring("owner 5"));
    CHECK(timeline == before);
    CHECK(counts(2).ok());
    CHECK(timeline.change_cluster(remove(0)).ok());
    CHECK(timeline.cluster().name(NodeId(0)).empty());
}

}  // namespace trestle
