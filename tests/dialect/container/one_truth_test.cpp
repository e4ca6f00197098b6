// SPDX-License-Identifier: Apache-2.0
// A number of a plan stands in one place: change it there, and the enforcer, verify, the update and
// every document have the new one.
#include <algorithm>
#include <string>

#include "enforce/detail/step_parts.hpp"
#include "enforce/limits/limit_lines.hpp"
#include "enforce/process/environment_words.hpp"
#include "support/catch.hpp"
#include "support/vendor_plan.hpp"
#include "trestle/dialect/container/docker.hpp"
#include "trestle/dialect/container/kubernetes.hpp"
#include "trestle/dialect/container/oci.hpp"
#include "trestle/dialect/container/shell_script.hpp"
#include "trestle/dialect/container/systemd_unit.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/enforce/memory_enforcer.hpp"
#include "trestle/enforce/plan_update.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;

/// The plan with another limit on the line of this one.
Plan with_limit(Plan plan, const Limit& limit) {
    for (Step& step : plan.steps) {
        auto* set = action_of<Step::SetLimit>(step);
        if (set != nullptr && is_same_line(set->limit, limit)) set->limit = limit;
    }
    return plan;
}

TEST_CASE("plan: a limit that is changed is changed for all that read the plan",
          "[dialect][container]") {
    const Plan before = share_plan(vendor_node(nvidia_gpus), two_gpus());
    REQUIRE(limits_of(before).memory_max == gib(32));
    const Plan plan = with_limit(before, MemoryLimit{MemoryLimit::File::max, gib(1)});

    CHECK(limits_of(plan).memory_max == gib(1));
    CHECK_THAT(to_text(plan), ContainsSubstring("write job_7/memory.max = 1073741824\n"));
    CHECK(json::from_json_text<Plan>(json::to_json_text(plan)).value() == plan);

    MemoryEnforcer enforcer;
    REQUIRE(enforcer.apply(plan).ok());
    CHECK(enforcer.groups().at("job_7").files().at("memory.max") == "1073741824");
    CHECK(enforcer.verify(plan).value().empty());
    CHECK(enforcer.verify(before).value() ==
          std::vector<Drift>{{"memory", "memory.max", "34359738368", "1073741824",
                              "another process wrote the file since"}});
    const PlanUpdate update = plan_update(plan, before).value();
    REQUIRE(update.steps.size() == 1);
    CHECK(to_text(update.steps[0].step) == "write job_7/memory.max = 34359738368");
    REQUIRE(enforcer.update(update).ok());
    CHECK(enforcer.verify(before).value().empty());

    CHECK(container::docker_container(plan).value().content.host_config.memory == gib(1));
    CHECK(
        container::kubernetes_pod(plan).value().content.containers.at(0).resources.limits.memory ==
        gib(1));
    container::OciBundle bundle;
    bundle.command.arguments = {"true"};
    const auto oci = container::oci_config(plan, bundle);
    CHECK(oci.value().content.linux_.resources.memory.limit == gib(1));
    container::UnitOptions unit;
    unit.command.arguments = {"true"};
    const auto service = container::systemd_unit(plan, unit);
    CHECK_THAT(container::unit_text(service.value().content),
               ContainsSubstring("MemoryMax=1073741824\n"));
    CHECK_THAT(container::shell_scripts(plan).value().content.start,
               ContainsSubstring("put job_7 memory.max 1073741824\n"));
}

TEST_CASE("container: devices are counted behind the container's own filter",
          "[dialect][container]") {
    LimitPolicy policy = share_policy();
    policy.requirements.devices = Requirement::best_effort;
    const Plan plan = share_plan(vendor_node(amd_gpus), two_gpus(), {}, policy);
    const auto variable_in = [](const std::vector<std::string>& words) {
        const auto at = std::find_if(words.begin(), words.end(), [](const std::string& word) {
            return word.starts_with("ROCR_VISIBLE_DEVICES=");
        });
        return at == words.end() ? "" : *at;
    };
    CHECK(variable_in(revealed_words(plan.process.environment)) == "ROCR_VISIBLE_DEVICES=2,3");
    CHECK(variable_in(container::docker_container(plan).value().content.env) ==
          "ROCR_VISIBLE_DEVICES=0,1");
    // A shell loads no filter.
    container::ScriptOptions options;
    options.command.arguments = {"true"};
    CHECK_THAT(container::shell_scripts(plan, options).value().content.start,
               ContainsSubstring("export ROCR_VISIBLE_DEVICES=2,3\n"));
}

}  // namespace
}  // namespace trestle
