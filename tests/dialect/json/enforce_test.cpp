// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/enforce/enforcer.hpp"
#include "trestle/enforce/explain_limits.hpp"
#include "trestle/enforce/health/node_health.hpp"
#include "trestle/enforce/health/rates.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/plan_update.hpp"
#include "trestle/testing/arbitrary.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle::json {
namespace {

TEMPLATE_TEST_CASE("JSON: any value of enforce comes back as it was", "[json][law]", Plan,
                   PlanOptions, Limits, LimitPolicy, LimitRow, DeviceRules, Step, ResourceUsage,
                   Outcome, Command, Applied, Child, GroupState, Grant, Rates, DeviceCounters,
                   DeviceCounters::Thresholds, DeviceReport, NodeJudgement, Capabilities,
                   PlanUpdate) {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(200u)}, [](testing::Choices& choices) {
        const auto value = testing::arbitrary<TestType>(choices);
        const std::string text = to_json_text(value);
        INFO(text);
        const auto back = from_json_text<TestType>(text);
        REQUIRE(message(back.status()) == "");
        REQUIRE(*back == value);
    });
}

TEST_CASE("JSON: a plan of a real placement comes back", "[json]") {
    const Node node = testing::node_from_text("2s4c mem=16G gpu:2").value();
    NodePlacement placement;
    placement.cores = CoreSet::range({0, 2});
    placement.memory = {{DomainId(0), gib(4)}};
    placement.devices = {{DeviceId(1), Count(1)}};
    PlanOptions options;
    options.group = "job_1";
    options.environment = {{"A", "b"}};
    const Plan made = plan(node, placement, Request{}, LimitPolicy{}, options).value();
    CHECK(from_json_text<Plan>(to_json_text(made)).value() == made);
    CHECK(from_json_text<PlanOptions>(to_json_text(options)).value() == options);
}

}  // namespace
}  // namespace trestle::json
