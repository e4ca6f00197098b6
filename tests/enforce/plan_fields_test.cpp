// SPDX-License-Identifier: Apache-2.0
// Nothing that a plan carries is overlooked where two plans are compared.
#include <string>
#include <vector>

#include "enforce/process/environment_words.hpp"
#include "support/catch.hpp"
#include "support/changed_fields.hpp"
#include "support/gpu_node.hpp"
#include "support/rich_policy.hpp"
#include "support/seed.hpp"
#include "trestle/enforce/memory_enforcer.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/plan_diff.hpp"
#include "trestle/enforce/plan_update.hpp"
#include "trestle/testing/choices.hpp"

namespace {

using namespace trestle;

/// Something in each field.
Plan full_plan() {
    PlanOptions options;
    options.group = "job_42";
    options.owner = OwnerId(42);
    options.environment = {{"TOKEN", "x"}, shown_variable("A", "b")};
    options.limits = {{ProcessSettings::Limit::Resource::nofile, 33, 44}};
    options.user = ProcessUser{1000, 100, {4}, {}, true};
    options.nice = 5;
    options.oom_score_adj = 100;
    options.umask = 0077;
    options.memory_mode = MemoryPolicy::Mode::bind;
    options.scratch = Scratch{"/scratch"};
    options.end.warning = EndPolicy::Warning{10, Seconds(60), EndPolicy::Target::leader};
    Request request = eight_cpus_two_gpus();
    request.time_limit = Seconds(3600);
    request.shm_size = gib(1);
    request.disk = Range<Bytes>{gib(10), gib(20)};
    Plan made = plan(gpu_node(), two_gpus(), request, rich_policy(), options).value();
    made.folders = {"/dev/infiniband"};
    made.shortfalls = {{"io", "write job_42/io.max = 8:0", "no controller io"}};
    return made;
}

/// Steps as printed, without whether they are required: what is done.
std::vector<std::string> doings(const Plan& plan) {
    std::vector<std::string> lines;
    for (Step step : plan.steps) {
        step.requirement = Requirement::require;
        lines.push_back(to_text(step));
    }
    return lines;
}

/// What of a change is overlooked, or nothing.
std::string overlooked(const Plan& from, const Plan& to) {
    if (plan_diff(from, to).empty()) return "not seen by plan_diff";
    const auto update = plan_update(from, to);
    if (!update.ok()) {
        return message(update.status()).empty() ? "refused without a word" : "";
    }
    const bool has_other_steps = doings(from) != doings(to);
    const bool is_told = !update->for_new_processes.empty() || !update->besides.empty();
    if (update->steps.empty() && !is_told && (has_other_steps || from.steps == to.steps)) {
        return "passed over by plan_update";
    }
    MemoryEnforcer enforcer;
    if (!enforcer.apply(from).ok() || !enforcer.update(*update).ok()) return "";
    const std::vector<Drift> drifts = enforcer.verify(to).value();
    for (const Drift& drift : drifts) {
        return "does not hold after the update: " + to_text(drift);
    }
    return "";
}

TEST_CASE("plan_diff, plan_update: no field of a plan is overlooked", "[enforce][update][law]") {
    INFO("seed " << test_seed());
    testing::Choices choices(test_seed());
    const Plan plan = full_plan();
    REQUIRE(overlooked(plan, plan) == "not seen by plan_diff");
    REQUIRE(plan_update(plan, plan).value() == PlanUpdate{plan.owner, plan.group, {}, {}, {}});
    std::size_t changes = 0;
    for (std::uint64_t round = 0; round < test_rounds(20u); ++round) {
        Plan changed = plan;
        change_each(changed, "", choices, [&](const std::string& path) {
            ++changes;
            std::string what = overlooked(plan, changed);
            if (!what.empty()) FAIL_CHECK(path << ": " << what);
            what = overlooked(changed, plan);
            if (!what.empty()) FAIL_CHECK("back from " << path << ": " << what);
        });
        REQUIRE(changed == plan);
    }
    CHECK(changes > test_rounds(20 * 300u));
}

}  // namespace
