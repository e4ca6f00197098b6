// SPDX-License-Identifier: Apache-2.0
// What counts before the price of an instance that could be reused.
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "trestle/alloc/market/owners.hpp"
#include "trestle/dialect/dstack/configuration.hpp"
#include "trestle/dialect/dstack/run/plan.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {

TEST_CASE("dstack plan: an instance that runs comes before a cheaper one that is being made",
          "[dialect][dstack]") {
    const auto instance = [](const std::string& name, Instance::State state, std::int64_t dollars) {
        Instance made;
        made.name = name;
        made.fleet = "f";
        made.state = state;
        const auto node = testing::node_from_text("8c mem=64G");
        REQUIRE(node.ok());
        REQUIRE(look_at(made, node->shape, Count(1)).ok());
        made.offer.price = Microdollars(dollars * 1'000'000);
        return made;
    };
    const auto fleet = dstack::parse_configuration("type: fleet\nname: f\nnodes: 0..2");
    const auto run = dstack::parse_configuration("type: task\nresources: {disk: null}");
    REQUIRE(fleet.ok());
    REQUIRE(run.ok());
    const auto chosen = [&](const std::vector<Instance>& instances) {
        const std::vector fleets{*fleet->fleet};
        const auto plan = dstack::plan_run(fleets, instances, {}, *run->run, OwnerId(1));
        REQUIRE(plan.ok());
        REQUIRE(plan->has_capacity());
        return plan->nodes.front().share.instance;
    };
    using enum Instance::State;
    CHECK(chosen({instance("made", provisioning, 1), instance("dear", running, 9)}) == "dear");
    CHECK(chosen({instance("dear", running, 9), instance("cheap", running, 1)}) == "cheap");
    CHECK(chosen({instance("dear", provisioning, 9), instance("made", provisioning, 1)}) == "made");
}

}  // namespace trestle
