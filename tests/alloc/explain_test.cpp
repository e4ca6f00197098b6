// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/explain.hpp"

#include <cstdint>
#include <numeric>

#include "support/catch.hpp"
#include "support/random_place.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
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
          "does not fit, devices: asked 2 gpu, 1 free of 1 that match of 1 on the node; nodes that "
          "can take a part: 0\n"
          "devices removed 4, the first says: n0: asked 2 gpu, 1 free of 1 that match of 1 on the "
          "node\n"
          "cores removed 1, the first says: n2: asked 2 cores, 1 of 1 are free\n"
          "node_state removed 1, the first says: n3 is drained, health healthy\n"
          "nearest: n0: 1 gpu instead of 2");
}

TEST_CASE("explain: the nearest relaxation of any node is named", "[alloc]") {
    const auto cluster = testing::cluster_from_text("(1c gpu:2); (2s4c gpu:2@s0)");
    REQUIRE(cluster.ok());
    Request request = needs_two_gpus();
    request.cpus_per_task = Range<Count>::exactly(Count(6));
    request.devices[0].locality = Locality::require;
    const Explanation explanation = explain(*cluster, request);
    CHECK(explanation.removed.size() == 2);
    CHECK(explanation.nearest == "n1: gpu far from the cores");
    request.devices[0].locality = Locality::prefer;
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
    CHECK(explanation.why.constraint == Constraint::topology);
    CHECK(explain(Cluster(), request).why.constraint == Constraint::nodes);
}

TEST_CASE("explain: every node is counted once, and a yes agrees with place", "[alloc][law]") {
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), 1'000}, [&](Choices& choices) {
        const PlaceCase one = any_place_case(choices);
        const Explanation explanation = explain(one.cluster, one.request);
        const Count counted = std::accumulate(
            explanation.removed.begin(), explanation.removed.end(), explanation.fitting,
            [](Count sum, const ConstraintCount& c) { return sum + c.nodes; });
        REQUIRE(counted == Count(one.cluster.node_count()));
        REQUIRE(explanation.fits == place(one.cluster, one.request).has_value());
        for (std::size_t i = 0; i < explanation.removed.size(); ++i) {
            REQUIRE(!explanation.removed[i].example.empty());
            if (i > 0) REQUIRE(explanation.removed[i].nodes <= explanation.removed[i - 1].nodes);
        }
        if (explanation.fits) REQUIRE(explanation.nearest.empty());
    });
}

}  // namespace trestle
