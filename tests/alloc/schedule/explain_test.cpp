// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/explain.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "alloc/schedule/find_relaxations.hpp"
#include "support/catch.hpp"
#include "support/random_place.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/cluster/columns/node_columns.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

using testing::for_random_choices;

Request needs_two_gpus() {
    Request request;
    request.devices = {DeviceRequest{}};
    request.devices[0].count = Range<Count>::exactly(Count(2));
    request.cpus_per_task = Range<Count>::exactly(Count(2));
    return request;
}

}  // namespace

TEST_CASE("explain: counts what stands in the way, most nodes first", "[alloc][golden]") {
    const auto cluster = testing::cluster_from_text(
        "2 x (4c gpu:1); (1c gpu:2); (4c gpu:2 state=drained); 2 x (4c)");
    REQUIRE(cluster.ok());
    CHECK(to_text(explain(*cluster, needs_two_gpus())) ==
          "does not fit, cores: asked 2 cores, 1 of 1 are free; nodes that can take a part: "
          "0\n"
          "devices removed 4, the first says: n0: asked 2 gpu, 1 of 1 are free on the "
          "node\n"
          "node_state removed 1, the first says: n3 is drained, health healthy\n"
          "cores removed 1, the first says: n2: asked 2 cores, 1 of 1 are free\n"
          "nearest: n0: 1 gpu instead of 2\n"
          "fits: once n3 is back, which is drained, health healthy");
}

TEST_CASE("explain: which owners would have to end", "[alloc]") {
    auto cluster = testing::cluster_from_text("(4c gpu:2); (4c gpu:2)");
    REQUIRE(cluster.ok());
    Request one_gpu = needs_two_gpus();
    one_gpu.devices[0].count = Range<Count>::exactly(Count(1));
    one_gpu.cpus_per_task = Range<Count>::exactly(Count(1));
    for (const std::uint64_t owner : {11U, 12U, 13U}) {
        const auto placement = place(*cluster, one_gpu);
        REQUIRE(placement);
        REQUIRE(cluster->commit({OwnerId(owner), one_gpu, *placement}).ok());
    }
    const auto ends_for = [&](const Request& request, std::uint64_t trials_max = 1000) {
        const auto found = explain(*cluster, request, {}, {}, trials_max).relaxations;
        const bool has_any =
            !found.empty() && found.back().kind == Explanation::Relaxation::Kind::ending;
        return has_any ? found.back().owners : std::vector<OwnerId>();
    };
    CHECK(ends_for(needs_two_gpus()) == std::vector{OwnerId(13)});
    CHECK(explain(*cluster, needs_two_gpus()).relaxations.back().text ==
          "once these owners end: 13");
    REQUIRE(cluster->commit({OwnerId(14), one_gpu, *place(*cluster, one_gpu)}).ok());
    CHECK(ends_for(needs_two_gpus()) == std::vector{OwnerId(11), OwnerId(12)});
    Request both = needs_two_gpus();
    both.nodes = Range<Count>::exactly(Count(2));
    CHECK(ends_for(both).size() == 4);
    CHECK(ends_for(both, 0).size() == 4);
    Request more = needs_two_gpus();
    more.devices[0].count = Range<Count>::exactly(Count(3));
    CHECK(ends_for(more).empty());
    CHECK(explain(*Cluster::create({}), more).relaxations.empty());
}

TEST_CASE("explain: nodes that the caller forbids are one more constraint", "[alloc]") {
    const auto cluster = testing::cluster_from_text("3 x (4c gpu:2)");
    REQUIRE(cluster.ok());
    const NodeSet first = NodeSet::of({NodeId(0)});
    Request request = needs_two_gpus();
    request.nodes = Range<Count>::exactly(Count(2));
    const Explanation explanation = explain(*cluster, request, {}, {&first});
    REQUIRE(explanation.removed.size() == 1);
    CHECK(explanation.removed[0].constraint == Constraint::candidates);
    CHECK(explanation.removed[0].nodes == Count(2));
    CHECK(explanation.fitting == Count(1));
    REQUIRE(explanation.relaxations.size() == 2);
    CHECK(explanation.relaxations[0].text == "1 nodes instead of 2");
    CHECK(explanation.relaxations[1].text == "on nodes that the caller forbids");
}

TEST_CASE("explain: the nodes that fit are those that the columns call feasible", "[alloc]") {
    const auto sets = [](std::vector<FeatureExpression> list, std::int64_t nodes = 1) {
        Request request;
        request.nodes = Range<Count>::exactly(Count(nodes));
        request.feature_sets = std::move(list);
        return request;
    };
    const auto counts = [](Range<Count> nodes, std::int64_t with_a) {
        Request request;
        request.nodes = nodes;
        request.feature_counts = {{{"a"}, Count(with_a)}};
        return request;
    };
    Request both = sets({{"a"}, {"b"}});
    both.features = {"c"};
    Request gpu = sets({{"a"}, {"b"}});
    gpu.devices = {DeviceRequest{}};
    Request wide;
    wide.nodes = Range<Count>::at_least(Count(1));
    wide.tasks = Count(6);
    wide.distribution.split = TaskDistribution::Split::even;
    wide.required_nodes = {"n0", "n1"};
    struct Row {
        const char* cluster;
        Request request;
        std::int64_t fitting;
        const char* removed;  ///< of the first constraint
        const char* why;
    };
    const Row rows[] = {
        {"2 x (4c)", sets({{"a"}, {"b"}}), 0, "n0 lacks a|b", "no node has any set"},
        {"(4c features=a); (4c features=b); (4c)", sets({{"a"}, {"b"}}), 2, "n2 lacks a|b",
         "each node with one of the sets"},
        {"(4c features=a); (4c features=b)", sets({{"a"}, {"b"}}, 2), 2, "",
         "a set for all nodes, of which a node can be any"},
        {"(4c features=a); (4c)", sets({{"a", "b"}}), 0, "n0 lacks a&b", "one set of two features"},
        {"(4c features=a); (4c features=a,c)", both, 1, "n0 lacks c&(a|b)", "a set and a feature"},
        {"(4c features=a gpu:1); (4c features=b)", gpu, 1, "n1: asked 1 gpu, the node has none",
         "a set and a device"},
        {"(4c features=a); (4c)", counts(Range<Count>::exactly(Count(1)), 1), 1, "n1 lacks a",
         "a feature that all nodes of the job need"},
        {"(4c features=a); (4c)", counts(Range<Count>::exactly(Count(2)), 1), 2, "",
         "a feature that one of two needs"},
        {"2 x (4c)", wide, 2, "", "as many nodes as are required: three tasks on each"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const Cluster cluster = *testing::cluster_from_text(row.cluster);
        REQUIRE(check(row.request).ok());
        const Explanation explanation = explain(cluster, row.request);
        CHECK(explanation.fitting == Count(row.fitting));
        CHECK((explanation.removed.empty() ? "" : explanation.removed[0].example) == row.removed);
        NodeColumns columns(cluster, PlaceOptions());
        bool feasible[4] = {};
        columns.feasible(row.request, std::span(feasible, cluster.node_count()));
        CHECK(std::count(feasible, feasible + 4, true) == row.fitting);
    }
}

TEST_CASE("explain: the nearest relaxation of any node is named", "[alloc]") {
    const auto cluster = testing::cluster_from_text("(1c gpu:2); (2s4c gpu:2@s0)");
    REQUIRE(cluster.ok());
    Request request = needs_two_gpus();
    request.cpus_per_task = Range<Count>::exactly(Count(6));
    request.devices[0].locality = Strictness::require;
    const Explanation explanation = explain(*cluster, request);
    CHECK(explanation.removed.size() == 2);
    CHECK(explanation.nearest == "n1: gpu far from the cores");
    request.devices[0].locality = Strictness::prefer;
    CHECK(explain(*cluster, request).nearest.empty());
}

TEST_CASE("explain: nodes that fit do not make a placement", "[alloc]") {
    const auto cluster = testing::cluster_from_text("2 x (4c gpu:2) 1 per switch");
    REQUIRE(cluster.ok());
    Request request = needs_two_gpus();
    CHECK(explain(*cluster, request).fits);
    request.nodes = Range<Count>::exactly(Count(2));
    request.topology.switches_max = Count(1);
    const Explanation explanation = explain(*cluster, request);
    CHECK_FALSE(explanation.fits);
    CHECK(explanation.fitting == Count(2));
    CHECK(explanation.removed.empty());
    CHECK(explanation.nearest.empty());
    REQUIRE(explanation.relaxations.size() == 2);
    CHECK(explanation.relaxations[0].text == "2 switches instead of 1");
    CHECK(explanation.relaxations[1].text == "1 nodes instead of 2");
    CHECK(explanation.why.constraint == Constraint::topology);
    CHECK(explain(Cluster(), request).why.constraint == Constraint::nodes);
}

TEST_CASE("explain: a change is named where it will do, as far as it has to go", "[alloc]") {
    const auto exactly = [](std::int64_t n) { return Range<Count>::exactly(Count(n)); };
    Request fast = needs_two_gpus();
    fast.features = {"fast"};
    Request any_set = needs_two_gpus();
    any_set.feature_sets = {{"fast"}, {"big"}};
    Request counted = needs_two_gpus();
    counted.feature_counts = {{{"fast"}, Count(1)}};
    Request one_switch = needs_two_gpus();
    one_switch.nodes = exactly(3);
    one_switch.topology.switches_max = Count(1);
    Request four = needs_two_gpus();
    four.nodes = exactly(4);
    struct Row {
        const char* cluster;
        Request request;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"2 x (4c gpu:2)", fast, "without fast\n", "the feature is all that lacks"},
        {"2 x (4c gpu:1)", fast, "", "GPUs lack too"},
        {"2 x (4c gpu:2)", any_set, "without fast|big\n", "any one of the sets lacks"},
        {"2 x (4c gpu:2)", counted, "without the numbers of nodes with a feature\n",
         "a node with a feature lacks"},
        {"4 x (4c gpu:2) 1 per switch", one_switch,
         "3 switches instead of 1\n1 nodes instead of 3\n", "two switches are too few"},
        {"2 x (4c gpu:2)", four, "2 nodes instead of 4\n", "three nodes are too many"},
        {"(4c gpu:1); (4c gpu:1 state=drained)", needs_two_gpus(), "", "a node of no use"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto cluster = testing::cluster_from_text(row.cluster);
        REQUIRE(cluster.ok());
        std::string texts;
        for (const Explanation::Relaxation& one : find_place_relaxations(*cluster, row.request)) {
            texts += one.text + "\n";
        }
        CHECK(texts == row.expected);
    }
}

TEST_CASE("explain: a level and a number of switches are two wishes", "[alloc]") {
    Cluster cluster = *testing::cluster_from_text("8 x (2c) 2 per switch");
    for (std::uint32_t node = 0; node < 8; node += 2) {
        NodePlacement part;
        part.node = NodeId(node);
        part.cores = CoreSet::range({0, 2});
        REQUIRE(cluster.adopt(OwnerId(node), {{part}}).ok());
    }
    Request request;
    request.nodes = Range<Count>::exactly(Count(2));
    request.cpus_per_task = Range<Count>::exactly(Count(1));
    request.tasks = Count(2);
    request.topology.switches_max = Count(2);
    request.topology.level = Count(0);
    const auto changes = find_place_relaxations(cluster, request);
    REQUIRE(!changes.empty());
    CHECK(std::any_of(changes.begin(), changes.end(), [](const Explanation::Relaxation& one) {
        return one.text == "without the level";
    }));
}

TEST_CASE("explain: every node is counted once, and a yes agrees with place", "[alloc][law]") {
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), test_rounds(300u)}, [&](Choices& choices) {
        const PlaceCase one = any_place_case(choices);
        const Explanation explanation = explain(one.cluster, one.request);
        const Count counted = std::accumulate(
            explanation.removed.begin(), explanation.removed.end(), explanation.fitting,
            [](Count sum, const Explanation::Removal& c) { return sum + c.nodes; });
        REQUIRE(counted == Count(one.cluster.node_count()));
        REQUIRE(explanation.fits == place(one.cluster, one.request).has_value());
        for (std::size_t i = 0; i < explanation.removed.size(); ++i) {
            REQUIRE(!explanation.removed[i].example.empty());
            if (i > 0) REQUIRE(explanation.removed[i].nodes <= explanation.removed[i - 1].nodes);
        }
        if (explanation.fits) {
            REQUIRE(explanation.nearest.empty());
            REQUIRE(explanation.relaxations.empty());
        }
        if (explanation.relaxations.empty()) return;
        Cluster without = one.cluster;
        for (const OwnerId owner : explanation.relaxations.back().owners) {
            REQUIRE(without.release(owner).ok());
        }
        if (without != one.cluster) REQUIRE(place(without, one.request).has_value());
    });
}

TEST_CASE("explain: why not before, and what holds then", "[alloc][time]") {
    Timeline timeline(*testing::cluster_from_text("2 x (4c gpu:2)"));
    const auto take = [&](std::uint64_t owner, std::uint32_t node, Period period) {
        const auto all = whole_nodes(timeline.cluster(), NodeSet::of({NodeId(node)}));
        REQUIRE(timeline.reserve({OwnerId(owner), {}, *all}, period).ok());
    };
    take(1, 0, {Instant(0), Instant(30)});
    take(2, 1, {Instant(0), Instant(50)});
    take(3, 0, {Instant(40), Instant(60)});
    const PreparedRequest request = needs_two_gpus();
    const StartQuestion short_job{.duration = Seconds(10)};
    const StartQuestion long_job{.duration = Seconds(20)};

    const Explanation brief = explain(timeline, request, short_job);
    CHECK_FALSE(brief.fits);
    CHECK(brief.why.constraint != Constraint::none);
    CHECK(brief.fitting == Count(0));
    REQUIRE(brief.relaxations.size() == 1);
    CHECK(brief.relaxations[0] ==
          Explanation::Relaxation{Explanation::Relaxation::Kind::waiting,
                                  "from 30 on, when these owners have ended: 1",
                                  {OwnerId(1)}});

    // The reservation of owner 3 is in the way of a longer one.
    const Explanation longer = explain(timeline, request, long_job);
    CHECK(longer.relaxations.back().text == "from 50 on, when these owners have ended: 2");

    const StartQuestion later{.after = Instant(30), .duration = Seconds(10)};
    CHECK(explain(timeline, request, later).fits);
    CHECK(explain(timeline, request, later).relaxations.empty());
    const StartQuestion too_soon{.duration = Seconds(10), .not_beyond = Instant(20)};
    CHECK(explain(timeline, request, too_soon).relaxations.empty());
    const Explanation wrong = explain(timeline, request, {.duration = Seconds(0)});
    CHECK(wrong.why == Refusal{Constraint::invalid, "duration 0: expected 1 s or more"});
}

}  // namespace trestle
