// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/events.hpp"

#include <string>
#include <vector>

#include "enforce/detail/group_signs.hpp"
#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/enforce/faulty_enforcer.hpp"
#include "trestle/enforce/memory_enforcer.hpp"

namespace {

using namespace trestle;

static_assert(lists_all_fields<GroupEvent> && lists_all_fields<EventOptions::PressureTrigger> &&
              lists_all_fields<EventOptions> && lists_all_fields<GroupSigns>);

std::string lines(const std::vector<GroupEvent>& events) {
    std::string text;
    for (const GroupEvent& event : events) text += to_text(event) + "\n";
    return text;
}

std::string read(EventSource& source) {
    const auto events = source.read();
    REQUIRE(events.ok());
    return lines(*events);
}

Step group_step(const std::string& group) {
    Step step;
    step.group = group;
    return step;
}

/// The group `job` with `job/step` below, and a source for the former.
struct Watched {
    MemoryEnforcer enforcer;
    Plan plan;
    std::unique_ptr<EventSource> source;

    explicit Watched(const EventOptions& options = {}) {
        plan.group = "job";
        REQUIRE(enforcer.run(group_step("job")).ok());
        REQUIRE(enforcer.run(group_step("job/step")).ok());
        source = enforcer.events("job", options).value();
    }
    Child start(const std::string& group = "job") {
        plan.group = group;
        return enforcer.spawn(plan, {{"true"}, {}, ""}).value();
    }
};

TEST_CASE("events_between: the first look tells the state, the next ones what is different",
          "[enforce][events]") {
    struct Row {
        std::optional<GroupSigns> before;
        GroupSigns now;
        const char* events;
        const char* why;
    };
    const GroupSigns empty;
    const GroupSigns full{.is_populated = true};
    const GroupSigns frozen{.is_populated = true, .is_frozen = true};
    const GroupSigns killed{
        .is_populated = true,
        .counts = {{GroupEvent::Kind::oom, Count(2)}, {GroupEvent::Kind::oom_kill, Count(3)}}};
    const Row rows[] = {
        {{}, empty, "g: emptied\n", "first and empty"},
        {{}, full, "g: populated\n", "first and running"},
        {{}, frozen, "g: populated\ng: frozen\n", "first and frozen"},
        {{}, killed, "g: populated\ng: oom 2\ng: oom_kill 3\n", "first, with a past"},
        {empty, empty, "", "nothing happened"},
        {full, full, "", "nothing happened"},
        {frozen, frozen, "", "nothing happened"},
        {empty, full, "g: populated\n", "filled"},
        {full, empty, "g: emptied\n", "emptied"},
        {full, frozen, "g: frozen\n", "frozen"},
        {frozen, full, "g: thawed\n", "thawed"},
        {frozen, empty, "g: thawed\ng: emptied\n", "killed while frozen"},
        {full, killed, "g: oom 2\ng: oom_kill 3\n", "counters rose"},
        {killed, full, "", "counters that go back say nothing"},
        {empty, {.has_flickered = true}, "g: emptied\n", "filled and emptied in between"},
        {full, {.is_populated = true, .has_flickered = true}, "", "emptied and filled"},
        {full, {.is_populated = true, .has_pressure = true}, "g: memory_pressure\n", "pressure"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(lines(events_between("g", {row.before, row.now})) == row.events);
    }
}

TEST_CASE("EventSource in memory: what the test does is reported once", "[enforce][events]") {
    Watched job;
    CHECK(job.source->fd() == -1);
    CHECK(read(*job.source) == "job: emptied\n");
    CHECK(read(*job.source) == "");
    const Child child = job.start();
    CHECK(read(*job.source) == "job: populated\n");
    REQUIRE(job.enforcer.freeze("job").ok());
    CHECK(lines(job.source->next(Microseconds(5)).value()) == "job: frozen\n");
    REQUIRE(job.enforcer.thaw("job").ok());
    REQUIRE(job.enforcer.end_process(child.pid, signaled(9, Count(1))).ok());
    CHECK(read(*job.source) == "job: thawed\njob: oom_kill\njob: emptied\n");
    REQUIRE(job.enforcer.set_usage("job", {.oom_kills = Count(5)}).ok());
    REQUIRE(job.enforcer.set_usage("job", {.oom_kills = Count(7)}).ok());
    CHECK(read(*job.source) == "job: oom_kill 7\n");
    REQUIRE(job.enforcer.set_usage("job", {.oom_kills = Count(7)}).ok());
    CHECK(read(*job.source) == "");
    REQUIRE(job.enforcer.remove("job").ok());
    CHECK(read(*job.source) == "job: removed\n");
    CHECK(read(*job.source) == "");
}

TEST_CASE("EventSource in memory: a job that came and went between two reads is reported",
          "[enforce][events]") {
    Watched job;
    CHECK(read(*job.source) == "job: emptied\n");
    const Child child = job.start();
    REQUIRE(job.enforcer.end_process(child.pid, exited(0)).ok());
    CHECK(read(*job.source) == "job: emptied\n");
    CHECK(read(*job.source) == "");
}

TEST_CASE("EventSource in memory: what happens below counts, what happens above freezes",
          "[enforce][events]") {
    Watched job;
    auto below = job.enforcer.events("job/step", {}).value();
    CHECK(read(*below) == "job/step: emptied\n");
    CHECK(read(*job.source) == "job: emptied\n");
    const Child child = job.start("job/step");
    REQUIRE(job.enforcer.count_event("job/step", GroupEvent::Kind::pids_max).ok());
    CHECK(read(*job.source) == "job: populated\njob: pids_max\n");
    CHECK(read(*below) == "job/step: populated\njob/step: pids_max\n");
    REQUIRE(job.enforcer.count_event("job", GroupEvent::Kind::memory_max).ok());
    CHECK(read(*below) == "");
    REQUIRE(job.enforcer.freeze("job").ok());
    CHECK(read(*below) == "job/step: frozen\n");
    REQUIRE(job.enforcer.attach("job", child.pid).ok());
    CHECK(read(*job.source) == "job: frozen\njob: memory_max\n");
    CHECK(read(*below) == "job/step: emptied\n");
}

TEST_CASE("EventSource in memory: a group made again is another group", "[enforce][events]") {
    Watched job;
    REQUIRE(job.enforcer.remove("job").ok());
    REQUIRE(job.enforcer.run(group_step("job")).ok());
    CHECK(read(*job.source) == "job: removed\n");
    CHECK(read(*job.enforcer.events("job", {}).value()) == "job: emptied\n");
}

TEST_CASE("EventSource in memory: pressure is reported where it was requested",
          "[enforce][events]") {
    Watched quiet;
    Watched asked({.memory_pressure = EventOptions::PressureTrigger{}});
    for (Watched* job : {&quiet, &asked}) {
        REQUIRE(job->enforcer.count_event("job", GroupEvent::Kind::memory_pressure).ok());
    }
    CHECK(read(*quiet.source) == "job: emptied\n");
    CHECK(read(*asked.source) == "job: memory_pressure\njob: emptied\n");
    CHECK(read(*asked.source) == "");
    for (const GroupEvent::Kind kind :
         {GroupEvent::Kind::populated, GroupEvent::Kind::emptied, GroupEvent::Kind::frozen,
          GroupEvent::Kind::thawed, GroupEvent::Kind::removed}) {
        CHECK(asked.enforcer.count_event("job", kind).code() == StatusCode::kInvalidArgument);
    }
    CHECK(asked.enforcer.count_event("none", GroupEvent::Kind::oom).code() ==
          StatusCode::kNotFound);
    CHECK(asked.enforcer.events("none", {}).status().code() == StatusCode::kNotFound);
}

TEST_CASE("EventSource: reads of one with faults fail as counted, and nothing is lost",
          "[enforce][events]") {
    MemoryEnforcer inner;
    REQUIRE(inner.run(group_step("job")).ok());
    FaultyEnforcer faulty(inner, FaultyEnforcer::Fault::once(1));
    auto source = faulty.events("job", {}).value();
    CHECK(message(source->read().status()) == "injected fault at call 1 (read of events)");
    CHECK(read(*source) == "job: emptied\n");
    faulty.set_fault(FaultyEnforcer::Fault::once(3));
    CHECK(message(source->next(Microseconds()).status()) ==
          "injected fault at call 3 (next of events)");
    CHECK(source->next(Microseconds()).value().empty());
    CHECK(source->fd() == -1);
}

}  // namespace
