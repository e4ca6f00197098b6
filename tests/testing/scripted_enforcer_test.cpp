// SPDX-License-Identifier: Apache-2.0
#include "trestle/testing/scripted_enforcer.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/testing/clock.hpp"
#include "trestle/testing/node_text.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle::testing {
namespace {

/// One job of two cores and 4 GiB on a small node, applied and not started.
struct Job {
    ManualClock clock;
    ScriptedEnforcer enforcer{clock};
    Plan plan;

    explicit Job(std::optional<MilliCpu> cpu_max = {}) {
        const Node node = node_from_text("8c mem=16G").value();
        NodePlacement placement;
        placement.cores = CoreSet::range({0, 2});
        placement.memory = {{DomainId(0), gib(4)}};
        PlanOptions options;
        options.group = "job_1";
        Request request;
        request.memory = Range<Bytes>::exactly(gib(4));
        plan = trestle::plan(node, placement, request, {}, options).value();
        if (cpu_max) {
            plan.steps.insert(plan.steps.begin(), {Step::EnableController{"cpu"},
                                                   Requirement::require, "cpu quota", ""});
            plan.steps.push_back({Step::SetLimit{CpuTimeLimit{cpu_max}}, Requirement::require,
                                  "cpu quota", "job_1"});
        }
        const auto applied = enforcer.apply(plan);
        REQUIRE(message(applied.status()) == "");
    }
    Child start(const std::string& program) {
        return enforcer.spawn(plan, {{program}, {}, {}}).value();
    }
    ResourceUsage usage() { return enforcer.observe("job_1").value(); }
};

ScriptedEnforcer::Script script_of(std::optional<Microseconds> duration) {
    ScriptedEnforcer::Script script;
    script.duration = duration;
    return script;
}

TEST_CASE("ScriptedEnforcer: a command without a script succeeds at once", "[testing]") {
    Job job;
    const Child child = job.start("true");
    CHECK(job.enforcer.poll(child).value() == exited(0));
    CHECK(job.clock.now() == Microseconds());
}

TEST_CASE("ScriptedEnforcer: a command ends when its time has passed", "[testing]") {
    Job job;
    ScriptedEnforcer::Script script = script_of(seconds(10));
    script.outcome = exited(3);
    job.enforcer.set_script("train", script);
    const Child child = job.start("train");
    job.clock.advance(seconds(9));
    CHECK(job.enforcer.poll(child).value() == std::nullopt);
    CHECK(job.usage().pids == Count(1));
    job.clock.advance(seconds(1));
    CHECK(job.usage().pids == Count(0));
    CHECK(job.enforcer.poll(child).value() == exited(3));
    CHECK(job.enforcer.poll(child).status().code() == StatusCode::kNotFound);  // reaped
}

TEST_CASE("ScriptedEnforcer: waiting lets the clock run to the end", "[testing]") {
    Job job;
    ScriptedEnforcer::Script script = script_of(seconds(10));
    script.outcome = signaled(11);
    job.enforcer.set_script("", script);
    const Child child = job.start("crash");
    job.clock.advance(seconds(4));
    CHECK(job.enforcer.wait(child).value() == signaled(11));
    CHECK(job.clock.now() == seconds(10));
}

TEST_CASE("ScriptedEnforcer: waiting for what never ends is an error", "[testing]") {
    Job job;
    job.enforcer.set_script("sleep", script_of(std::nullopt));
    const Child child = job.start("sleep");
    CHECK(job.enforcer.wait(child).status().code() == StatusCode::kFailedPrecondition);
    CHECK(job.clock.now() == Microseconds());
}

TEST_CASE("ScriptedEnforcer: more memory than memory.max is the end", "[testing]") {
    Job job;
    ScriptedEnforcer::Script script = script_of(seconds(60));
    script.memory = {{Microseconds(), gib(1)}, {seconds(5), gib(4)}, {seconds(8), gib(5)}};
    job.enforcer.set_script("train", script);
    const Child child = job.start("train");
    CHECK(job.usage().memory == gib(1));
    job.clock.advance(seconds(7));
    CHECK(job.usage().memory == gib(4));  // the limit itself is allowed
    CHECK(job.usage().oom_kills == Count(0));
    const Outcome outcome = job.enforcer.wait(child).value();
    CHECK(outcome.ending == Outcome::Ending::out_of_memory);
    CHECK(exit_status(outcome) == 125);
    CHECK(job.clock.now() == seconds(8));
    CHECK(job.usage().oom_kills == Count(1));
    CHECK(job.usage().memory == Bytes());
    CHECK(job.usage().memory_peak == gib(4));
}

TEST_CASE("ScriptedEnforcer: the commands of a group share its memory.max", "[testing]") {
    Job job;  // 4 GiB
    ScriptedEnforcer::Script large = script_of(seconds(60));
    large.memory = {{Microseconds(), gib(3)}};
    ScriptedEnforcer::Script small = script_of(seconds(20));
    small.memory = {{seconds(5), gib(1)}, {seconds(10), gib(2)}};
    job.enforcer.set_script("large", large);
    job.enforcer.set_script("small", small);
    const bool all = GENERATE(false, true);
    const Step together{Step::SetLimit{OomGroupLimit{all}}, Requirement::require, "memory",
                        "job_1"};
    REQUIRE(job.enforcer.run(together).ok());
    const Child first = job.start("large");
    const Child second = job.start("small");
    job.clock.advance(seconds(9));
    CHECK(job.usage().memory == gib(4));
    CHECK(job.enforcer.wait(first)->ending == Outcome::Ending::out_of_memory);  // the larger one
    CHECK(job.clock.now() == seconds(10));
    const Outcome other = job.enforcer.wait(second).value();
    CHECK(other.ending == (all ? Outcome::Ending::out_of_memory : Outcome::Ending::exited));
    CHECK(job.clock.now() == seconds(all ? 10 : 20));
    CHECK(job.usage().oom_kills == Count(all ? 2 : 1));
}

TEST_CASE("ScriptedEnforcer: a quota throttles", "[testing]") {
    Job job(MilliCpu(1'500));
    ScriptedEnforcer::Script script = script_of(seconds(10));
    script.cpu = cpus(4);
    job.enforcer.set_script("train", script);
    job.start("train");
    job.clock.advance(seconds(2));
    CHECK(job.usage().cpu_time == seconds(3));
    CHECK(job.usage().throttled_time == seconds(5));
    job.clock.advance(seconds(100));
    CHECK(job.usage().cpu_time == seconds(15));  // counted until it ended
}

TEST_CASE("ScriptedEnforcer: a signal ends what does not ignore it", "[testing]") {
    Job job;
    job.enforcer.set_script("soft", script_of(std::nullopt));
    ScriptedEnforcer::Script stubborn = script_of(std::nullopt);
    stubborn.ignored_signals = {15};
    job.enforcer.set_script("stubborn", stubborn);
    const Child soft = job.start("soft");
    const Child hard = job.start("stubborn");
    REQUIRE(job.enforcer.signal("job_1", 18).ok());  // SIGCONT harms nobody
    CHECK(job.enforcer.poll(soft).value() == std::nullopt);
    REQUIRE(job.enforcer.signal("job_1", 15).ok());
    CHECK(job.enforcer.poll(soft).value() == signaled(15));
    CHECK(job.enforcer.poll(hard).value() == std::nullopt);
    REQUIRE(job.enforcer.signal("job_1", 9).ok());
    CHECK(job.enforcer.poll(hard).value() == signaled(9));
}

TEST_CASE("ScriptedEnforcer: frozen time does not count", "[testing]") {
    Job job;
    job.enforcer.set_script("", script_of(seconds(10)));
    const Child child = job.start("train");
    job.clock.advance(seconds(4));
    REQUIRE(job.enforcer.freeze("job_1").ok());
    CHECK(job.enforcer.wait(child).status().code() == StatusCode::kFailedPrecondition);
    job.clock.advance(seconds(100));
    REQUIRE(job.enforcer.thaw("job_1").ok());
    CHECK(job.enforcer.wait(child).value() == exited(0));
    CHECK(job.clock.now() == seconds(110));
    CHECK(job.usage().cpu_time == seconds(10));
}

TEST_CASE("ScriptedEnforcer: removing the group kills what runs inside", "[testing]") {
    Job job;
    job.enforcer.set_script("", script_of(std::nullopt));
    const Child child = job.start("daemon");
    REQUIRE(job.enforcer.remove("job_1").ok());
    CHECK(job.enforcer.wait(child).value() == signaled(9));
    CHECK(job.enforcer.observe("job_1").status().code() == StatusCode::kNotFound);
    CHECK(job.enforcer.recover().value().empty());
    CHECK(job.enforcer.observe("").value().pids == Count(0));
}

TEST_CASE("ScriptedEnforcer: a group shows what happens below it", "[testing]") {
    Job job;
    ScriptedEnforcer::Script script = script_of(seconds(10));
    script.memory = {{Microseconds(), gib(3)}};
    job.enforcer.set_script("", script);
    Plan step = job.plan;
    step.group = "job_1/step_0";
    step.steps = {};
    step.steps.resize(1);
    step.steps[0].group = step.group;
    REQUIRE(job.enforcer.apply(step).ok());
    const Child child = job.enforcer.spawn(job.plan, {{"train"}, {}, {}}).value();
    REQUIRE(job.enforcer.attach("job_1/step_0", child.pid).ok());
    job.clock.advance(seconds(1));
    CHECK(job.usage().memory == gib(3));
    CHECK(job.enforcer.observe("job_1/step_0").value().memory == gib(3));
    script.memory = {{seconds(1), gib(5)}};
    job.enforcer.set_script("", script);
    const Child greedy = job.enforcer.spawn(step, {{"train"}, {}, {}}).value();
    CHECK(job.enforcer.wait(greedy).value().ending ==
          Outcome::Ending::out_of_memory);  // limited above
    CHECK(job.enforcer.poll(child).value()->ending ==
          Outcome::Ending::out_of_memory);  // killed with it
    job.enforcer.set_script("", script_of(seconds(10)));
    const Child modest = job.enforcer.spawn(step, {{"train"}, {}, {}}).value();
    REQUIRE(job.enforcer.signal("job_1", 15).ok());
    CHECK(job.enforcer.poll(modest).value() == signaled(15));
}

TEST_CASE("ScriptedEnforcer: events come when the clock gets there, and next lets it run",
          "[testing][events]") {
    Job job;
    ScriptedEnforcer::Script script = script_of(seconds(10));
    script.memory = {{seconds(3), gib(5)}};
    job.enforcer.set_script("", script);
    auto source = job.enforcer.events("job_1", {}).value();
    const auto first_of = [](const std::vector<GroupEvent>& events) {
        return events.empty() ? std::string("nothing") : to_text(events.front());
    };
    CHECK(first_of(source->read().value()) == "job_1: emptied");
    const Child child = job.start("train");
    CHECK(first_of(source->next(seconds(60)).value()) == "job_1: populated");
    CHECK(job.clock.now() == seconds(0));
    CHECK(first_of(source->next(seconds(1)).value()) == "nothing");
    CHECK(job.clock.now() == seconds(1));
    CHECK(source->next(seconds(60)).value() ==
          std::vector<GroupEvent>{{"job_1", GroupEvent::Kind::oom_kill},
                                  {"job_1", GroupEvent::Kind::emptied}});
    CHECK(job.clock.now() == seconds(3));
    CHECK(job.enforcer.wait(child).value().ending == Outcome::Ending::out_of_memory);
    CHECK(job.enforcer.verify(job.plan).value().empty());
    CHECK(job.enforcer.events("none", {}).status().code() == StatusCode::kNotFound);
}

TEST_CASE("ScriptedEnforcer: a signal for the child ends it alone, unless ignored", "[testing]") {
    Job job;
    ScriptedEnforcer::Script script = script_of(seconds(10));
    script.ignored_signals = {15};
    job.enforcer.set_script("deaf", script);
    job.enforcer.set_script("", script_of(seconds(10)));
    const Child deaf = job.start("deaf");
    const Child train = job.start("train");
    REQUIRE(job.enforcer.signal_child(deaf, 15).ok());
    REQUIRE(job.enforcer.signal_child(train, 15).ok());
    CHECK(job.enforcer.poll(deaf).value() == std::nullopt);
    CHECK(job.enforcer.poll(train).value() == signaled(15));
    REQUIRE(job.enforcer.signal_child(deaf, 9).ok());
    CHECK(job.enforcer.poll(deaf).value() == signaled(9));
    CHECK(job.usage().pids == Count(0));
    CHECK(job.enforcer.signal_child(deaf, 9).code() == StatusCode::kNotFound);
}

}  // namespace
}  // namespace trestle::testing
