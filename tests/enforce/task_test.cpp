// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/task.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "enforce/detail/step_parts.hpp"
#include "enforce/process/environment_words.hpp"
#include "enforce/process/scratch_names.hpp"
#include "support/catch.hpp"
#include "trestle/enforce/memory_enforcer.hpp"
#include "trestle/testing/node_text.hpp"

namespace {

using namespace trestle;
using Catch::Matchers::ContainsSubstring;

static_assert(lists_all_fields<TaskSettings> && lists_all_fields<Scratch> &&
              lists_all_fields<Scratch::Directory>);

/// Cores 1 and 2 of two sockets with two cores and a NUMA domain each, memory of both.
StatusOr<Plan> plan_with(const PlanOptions& options) {
    const Node node = testing::node_from_text("2s2c mem=16G").value();
    NodePlacement placement;
    placement.cores = CoreSet::range({1, 3});
    placement.memory = {{DomainId(0), gib(1)}, {DomainId(1), gib(1)}};
    return plan(node, placement, Request{}, LimitPolicy{}, options);
}

PlanOptions options_of_user() {
    PlanOptions options;
    options.group = "job_1/step_0";
    options.user = ProcessUser{1000, 100};
    options.nice = 5;
    options.oom_score_adj = 300;
    options.umask = 077;
    options.memory_mode = MemoryPolicy::Mode::preferred;
    options.scratch = Scratch{"/scratch"};
    return options;
}

TEST_CASE("plan: how processes run, and where they may write", "[enforce][plan]") {
    const auto plan = plan_with(options_of_user());
    REQUIRE(message(plan.status()) == "");
    CHECK(action_of<Step::MakeScratch>(plan->steps.back()) != nullptr);
    const std::string text = to_text(*plan);
    for (const char* line :
         {" make scratch /scratch/job_1%2fstep_0, owner 1000:100 for job_1/step_0\n",
          "process nice 5\n", "process oom_score_adj 300\n", "process umask 0077\n",
          "process memory policy preferred 0-1\n",
          "process environment SLURM_TMPDIR=/scratch/job_1%2fstep_0\n",
          "process environment TMPDIR=/scratch/job_1%2fstep_0\n",
          "process user uid=1000 gid=100 groups=none capabilities=none no_new_privs\n"}) {
        CHECK_THAT(text, ContainsSubstring(line));
    }
    PlanOptions options = options_of_user();
    options.environment = {shown_variable("TMPDIR", "/own")};
    CHECK_THAT(to_text(plan_with(options).value()),
               ContainsSubstring("process environment TMPDIR=/own\n") &&
                   ContainsSubstring("SLURM_TMPDIR=/scratch/"));
    options.memory_mode = MemoryPolicy::Mode::local;
    CHECK_THAT(to_text(plan_with(options).value()),
               ContainsSubstring("process memory policy local\n"));
}

TEST_CASE("plan: settings that cannot be are refused", "[enforce][plan]") {
    struct Row {
        void (*change)(PlanOptions&);
        const char* says;
    };
    const Row rows[] = {
        {[](PlanOptions& o) { o.scratch->root = "scratch"; }, "scratch: the root is not absolute"},
        {[](PlanOptions& o) { o.scratch->root = ""; }, "scratch: the root is not absolute"},
        {[](PlanOptions& o) { o.group = std::string(200, 'a') + "/" + std::string(60, 'b'); },
         "scratch: the name has 263 bytes, expected 255 at most"},
        {[](PlanOptions& o) { o.scratch->variables = {"A=B"}; }, "environment: the name \"A\""},
        {[](PlanOptions& o) { o.nice = 100; }, "nice: 100"},
        {[](PlanOptions& o) { o.user->uid = 0xffff'ffff; }, "user: uid"},
    };
    for (const Row& row : rows) {
        INFO(row.says);
        PlanOptions options = options_of_user();
        row.change(options);
        const Status status = plan_with(options).status();
        CHECK(status.code() == StatusCode::kInvalidArgument);
        CHECK_THAT(std::string(message(status)), ContainsSubstring(row.says));
    }
}

TEST_CASE("memory_policy_of: near the cores, of what was granted", "[enforce][plan]") {
    const Node node = testing::node_from_text("2s2c mem=16G").value();
    NodePlacement near;
    near.cores = CoreSet::of({CoreId(0)});
    CHECK(to_text(memory_policy_of(*node.shape, near, MemoryPolicy::Mode::bind)) == "bind 0");
    near.memory = {{DomainId(0), gib(1)}, {DomainId(1), gib(1)}};
    CHECK(to_text(memory_policy_of(*node.shape, near, MemoryPolicy::Mode::bind)) == "bind 0");
    near.memory = {{DomainId(1), gib(1)}};
    CHECK(to_text(memory_policy_of(*node.shape, near, MemoryPolicy::Mode::interleave)) ==
          "interleave 1");
    CHECK(to_text(memory_policy_of(*node.shape, near, MemoryPolicy::Mode::standard)) == "default");
}

TEST_CASE("scratch_name: no two groups have one", "[enforce]") {
    CHECK(scratch_name("job_1") == "job_1");
    CHECK(scratch_name("job_1/step_0") == "job_1%2fstep_0");
    CHECK(scratch_name("job_1%2fstep_0") == "job_1%252fstep_0");
    for (const char* group : {"job_1", "a/b/c", "a%2fb%", "%25", "%2f/%"}) {
        CHECK(group_of_scratch_name(scratch_name(group)) == group);
    }
    CHECK(Scratch::Directory{"/", "a", {}, {}}.path() == "/a");
    CHECK(to_text(Scratch::Directory{"/s", "a", {}, 5}) == "/s/a, owner :5");
}

TEST_CASE("MemoryEnforcer: a group has one scratch directory, gone with it", "[enforce]") {
    PlanOptions options = options_of_user();
    options.group = "job_1";
    const Plan plan = plan_with(options).value();
    MemoryEnforcer enforcer;
    REQUIRE(enforcer.apply(plan).ok());
    CHECK(enforcer.groups().at("job_1").scratch ==
          action_of<Step::MakeScratch>(plan.steps.back())->directory);
    CHECK(enforcer.run(plan.steps.back()).code() == StatusCode::kAlreadyExists);
    Step other = plan.steps.back();
    action_of<Step::MakeScratch>(other)->directory.name = "job_2";
    CHECK(enforcer.run(other).code() == StatusCode::kInvalidArgument);
    CHECK(enforcer.remove("job_1") == Status());
    CHECK(enforcer.groups().size() == 1);
}

TEST_CASE("task_plan: what a task has of its own, within the job's", "[enforce][process]") {
    PlanOptions options = options_of_user();
    options.environment = {{"TOKEN", "x"}};
    const Plan job = plan_with(options).value();
    const Plan task =
        task_plan(job, {PuSet::of({OsIndex(2)}),
                        MemoryPolicy{MemoryPolicy::Mode::bind, PuSet::of({OsIndex(1)})},
                        {shown_variable("SLURM_PROCID", "1"), {"TOKEN", "y"}}})
            .value();
    CHECK(task.steps == job.steps);
    CHECK(to_text(task.process.affinity) == "2");
    CHECK(to_text(*task.process.memory_policy) == "bind 1");
    CHECK(task.process.user == job.process.user);
    const auto& variables = task.process.environment;
    CHECK(variables.back() == shown_variable("SLURM_PROCID", "1"));
    CHECK(std::count(variables.begin(), variables.end(), EnvironmentVariable{"TOKEN", "y"}) == 1);
    CHECK(variables.size() == job.process.environment.size() + 1);
    CHECK(task_plan(job, {}).value() == job);
    TaskSettings sets, takes;
    sets.environment = {shown_variable(job.process.unset.front(), "0")};
    takes.unset = {"TOKEN"};
    const Plan set = task_plan(job, sets).value();
    CHECK(set.process.unset.size() == job.process.unset.size() - 1);
    CHECK(check(set.process) == Status());
    const Plan taken = task_plan(job, takes).value();
    CHECK(taken.process.unset.back() == "TOKEN");
    CHECK(taken.process.environment.size() == job.process.environment.size() - 1);
    takes.environment = {{"TOKEN", "z"}};
    CHECK(task_plan(job, takes).status().code() == StatusCode::kInvalidArgument);
    CHECK_THAT(std::string(message(task_plan(job, {PuSet::range({0, 2})}).status())),
               ContainsSubstring("task: CPU 0 is none of the plan's 1-2"));
    CHECK_THAT(
        std::string(message(
            task_plan(job, {{}, MemoryPolicy{MemoryPolicy::Mode::bind, PuSet::of({OsIndex(3)})}})
                .status())),
        ContainsSubstring("task: NUMA node 3 is none of the plan's 0-1"));
    CHECK(task_plan(job, {{}, MemoryPolicy{MemoryPolicy::Mode::bind, {}}}).status().code() ==
          StatusCode::kInvalidArgument);
}

}  // namespace
