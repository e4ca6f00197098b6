// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/enforcer.hpp"

#include "enforce/detail/step_parts.hpp"
#include "support/catch.hpp"
#include "support/gpu_node.hpp"
#include "support/limit_text.hpp"
#include "trestle/enforce/faulty_enforcer.hpp"
#include "trestle/enforce/memory_enforcer.hpp"

namespace {

using namespace trestle;
using Catch::Matchers::ContainsSubstring;

static_assert(lists_all_fields<Shortfall> && lists_all_fields<Applied> && lists_all_fields<Child> &&
              lists_all_fields<GroupState> && lists_all_fields<FaultyEnforcer::Fault>);

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
    const MemoryEnforcer::Group& group = enforcer.groups().at("job_42");
    CHECK(group.files() == std::map<std::string, std::string>{{"cpuset.cpus", "8-11,24-27"},
                                                              {"cpuset.mems", "0-1"},
                                                              {"memory.max", "34359738368"},
                                                              {"memory.oom.group", "1"},
                                                              {"memory.swap.max", "0"}});
    REQUIRE(group.filter);
    CHECK(group.filter->files.size() == 6);
}

/// CUDA_VISIBLE_DEVICES as a process sees it that `enforcer` starts in `inner`.
std::string devices_of_child(MemoryEnforcer& inner, Enforcer& enforcer, const Plan& plan) {
    const auto child = enforcer.spawn(plan, {{"true"}, {}, ""});
    REQUIRE(child.ok());
    for (const EnvironmentVariable& one : inner.settings(*child)->environment) {
        if (one.name == "CUDA_VISIBLE_DEVICES") return to_text(one.value);
    }
    return "none";
}

TEST_CASE("apply: a filter that falls short points no job to another job's GPU",
          "[enforce][apply]") {
    LimitPolicy policy;
    policy.requirements.devices = Requirement::best_effort;
    const Plan made = job_plan(policy);
    MemoryEnforcer inner;
    FaultyEnforcer enforcer(
        inner,
        FaultyEnforcer::Fault::once(made.steps.size() - 1));  // the filter is loaded last
    const auto applied = enforcer.apply(made);
    REQUIRE(applied.ok());
    REQUIRE(applied->shortfalls.size() == 1);
    CHECK(applied->shortfalls.front().resource == "devices");
    // Those that were granted, of all that the job can open now.
    CHECK(devices_of_child(inner, enforcer, made) == "2,3");
    // Behind the filter they are the only ones.
    REQUIRE(enforcer.remove("job_42").ok());
    REQUIRE(enforcer.apply(made).ok());
    CHECK(devices_of_child(inner, enforcer, made) == "0,1");
    // Of a group that another enforcer made it is not known.
    FaultyEnforcer successor(inner, {});
    CHECK(devices_of_child(inner, successor, made) == "2,3");
    // A group of the same name that is made later has no filter.
    REQUIRE(enforcer.remove("job_42").ok());
    REQUIRE(enforcer.run({Step::MakeGroup{}, Requirement::require, "", "job_42"}).ok());
    CHECK(devices_of_child(inner, enforcer, made) == "2,3");
}

TEST_CASE(
    "spawn: behind a filter that is required devices count from 0, by any enforcer that applied "
    "the plan",
    "[enforce][apply]") {
    const Plan made = job_plan();
    MemoryEnforcer inner;
    FaultyEnforcer enforcer(inner, {});
    REQUIRE(enforcer.apply(made).ok());
    CHECK(devices_of_child(inner, enforcer, made) == "0,1");
    FaultyEnforcer successor(inner, {});
    CHECK(devices_of_child(inner, successor, made) == "0,1");
}

TEST_CASE("update: a filter that falls short leaves the devices of the one before",
          "[enforce][update]") {
    LimitPolicy policy;
    policy.requirements.devices = Requirement::best_effort;
    const Plan made = job_plan(policy);
    Plan other = made;
    for (Step& step : other.steps) {
        if (auto* load = action_of<Step::LoadFilter>(step)) load->devices.files.pop_back();
    }
    const PlanUpdate update = plan_update(made, other).value();
    REQUIRE(update.steps.size() == 1);
    MemoryEnforcer inner;
    FaultyEnforcer enforcer(inner, FaultyEnforcer::Fault::once(made.steps.size()));
    REQUIRE(enforcer.apply(made).ok());
    REQUIRE(enforcer.update(update)->shortfalls.size() == 1);
    CHECK(devices_of_child(inner, enforcer, other) == "2,3");
    REQUIRE(enforcer.update(update)->shortfalls.empty());
    CHECK(devices_of_child(inner, enforcer, other) == "0,1");
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
          "step 2 of 10, enable memory below /: /: no controller memory");
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
    const MemoryEnforcer::Group& group = no_memory.groups().at("job_42");
    CHECK(group.files().size() == 2);
    CHECK(group.filter);

    policy.requirements.swap = Requirement::require;
    MemoryEnforcer other({"cpuset"});
    CHECK(other.apply(job_plan(policy)).status().code() == StatusCode::kNotFound);
    CHECK(groups_of(other).empty());
}

TEST_CASE("apply: what is required is done also behind a shortfall of its resource",
          "[enforce][apply]") {
    Plan plan = job_plan();
    std::vector<std::size_t> memory;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        if (plan.steps[i].resource == "memory") memory.push_back(i);
    }
    REQUIRE(memory.size() >= 2);
    plan.steps[memory.front()].requirement = Requirement::best_effort;
    MemoryEnforcer enforcer;
    FaultyEnforcer faulty(enforcer, FaultyEnforcer::Fault::once(memory.front()));
    const auto applied = faulty.apply(plan);
    CHECK_THAT(text_of(applied.status()), ContainsSubstring("memory.max = "));
    CHECK(groups_of(enforcer).empty());
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
        FaultyEnforcer faulty(enforcer, FaultyEnforcer::Fault::once(n));
        const auto applied = faulty.apply(plan);
        if (plan.steps[n].requirement == Requirement::best_effort) {
            REQUIRE(applied.ok());
            CHECK(to_text(*applied).starts_with("owner: injected fault"));
            continue;
        }
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
    REQUIRE(action_of<Step::MakeGroup>(plan.steps[make]) != nullptr);
    for (std::size_t n = 0; n < plan.steps.size(); ++n) {
        INFO("call " << n << " and all that follow fail");
        MemoryEnforcer enforcer;
        FaultyEnforcer faulty(enforcer, FaultyEnforcer::Fault::for_good(n));
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
        TRESTLE_TRY(const Child child, enforcer.spawn(plan, {{"true"}, {}, ""}));
        TRESTLE_TRY(const auto source, enforcer.events("job_42", {}));
        TRESTLE_TRY_STATUS(source->read());
        TRESTLE_TRY_STATUS(enforcer.attach("job_42", 77));
        TRESTLE_TRY_STATUS(enforcer.signal_child(child, 15));
        TRESTLE_TRY_STATUS(enforcer.verify(plan));
        TRESTLE_TRY_STATUS(enforcer.freeze("job_42"));
        TRESTLE_TRY_STATUS(enforcer.thaw("job_42"));
        TRESTLE_TRY_STATUS(enforcer.signal("job_42", 9));
        TRESTLE_TRY_STATUS(enforcer.observe("job_42"));
        return enforcer.remove("job_42");
    };
    MemoryEnforcer counted;
    FaultyEnforcer counter(counted, {});
    REQUIRE(job(counter).ok());
    REQUIRE(counter.call_count() == plan.steps.size() + 11);
    for (std::size_t n = 0; n < counter.call_count(); ++n) {
        INFO("call " << n << " fails once");
        MemoryEnforcer enforcer;
        FaultyEnforcer faulty(enforcer, FaultyEnforcer::Fault::once(n));
        const bool is_label =
            n < plan.steps.size() && action_of<Step::LabelGroup>(plan.steps[n]) != nullptr;
        CHECK(job(faulty).code() == (is_label ? StatusCode::kOk : StatusCode::kInternal));
        CHECK(faulty.remove("job_42").ok());
        CHECK(groups_of(enforcer).empty());
    }
}

/// From 16 GiB and no swap to 8 GiB and 64 processes, for the group of job_plan.
PlanUpdate smaller() {
    const auto write = [](const std::string& file, const std::string& value) {
        const std::string resource = file.substr(0, file.find('.'));
        return limit_step("job_42", file, value, resource);
    };
    PlanUpdate update{OwnerId(42), "job_42", {}, {}};
    update.steps = {{{Step::EnableController{"pids"}, {}, "pids", ""}, std::nullopt},
                    {write("memory.high", "4294967296"), write("memory.high", "max")},
                    {write("memory.max", "8589934592"), write("memory.max", "34359738368")},
                    {write("pids.max", "64"), write("pids.max", "max")}};
    return update;
}

TEST_CASE("update: the steps are run and traced", "[enforce][update]") {
    MemoryEnforcer enforcer;
    REQUIRE(enforcer.apply(job_plan()).ok());
    std::string traced;
    const auto updated = enforcer.update(
        smaller(), [&](const TraceEvent& event) { traced += to_text(event) + "\n"; });
    REQUIRE(updated.ok());
    CHECK(updated->shortfalls.empty());
    CHECK(enforcer.groups().at("job_42").files().at("memory.max") == "8589934592");
    CHECK(traced ==
          "step owner=42 job_42: enable pids below /\n"
          "step owner=42 job_42: write job_42/memory.high = 4294967296\n"
          "step owner=42 job_42: write job_42/memory.max = 8589934592\n"
          "step owner=42 job_42: write job_42/pids.max = 64\n");
}

TEST_CASE("update: after a failure at any step the plan before holds", "[enforce][update][law]") {
    const PlanUpdate update = smaller();
    for (std::size_t n = 0; n < update.steps.size(); ++n) {
        INFO("step " << n << " fails once");
        MemoryEnforcer enforcer;
        REQUIRE(enforcer.apply(job_plan()).ok());
        std::vector<TraceEvent> traced;
        FaultyEnforcer faulty(enforcer, FaultyEnforcer::Fault::once(n));
        const auto updated =
            faulty.update(update, [&](const TraceEvent& event) { traced.push_back(event); });
        CHECK(updated.status().code() == StatusCode::kInternal);
        CHECK_THAT(text_of(updated.status()),
                   ContainsSubstring("step " + std::to_string(n + 1) + " of 4, " +
                                     to_text(update.steps[n].step) + ": ") &&
                       !ContainsSubstring("not taken back"));
        CHECK(enforcer.verify(job_plan()).value().empty());
        const auto files = enforcer.groups().at("job_42").files();
        if (n > 1) CHECK(files.at("memory.high") == "max");
        CHECK_FALSE(files.contains("pids.max"));
        // What was done, the step that failed, and all but the controller taken back, last first.
        CHECK(traced.size() == (n == 0 ? 1 : 2 * n));
        if (n > 1) CHECK(traced[n + 1].detail == to_text(*update.steps[n - 1].inverse));
        CHECK(faulty.update(update).ok());
    }
}

TEST_CASE("update: when taking back fails too, the error names what is left",
          "[enforce][update][law]") {
    const PlanUpdate update = smaller();
    for (std::size_t n = 0; n < update.steps.size(); ++n) {
        INFO("step " << n << " and all that follow fail");
        MemoryEnforcer enforcer;
        REQUIRE(enforcer.apply(job_plan()).ok());
        FaultyEnforcer faulty(enforcer, FaultyEnforcer::Fault::for_good(n));
        const std::string text = text_of(faulty.update(update).status());
        for (std::size_t i = 0; i < update.steps.size(); ++i) {
            const std::string named = "; not taken back: " + to_text(update.steps[i].step) + " (";
            const bool is_named = text.find(named) != std::string::npos;
            CHECK(is_named == (i > 0 && i < n));
        }
    }
}

TEST_CASE("update: best effort goes on", "[enforce][update]") {
    PlanUpdate update = smaller();
    for (UpdateStep& one : update.steps) one.step.requirement = Requirement::best_effort;
    MemoryEnforcer no_pids({"cpu", "cpuset", "memory"});
    REQUIRE(no_pids.apply(job_plan()).ok());
    const auto updated = no_pids.update(update);
    REQUIRE(updated.ok());
    CHECK(to_text(*updated) == "pids: /: no controller pids");
    CHECK(no_pids.groups().at("job_42").files().at("memory.max") == "8589934592");
}

TEST_CASE("Applied: what falls short for one reason stands together", "[enforce]") {
    CHECK(to_text(Applied{}) == "");
    CHECK(to_text(Applied{{{"swap", "", "no file"},
                           {"memory", "", "no cgroup"},
                           {"devices", "", "no cgroup"}}}) ==
          "swap: no file; memory, devices: no cgroup");
}

}  // namespace
