// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/memory_enforcer.hpp"

#include <algorithm>
#include <cstddef>

#include "enforce/detail/step_parts.hpp"
#include "support/catch.hpp"
#include "support/gpu_node.hpp"
#include "support/limit_text.hpp"
#include "trestle/enforce/faulty_enforcer.hpp"

namespace {

using namespace trestle;
using Catch::Matchers::ContainsSubstring;

Plan plan_of_gpus() {
    PlanOptions options;
    options.group = "job_42";
    const auto made = plan(gpu_node(), two_cores(), four_cpus(), {}, options);
    REQUIRE(made.ok());
    return *made;
}

/// An enforcer with the group job_42.
struct Applied42 {
    MemoryEnforcer enforcer;
    Plan plan = plan_of_gpus();
    Applied42() { REQUIRE(enforcer.apply(plan).ok()); }

    Child start() {
        const auto child = enforcer.spawn(plan, {{"train", "--fast"}, {}, ""});
        REQUIRE(child.ok());
        return *child;
    }
};

TEST_CASE("MemoryEnforcer: a child lives until it is ended, and is reaped once", "[enforce]") {
    Applied42 job;
    const Child child = job.start();
    CHECK(child.group == "job_42");
    REQUIRE(job.enforcer.command(child) != nullptr);
    CHECK(job.enforcer.command(child)->arguments == std::vector<std::string>{"train", "--fast"});
    const auto running = job.enforcer.poll(child);
    REQUIRE(running.ok());
    CHECK_FALSE(*running);
    CHECK(job.enforcer.wait(child).status().code() == StatusCode::kFailedPrecondition);

    REQUIRE(job.enforcer.end_process(child.pid, exited(3)).ok());
    CHECK(job.enforcer.end_process(child.pid, exited(3)).code() == StatusCode::kNotFound);
    const auto outcome = job.enforcer.wait(child);
    REQUIRE(outcome.ok());
    CHECK(*outcome == exited(3));
    CHECK(job.enforcer.wait(child).status().code() == StatusCode::kNotFound);
    CHECK(job.enforcer.poll(child).status().code() == StatusCode::kNotFound);
    CHECK(job.enforcer.command(child) == nullptr);
}

TEST_CASE("MemoryEnforcer: processes have different numbers", "[enforce]") {
    Applied42 job;
    CHECK(job.start().pid != job.start().pid);
}

TEST_CASE("MemoryEnforcer: a kill reaches every process of the group", "[enforce]") {
    for (const bool is_removed : {false, true}) {
        Applied42 job;
        const Child child = job.start();
        REQUIRE(job.enforcer.attach("job_42", 77).ok());
        REQUIRE(job.enforcer.signal("job_42", 15).ok());
        CHECK(job.enforcer.groups().at("job_42").processes.size() == 2);
        if (is_removed) {
            REQUIRE(job.enforcer.remove("job_42").ok());
            CHECK(job.enforcer.groups().size() == 1);
        } else {
            REQUIRE(job.enforcer.signal("job_42", 9).ok());
            CHECK(job.enforcer.groups().at("job_42").processes.empty());
        }
        const auto outcome = job.enforcer.wait(child);
        REQUIRE(outcome.ok());
        CHECK(*outcome == signaled(9));
    }
}

TEST_CASE("MemoryEnforcer: attach moves, it does not copy", "[enforce]") {
    Applied42 job;
    REQUIRE(job.enforcer.run({Step::MakeGroup{}, {}, "", "other"}).ok());
    const Child child = job.start();
    REQUIRE(job.enforcer.attach("other", child.pid).ok());
    CHECK(job.enforcer.groups().at("job_42").processes.empty());
    CHECK(job.enforcer.groups().at("other").processes == std::set<std::int64_t>{child.pid});
}

TEST_CASE("MemoryEnforcer: remove takes what is below, and only that, and can be repeated",
          "[enforce]") {
    MemoryEnforcer enforcer;
    for (const char* group : {"job_4", "job_42", "job_4/step_0", "job_4/step_0/task_1"}) {
        REQUIRE(enforcer.run({Step::MakeGroup{}, {}, "", group}).ok());
    }
    const auto found = enforcer.recover();
    REQUIRE(found.ok());
    CHECK(*found ==
          std::vector<GroupState>{
              {"job_4", {}}, {"job_4/step_0", {}}, {"job_4/step_0/task_1", {}}, {"job_42", {}}});
    REQUIRE(enforcer.remove("job_4").ok());
    REQUIRE(enforcer.remove("job_4").ok());
    CHECK(enforcer.groups().size() == 2);
    CHECK(enforcer.groups().contains("job_42"));
    CHECK(enforcer.remove("").code() == StatusCode::kInvalidArgument);
    CHECK(enforcer.groups().size() == 2);
}

TEST_CASE("MemoryEnforcer: refuses what the kernel refuses", "[enforce]") {
    struct Row {
        Step step;
        StatusCode code;
        const char* what;
        const char* why;
    };
    const auto step = [](Step::Action action, const char* group) {
        return Step{std::move(action), Requirement::require, "", group};
    };
    const Step::SetLimit pids{PidsLimit{Count(1)}};
    const Step::SetLimit memory{MemoryLimit{MemoryLimit::File::max, Bytes(1)}};
    const Row rows[] = {
        {step(Step::MakeGroup{}, "job_42"), StatusCode::kAlreadyExists, "/job_42", "it exists"},
        {step(Step::MakeGroup{}, "none/a"), StatusCode::kNotFound, "/none", "no parent"},
        {step(Step::MakeGroup{}, "../a"), StatusCode::kInvalidArgument, "dot", "outside"},
        {step(Step::EnableController{"rdma"}, ""), StatusCode::kNotFound, "rdma",
         "not at the root"},
        {step(Step::EnableController{"pids"}, "job_42"), StatusCode::kNotFound, "pids",
         "not handed down by the root"},
        {step(Step::EnableController{"cpu"}, "none"), StatusCode::kNotFound, "/none", "no group"},
        {step(pids, "job_42"), StatusCode::kNotFound, "/job_42/pids.max", "the controller is off"},
        {step(memory, "none"), StatusCode::kNotFound, "/none", "no group"},
        {step(Step::LoadFilter{}, "none"), StatusCode::kNotFound, "/none", "no group"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        Applied42 job;
        const auto before = job.enforcer.groups();
        const Status status = job.enforcer.run(row.step);
        CHECK(status.code() == row.code);
        CHECK_THAT(std::string(message(status)), ContainsSubstring(row.what));
        CHECK(job.enforcer.groups() == before);
    }
}

TEST_CASE("MemoryEnforcer: what does not exist is NotFound, an empty command is invalid",
          "[enforce]") {
    Applied42 job;
    MemoryEnforcer empty;
    const Command command{{"true"}, {}, ""};
    CHECK(empty.spawn(job.plan, command).status().code() == StatusCode::kNotFound);
    CHECK(empty.attach("job_42", 1).code() == StatusCode::kNotFound);
    CHECK(empty.signal("job_42", 15).code() == StatusCode::kNotFound);
    CHECK(empty.freeze("job_42").code() == StatusCode::kNotFound);
    CHECK(empty.thaw("job_42").code() == StatusCode::kNotFound);
    CHECK(empty.observe("job_42").status().code() == StatusCode::kNotFound);
    CHECK(empty.events("job_42", {}).status().code() == StatusCode::kNotFound);
    CHECK(empty.verify(job.plan).status().code() == StatusCode::kNotFound);
    CHECK(empty.signal_child({"job_42", 1000}, 15).code() == StatusCode::kNotFound);
    CHECK(empty.set_usage("job_42", {}).code() == StatusCode::kNotFound);
    CHECK(empty.remove("job_42").ok());
    CHECK(job.enforcer.spawn(job.plan, {}).status().code() == StatusCode::kInvalidArgument);
    CHECK(job.enforcer.groups().at("job_42").processes.empty());
}

TEST_CASE("MemoryEnforcer: a signal for the child alone leaves the others", "[enforce]") {
    Applied42 job;
    const Child child = job.start();
    REQUIRE(job.enforcer.attach("job_42", 77).ok());
    CHECK(job.enforcer.signal_child(child, 15).ok());
    CHECK_FALSE(job.enforcer.poll(child).value());
    CHECK(job.enforcer.signal_child(child, 9).ok());
    CHECK(job.enforcer.signal_child(child, 9).ok());  // ended, not reaped
    CHECK(job.enforcer.wait(child).value() == signaled(9));
    CHECK(job.enforcer.groups().at("job_42").processes == std::set<std::int64_t>{77});
    CHECK(job.enforcer.signal_child(child, 9).code() == StatusCode::kNotFound);
    CHECK(job.enforcer.calls().back() == fmt::format("signal 9 child {}", child.pid));
}

TEST_CASE("MemoryEnforcer: recover tells whose a group is and what runs", "[enforce]") {
    Applied42 job;
    const Step label{Step::LabelGroup{OwnerId(42)}, Requirement::require, "owner", "job_42"};
    REQUIRE(job.enforcer.run(label).ok());
    REQUIRE(job.enforcer.run({Step::MakeGroup{}, {}, "", "job_42/step_0"}).ok());
    job.plan.group = "job_42/step_0";
    const Child child = job.start();
    REQUIRE(job.enforcer.freeze("job_42").ok());
    CHECK(job.enforcer.recover().value() ==
          std::vector<GroupState>{{"job_42", {}, OwnerId(42), true, true},
                                  {"job_42/step_0", {child.pid}, std::nullopt, true, true}});
    CHECK(to_text(label) == "label job_42 with owner 42");
}

TEST_CASE("MemoryEnforcer: verify finds what others changed, and only that", "[enforce][drift]") {
    Applied42 job;
    CHECK(job.enforcer.verify(job.plan).value().empty());
    CHECK(job.enforcer.verify(job.plan).value().empty());  // it changes nothing
    const auto write = [&](const std::string& file, const std::string& value) {
        REQUIRE(job.enforcer.run(limit_step("job_42", file, value)).ok());
    };
    write("memory.max", "max");
    CHECK(job.enforcer.verify(job.plan).value() ==
          std::vector<Drift>{{"memory", "memory.max", "17179869184", "max",
                              "another process wrote the file since"}});
    write("memory.max", "17179869184");
    REQUIRE(job.enforcer.run({Step::LoadFilter{}, Requirement::require, "devices", "job_42"}).ok());
    const auto drifts = job.enforcer.verify(job.plan).value();
    REQUIRE(drifts.size() == 1);
    CHECK(drifts[0].file == "device filter");
    CHECK(drifts[0].resource == "devices");

    REQUIRE(job.enforcer.remove("job_42").ok());
    CHECK(job.enforcer.verify(job.plan).status().code() == StatusCode::kNotFound);
    REQUIRE(job.enforcer.run({Step::MakeGroup{}, {}, "", "job_42"}).ok());
    const auto all = job.enforcer.verify(job.plan).value();
    const auto of_group = [&](const Step& step) {
        return limit_of(step) != nullptr || action_of<Step::LoadFilter>(step) != nullptr ||
               action_of<Step::LabelGroup>(step) != nullptr;
    };
    CHECK(static_cast<std::ptrdiff_t>(all.size()) ==
          std::count_if(job.plan.steps.begin(), job.plan.steps.end(), of_group));
}

TEST_CASE("MemoryEnforcer: files of lines keep one for each device", "[enforce][drift]") {
    MemoryEnforcer enforcer({"io"});
    const auto write = [](const char* value) { return limit_step("job", "io.max", value, "io"); };
    Plan plan;
    plan.group = "job";
    plan.steps = {{Step::EnableController{"io"}, {}, "io", ""},
                  {Step::MakeGroup{}, {}, "", "job"},
                  write("8:0 rbps=1"),
                  write("8:16 rbps=2"),
                  write("8:0 rbps=3")};
    REQUIRE(enforcer.apply(plan).ok());
    CHECK(enforcer.groups().at("job").files().at("io.max") ==
          "8:16 rbps=2 wbps=max riops=max wiops=max\n8:0 rbps=3 wbps=max riops=max wiops=max");
    CHECK(enforcer.verify(plan).value().empty());
    REQUIRE(enforcer.run(write("8:16 rbps=max")).ok());
    const auto drifts = enforcer.verify(plan).value();
    REQUIRE(drifts.size() == 1);
    CHECK(drifts[0].expected == "8:16 rbps=2 wbps=max riops=max wiops=max");
    CHECK(drifts[0].found == "8:16 rbps=max wbps=max riops=max wiops=max");
}

TEST_CASE("MemoryEnforcer: freeze, thaw and observe", "[enforce]") {
    Applied42 job;
    REQUIRE(job.enforcer.freeze("job_42").ok());
    CHECK(job.enforcer.groups().at("job_42").is_frozen);
    REQUIRE(job.enforcer.thaw("job_42").ok());
    CHECK_FALSE(job.enforcer.groups().at("job_42").is_frozen);
    const ResourceUsage usage{.memory_peak = gib(3), .oom_kills = Count(1)};
    REQUIRE(job.enforcer.set_usage("job_42", usage).ok());
    const auto seen = job.enforcer.observe("job_42");
    REQUIRE(seen.ok());
    CHECK(*seen == usage);
}

TEST_CASE("MemoryEnforcer: every call is written down", "[enforce]") {
    Applied42 job;
    const std::size_t steps = job.plan.steps.size();
    REQUIRE(job.enforcer.calls().size() == steps);
    for (std::size_t i = 0; i < steps; ++i) {
        CHECK(job.enforcer.calls()[i] == to_text(job.plan.steps[i]));
    }
    (void)job.start();
    (void)job.enforcer.signal("job_42", 15);
    (void)job.enforcer.observe("none");
    const auto& calls = job.enforcer.calls();
    CHECK(std::vector(calls.end() - 3, calls.end()) ==
          std::vector<std::string>{"spawn train in job_42", "signal 15 job_42", "observe none"});
}

TEST_CASE("FaultyEnforcer: a failed call does not arrive", "[enforce]") {
    MemoryEnforcer inner;
    FaultyEnforcer faulty(inner, FaultyEnforcer::Fault::once(1));
    CHECK(faulty.recover().ok());
    const Status status = faulty.remove("a");
    CHECK(status.code() == StatusCode::kInternal);
    CHECK(message(status) == "injected fault at call 1 (remove)");
    CHECK(faulty.remove("a").ok());
    CHECK(inner.calls() == std::vector<std::string>{"recover", "remove a"});
    CHECK(faulty.call_count() == 3);

    faulty.set_fault(FaultyEnforcer::Fault::for_good(3));
    for (int i = 0; i < 3; ++i) CHECK_FALSE(faulty.recover().ok());
    CHECK_FALSE(faulty.poll({"a", 1}).ok());
    CHECK_FALSE(faulty.wait({"a", 1}).ok());
    CHECK(inner.calls().size() == 2);
    faulty.set_fault({});
    CHECK(faulty.recover().ok());
    CHECK(faulty.poll({"a", 1}).status().code() == StatusCode::kNotFound);
    CHECK(faulty.wait({"a", 1}).status().code() == StatusCode::kNotFound);
}

}  // namespace
