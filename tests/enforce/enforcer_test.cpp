// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/enforcer.hpp"

#include "support/catch.hpp"
#include "support/gpu_node.hpp"
#include "trestle/enforce/faulty_enforcer.hpp"
#include "trestle/enforce/memory_enforcer.hpp"

namespace {

using namespace trestle;
using Catch::Matchers::ContainsSubstring;

static_assert(lists_all_fields<Shortfall> && lists_all_fields<Applied> && lists_all_fields<Child> &&
              lists_all_fields<GroupState> && lists_all_fields<Fault>);

Plan job_plan(const LimitPolicy& policy = {}, const std::string& group = "job_42") {
    PlanOptions options;
    options.group = group;
    options.owner = OwnerId(42);
    const auto made = plan(gpu_node(), two_gpus(), eight_cpus_two_gpus(), policy, options);
    REQUIRE(made.ok());
    return *made;
}

std::string text_of(const Status& status) { return std::string(message(status)); }

/// What is left of a plan: groups, filters, processes. Enabled controllers stay by design.
std::vector<std::string> groups_of(const MemoryEnforcer& enforcer) {
    std::vector<std::string> names;
    for (const auto& [name, group] : enforcer.groups()) {
        if (!name.empty()) names.push_back(name);
    }
    return names;
}

TEST_CASE("apply: the tree holds what the plan says", "[enforce][apply]") {
    MemoryEnforcer enforcer;
    const auto applied = enforcer.apply(job_plan());
    REQUIRE(applied.ok());
    CHECK(applied->shortfalls.empty());
    const MemoryGroup& group = enforcer.groups().at("job_42");
    CHECK(group.files == std::map<std::string, std::string>{{"cpuset.cpus", "8-11,24-27"},
                                                            {"cpuset.mems", "0-1"},
                                                            {"memory.max", "34359738368"},
                                                            {"memory.oom.group", "1"},
                                                            {"memory.swap.max", "0"}});
    REQUIRE(group.filter);
    CHECK(group.filter->files.size() == 6);
}

TEST_CASE("apply: steps below a group that another plan made", "[enforce][apply]") {
    MemoryEnforcer enforcer;
    CHECK(enforcer.apply(job_plan({}, "job_42/step_0")).status().code() == StatusCode::kNotFound);
    REQUIRE(enforcer.apply(job_plan()).ok());
    REQUIRE(enforcer.apply(job_plan({}, "job_42/step_0")).ok());
    CHECK(groups_of(enforcer) == std::vector<std::string>{"job_42", "job_42/step_0"});
    REQUIRE(enforcer.remove("job_42").ok());
    CHECK(groups_of(enforcer).empty());
}

TEST_CASE("apply: a group that exists is refused and stays as it is", "[enforce][apply]") {
    MemoryEnforcer enforcer;
    REQUIRE(enforcer.apply(job_plan()).ok());
    const auto before = enforcer.groups();
    const auto again = enforcer.apply(job_plan());
    CHECK(again.status().code() == StatusCode::kAlreadyExists);
    CHECK(enforcer.groups() == before);
}

TEST_CASE("apply: the error names step, number and reason", "[enforce][apply]") {
    MemoryEnforcer no_memory({"cpu", "cpuset", "pids"});
    const auto applied = no_memory.apply(job_plan());
    CHECK(text_of(applied.status()) ==
          "step 2 of 9, enable memory below /: /: no controller memory");
    CHECK(groups_of(no_memory).empty());
}

TEST_CASE("apply: best effort goes on and reports each resource once", "[enforce][apply]") {
    LimitPolicy policy;
    policy.requirements.memory = Requirement::best_effort;
    policy.requirements.swap = Requirement::best_effort;
    MemoryEnforcer no_memory({"cpuset"});
    const auto applied = no_memory.apply(job_plan(policy));
    REQUIRE(applied.ok());
    REQUIRE(applied->shortfalls.size() == 2);
    CHECK(applied->shortfalls[0] ==
          Shortfall{"memory", "enable memory below / (best effort)", "/: no controller memory"});
    CHECK(applied->shortfalls[1].resource == "swap");
    const MemoryGroup& group = no_memory.groups().at("job_42");
    CHECK(group.files.size() == 2);
    CHECK(group.filter);

    policy.requirements.swap = Requirement::require;
    MemoryEnforcer other({"cpuset"});
    CHECK(other.apply(job_plan(policy)).status().code() == StatusCode::kNotFound);
    CHECK(groups_of(other).empty());
}

TEST_CASE("apply: every step tried is traced", "[enforce][apply]") {
    MemoryEnforcer enforcer({"cpuset"});
    std::vector<TraceEvent> events;
    const Plan plan = job_plan();
    const auto applied = enforcer.apply(plan, [&](const TraceEvent& e) { events.push_back(e); });
    CHECK_FALSE(applied.ok());
    REQUIRE(events.size() == 2);
    CHECK(events[0] ==
          TraceEvent{TraceEvent::Kind::step, OwnerId(42), "job_42", to_text(plan.steps[0])});
    CHECK(to_text(events[1]) ==
          "step owner=42 job_42: enable memory below /: failed: /: no controller memory");
}

TEST_CASE("apply: after a failure at any call nothing of the plan is left",
          "[enforce][apply][law]") {
    const Plan plan = job_plan();
    const std::size_t step_count = plan.steps.size();
    for (std::size_t n = 0; n < step_count; ++n) {
        INFO("call " << n << " fails once");
        MemoryEnforcer enforcer;
        FaultyEnforcer faulty(enforcer, Fault::once(n));
        const auto applied = faulty.apply(plan);
        CHECK(applied.status().code() == StatusCode::kInternal);
        CHECK_THAT(text_of(applied.status()),
                   ContainsSubstring("step " + std::to_string(n + 1) + " of ") &&
                       ContainsSubstring(to_text(plan.steps[n])) &&
                       !ContainsSubstring("left behind"));
        CHECK(groups_of(enforcer).empty());
        CHECK(faulty.apply(plan).ok());
    }
}

TEST_CASE("apply: when the removal fails too, the error names what is left",
          "[enforce][apply][law]") {
    const Plan plan = job_plan();
    const std::size_t make = 2;  // two controllers are enabled before
    REQUIRE(plan.steps[make].kind == StepKind::make_group);
    for (std::size_t n = 0; n < plan.steps.size(); ++n) {
        INFO("call " << n << " and all that follow fail");
        MemoryEnforcer enforcer;
        FaultyEnforcer faulty(enforcer, Fault::for_good(n));
        const auto applied = faulty.apply(plan);
        CHECK(applied.status().code() == StatusCode::kInternal);
        const bool is_left = n > make;
        CHECK(groups_of(enforcer).size() == (is_left ? 1 : 0));
        const bool is_named =
            text_of(applied.status()).find("; left behind: job_42 (") != std::string::npos;
        CHECK(is_named == is_left);

        faulty.set_fault({});
        const auto found = faulty.recover();
        REQUIRE(found.ok());
        for (const GroupState& state : *found) CHECK(faulty.remove(state.group).ok());
        CHECK(groups_of(enforcer).empty());
        CHECK(faulty.apply(plan).ok());
    }
}

TEST_CASE("Enforcer: a whole job with a failure at any call", "[enforce][apply][law]") {
    const Plan plan = job_plan();
    const auto job = [&](Enforcer& enforcer) -> Status {
        TRESTLE_TRY_STATUS(enforcer.apply(plan));
        TRESTLE_TRY_STATUS(enforcer.spawn(plan, {{"true"}, {}, ""}));
        TRESTLE_TRY_STATUS(enforcer.attach("job_42", 77));
        TRESTLE_TRY_STATUS(enforcer.freeze("job_42"));
        TRESTLE_TRY_STATUS(enforcer.thaw("job_42"));
        TRESTLE_TRY_STATUS(enforcer.signal("job_42", 9));
        TRESTLE_TRY_STATUS(enforcer.observe("job_42"));
        return enforcer.remove("job_42");
    };
    MemoryEnforcer counted;
    FaultyEnforcer counter(counted, {});
    REQUIRE(job(counter).ok());
    REQUIRE(counter.call_count() == plan.steps.size() + 7);
    for (std::size_t n = 0; n < counter.call_count(); ++n) {
        INFO("call " << n << " fails once");
        MemoryEnforcer enforcer;
        FaultyEnforcer faulty(enforcer, Fault::once(n));
        CHECK(job(faulty).code() == StatusCode::kInternal);
        CHECK(faulty.remove("job_42").ok());
        CHECK(groups_of(enforcer).empty());
    }
}

TEST_CASE("Applied: what falls short for one reason stands together", "[enforce]") {
    CHECK(to_text(Applied{}) == "");
    CHECK(to_text(Applied{{{"swap", "", "no file"},
                           {"memory", "", "no cgroup"},
                           {"devices", "", "no cgroup"}}}) ==
          "swap: no file; memory, devices: no cgroup");
}

}  // namespace
