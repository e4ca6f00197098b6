// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/reservation_timeline.hpp"

#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/codes.hpp"
#include "trestle/alloc/schedule/earliest_start.hpp"
#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr OwnerId course{50};  ///< a reservation for those who take it

Request cores_of_nodes(std::int64_t nodes, std::int64_t cores = 0) {
    Request request;
    request.nodes = Range<Count>::exactly(Count(nodes));
    if (cores == 0) request.exclusivity = Exclusivity::whole_node;
    if (cores != 0) request.cpus_per_task = Range<Count>::exactly(Count(cores));
    return request;
}

/// 4 nodes; owner 1 has two of them until 100, and the course will have nodes 1 to 3.
Timeline with_course(Period period = {Instant(200), Instant(300)}) {
    Timeline timeline(*testing::cluster_from_text("4 x (4c)"), Instant(10));
    const Placement half = *whole_nodes(timeline.cluster(), NodeSet::range({0, 2}));
    REQUIRE(timeline.reserve({OwnerId(1), {}, half}, {Instant(10), Instant(100)}).ok());
    const Placement nodes = *whole_nodes(timeline.cluster(), NodeSet::range({1, 4}));
    REQUIRE(timeline.reserve({course, {}, nodes}, period).ok());
    return timeline;
}

/// `1-3 from 200 to 250`, or the words of the refusal.
std::string start_in(const Timeline& timeline, const Request& request, std::int64_t seconds) {
    const auto start = earliest_start(timeline, request, {{}, Seconds(seconds), {}});
    if (!start) return start.refusal().reason;
    NodeSet nodes;
    for (const NodePlacement& part : start->placement.nodes) nodes.insert(part.node);
    return to_text(nodes) + " " + to_text(start->period);
}

}  // namespace

TEST_CASE("reservation_timeline: jobs have the window and its nodes", "[alloc][time]") {
    const Timeline timeline = with_course();
    const Timeline inside = *reservation_timeline(timeline, course);
    CHECK(inside.now() == Instant(10));
    CHECK(inside.cluster().node_count() == 4);
    CHECK(start_in(inside, cores_of_nodes(3), 50) == "1-3 from 200 to 250");
    CHECK(start_in(inside, cores_of_nodes(1), 100) == "1 from 200 to 300");
    CHECK_THAT(start_in(inside, cores_of_nodes(1), 101), ContainsSubstring("others use it"));
    CHECK_THAT(start_in(inside, cores_of_nodes(4), 1), ContainsSubstring("3 of 4 can take a part"));
    CHECK(start_in(inside, cores_of_nodes(2, 3), 100) == "1-2 from 200 to 300");
    CHECK(start_in(timeline, cores_of_nodes(1), 290) == "0 from 100 to 390");
    CHECK(start_in(timeline, cores_of_nodes(2), 191) == "0-1 from 300 to 491");
}

TEST_CASE("reservation_timeline: jobs share it, and time passes in both", "[alloc][time]") {
    Timeline timeline = with_course();
    Timeline inside = *reservation_timeline(timeline, course);
    REQUIRE(timeline.advance(Instant(200)).ok());
    REQUIRE(inside.advance(Instant(200)).ok());
    const std::vector<QueuedJob> queue{{OwnerId(1), cores_of_nodes(2), Seconds(60)},
                                       {OwnerId(2), cores_of_nodes(2), Seconds(40)},
                                       {OwnerId(3), cores_of_nodes(1), Seconds(60)},
                                       {OwnerId(4), cores_of_nodes(1), Seconds(101)}};
    const auto pass = schedule_pass(inside, queue, Discipline::easy());
    REQUIRE(pass.ok());
    REQUIRE(pass->starts.size() == 2);
    for (const TimedAllocation& start : pass->starts) {
        CHECK(inside.reserve(start.allocation, start.period).ok());
        CHECK(timeline.reserve(start.allocation, start.period).code() == refused);
    }
    REQUIRE(pass->reservations.size() == 1);
    CHECK(pass->reservations[0].period == Period{Instant(260), Instant(300)});
    REQUIRE(inside.advance(Instant(300)).ok());
    CHECK_THAT(start_in(inside, cores_of_nodes(1), 1), ContainsSubstring("others use it"));
}

TEST_CASE("reservation_timeline: one that runs, one without end", "[alloc][time]") {
    Timeline timeline = with_course();
    REQUIRE(timeline.advance(Instant(250)).ok());
    CHECK(start_in(*reservation_timeline(timeline, course), cores_of_nodes(3), 50) ==
          "1-3 from 250 to 300");
    const Timeline for_ever = with_course({Instant(100), end_of_time});
    const Timeline inside = *reservation_timeline(for_ever, course);
    CHECK(earliest_start(inside, cores_of_nodes(3)).has_value());
    CHECK(start_in(inside, cores_of_nodes(3), 900) == "1-3 from 100 to 1000");
}

TEST_CASE("reservation_timeline: licences are inside as far as they are reserved",
          "[alloc][time]") {
    Cluster cluster = *testing::cluster_from_text("2 x (4c)");
    REQUIRE(cluster.set_counts({{"abaqus", Count(5)}, {"matlab", Count(1)}}).ok());
    Timeline timeline(cluster);
    Placement placement = *whole_nodes(cluster, NodeSet::range({0, 1}));
    placement.cluster_counts = {{"abaqus", Count(2)}};
    REQUIRE(timeline.reserve({course, {}, placement}, {Instant(5), Instant(9)}).ok());
    const Timeline inside = *reservation_timeline(timeline, course);
    Request request = cores_of_nodes(1, 1);
    request.cluster_counts = {{"abaqus", Count(2)}};
    CHECK(start_in(inside, request, 4) == "0 from 5 to 9");
    request.cluster_counts = {{"abaqus", Count(3)}};
    CHECK_THAT(start_in(inside, request, 4), ContainsSubstring("asked 3 abaqus, 2 are free"));
    request.cluster_counts = {{"matlab", Count(1)}};
    CHECK_THAT(start_in(inside, request, 4), ContainsSubstring("asked 1 matlab, 0 are free"));
}

TEST_CASE("reservation_timeline: nodes that are drained or gone stay so", "[alloc][time]") {
    Timeline timeline = with_course();
    REQUIRE(timeline.advance(Instant(150)).ok());
    REQUIRE(timeline
                .change_cluster([](Cluster& cluster) {
                    cluster.set_node_state(NodeId(2), NodeState::drained);
                    return cluster.remove_node(NodeId(0));
                })
                .ok());
    const Timeline inside = *reservation_timeline(timeline, course);
    CHECK(start_in(inside, cores_of_nodes(2), 50) == "1,3 from 200 to 250");
    CHECK(inside.cluster().class_of(NodeId(0)).state == NodeState::removed);
}

TEST_CASE("reservation_timeline: what has no inside", "[alloc][time]") {
    Timeline timeline = with_course();
    const auto status_of = [&](OwnerId owner) {
        return reservation_timeline(timeline, owner).status();
    };
    CHECK(status_of(OwnerId(7)).code() == absent);
    CHECK_THAT(std::string(message(status_of(OwnerId(7)))),
               ContainsSubstring("owner 7 has nothing"));

    Placement some = *whole_nodes(timeline.cluster(), NodeSet::range({0, 2}));
    some.nodes[1].cores.erase(CoreId(0));
    REQUIRE(timeline.reserve({OwnerId(8), {}, some}, {Instant(400), Instant(500)}).ok());
    CHECK(status_of(OwnerId(8)).code() == refused);
    CHECK_THAT(std::string(message(status_of(OwnerId(8)))),
               ContainsSubstring("owner 8: node ") && ContainsSubstring("not reserved whole"));
    REQUIRE(timeline.reserve({OwnerId(9), {}, {}}, {Instant(400), Instant(500)}).ok());
    CHECK_THAT(std::string(message(status_of(OwnerId(9)))),
               ContainsSubstring("no node is reserved"));

    const Placement last = *whole_nodes(timeline.cluster(), NodeSet::range({3, 4}));
    for (const OwnerId owner : {outside_of_reservation, before_reservation, after_reservation}) {
        REQUIRE(timeline.reserve({owner, {}, last}, {Instant(400), Instant(500)}).ok());
        CHECK(status_of(course).code() == refused);
        CHECK_THAT(std::string(message(status_of(course))), ContainsSubstring(to_text(owner)));
        REQUIRE(timeline.cancel(owner).ok());
    }
    CHECK(status_of(course).ok());
}

/// The other way to ask: in a cluster with nobody in it, on these nodes, not before the window, and
/// only what ends in it.
TEST_CASE("reservation_timeline: as in an idle cluster, kept to nodes and window",
          "[alloc][time]") {
    const Cluster idle = *testing::cluster_from_text("3 x (4c); 2 x (8c)");
    const Timeline empty(idle);
    testing::for_random_choices({1, 300}, [&](testing::Choices& choices) {
        const auto first = static_cast<std::uint32_t>(choices.below(5));
        const NodeSet nodes = NodeSet::range(
            {first, 1 + first + static_cast<std::uint32_t>(choices.below(5 - first))});
        const Instant from(static_cast<int>(choices.below(3)));
        const Period period{from, from + Instant(1 + static_cast<int>(choices.below(6)))};
        Timeline timeline(idle);
        REQUIRE(timeline.reserve({course, {}, *whole_nodes(idle, nodes)}, period).ok());
        const Timeline inside = *reservation_timeline(timeline, course);
        const Request request = cores_of_nodes(1 + static_cast<int>(choices.below(3)),
                                               static_cast<int>(choices.below(9)));
        const Seconds seconds(1 + static_cast<int>(choices.below(6)));
        const auto found = earliest_start(inside, request, {{}, seconds, {}});
        const auto expected =
            earliest_start(empty, request, {from, seconds, from}, {}, {&nodes, {}});
        const bool is_inside = expected.has_value() && expected->period.end <= period.end;
        REQUIRE(found.has_value() == is_inside);
        if (!is_inside) return;
        REQUIRE(found->period == expected->period);
        REQUIRE(found->placement == expected->placement);
    });
}

}  // namespace trestle
