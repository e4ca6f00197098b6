// SPDX-License-Identifier: Apache-2.0
// Events of a real kernel: what fills, empties, freezes, runs out of memory or goes away is told.
#include <poll.h>
#include <signal.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "os/kernel_support.hpp"
#include "os/soon.hpp"
#include "support/catch.hpp"
#include "trestle/enforce/events.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;

std::unique_ptr<EventSource> source_of(KernelGroup& group, const EventOptions& options = {}) {
    auto source = group.enforcer().events("job", options);
    INFO(source.status().ToString());
    REQUIRE(source.ok());
    return *std::move(source);
}

/// Kinds that were told until `wanted` was among them, or for two minutes.
std::set<GroupEvent::Kind> kinds_until(EventSource& source, GroupEvent::Kind wanted) {
    std::set<GroupEvent::Kind> seen;
    CHECK(is_soon([&] {
        const auto events = source.next(Microseconds(1'000'000));
        REQUIRE(events.ok());
        for (const GroupEvent& event : *events) {
            CHECK(event.group == "job");
            seen.insert(event.kind);
        }
        return seen.contains(wanted);
    }));
    return seen;
}

constexpr int two_minutes_ms = 120'000;

bool is_readable(const EventSource& source, int timeout_ms) {
    pollfd file{source.fd(), POLLIN, 0};
    return ::poll(&file, 1, timeout_ms) == 1;
}

/// `tail` keeps what it reads until it finds a line end.
constexpr const char* greedy = "exec tail /dev/zero";

}  // namespace

TEST_CASE("kernel: a group is reported populated, frozen, thawed, emptied and removed",
          "[os][privileged][events]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Plan plan = group.job({});
    const auto source = source_of(group);
    CHECK(source->read().value() == std::vector<GroupEvent>{{"job", GroupEvent::Kind::emptied}});
    CHECK(source->next(Microseconds(1000)).value().empty());

    const auto child = group.enforcer().spawn(plan, shell("exec sleep 1000"));
    REQUIRE(child.ok());
    CHECK(kinds_until(*source, GroupEvent::Kind::populated).size() == 1);
    REQUIRE(group.enforcer().freeze("job") == Status());
    (void)kinds_until(*source, GroupEvent::Kind::frozen);
    REQUIRE(group.enforcer().thaw("job") == Status());
    (void)kinds_until(*source, GroupEvent::Kind::thawed);
    REQUIRE(group.enforcer().signal("job", SIGKILL) == Status());
    (void)kinds_until(*source, GroupEvent::Kind::emptied);
    CHECK(group.enforcer().wait(*child).ok());

    REQUIRE(group.enforcer().remove("job") == Status());
    (void)kinds_until(*source, GroupEvent::Kind::removed);
    CHECK(source->read().value().empty());
    CHECK(source->next(Microseconds(1000)).value().empty());
    CHECK_FALSE(is_readable(*source, 0));
    CHECK(group.enforcer().events("job", {}).status().code() == StatusCode::kNotFound);
}

TEST_CASE("kernel: the descriptor of a source is readable as long as there is something to read",
          "[os][privileged][events]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Plan plan = group.job({});
    const auto source = source_of(group);
    CHECK(is_readable(*source, 0));  // the state at the time of opening
    CHECK(is_readable(*source, 0));  // polling takes nothing away
    CHECK(source->read().value().size() == 1);
    CHECK_FALSE(is_readable(*source, 0));
    const auto child = group.enforcer().spawn(plan, shell("exec sleep 1000"));
    REQUIRE(child.ok());
    CHECK(is_readable(*source, two_minutes_ms));
    CHECK(source->read().value() == std::vector<GroupEvent>{{"job", GroupEvent::Kind::populated}});
    REQUIRE(group.enforcer().signal("job", SIGKILL) == Status());
    CHECK(is_readable(*source, two_minutes_ms));
    (void)kinds_until(*source, GroupEvent::Kind::emptied);
    CHECK(group.enforcer().wait(*child).ok());
}

TEST_CASE("kernel: a job that came and went before the first read is reported",
          "[os][privileged][events]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Plan plan = group.job({});
    const auto source = source_of(group);
    CHECK(source->read().value().size() == 1);
    CHECK(group.run(plan, "true") == exited(0, std::nullopt));
    (void)kinds_until(*source, GroupEvent::Kind::emptied);
}

TEST_CASE("kernel: kills for memory are reported, also to a later source",
          "[os][privileged][events]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Plan plan = group.job(
        {{"memory.max", "33554432"}, {"memory.swap.max", "0"}, {"memory.oom.group", "1"}});
    const auto source = source_of(group);
    CHECK(group.run(plan, greedy).ending == Outcome::Ending::out_of_memory);
    const auto seen = kinds_until(*source, GroupEvent::Kind::emptied);
    CHECK(seen.contains(GroupEvent::Kind::memory_max));
    CHECK(seen.contains(GroupEvent::Kind::oom));
    CHECK(seen.contains(GroupEvent::Kind::oom_kill));

    Count kills;
    const auto late = source_of(group)->read();
    REQUIRE(late.ok());
    for (const GroupEvent& event : *late) {
        if (event.kind == GroupEvent::Kind::oom_kill) kills = event.count;
    }
    CHECK(kills == group.enforcer().observe("job")->oom_kills);
    CHECK(kills > Count(0));
}

TEST_CASE("kernel: forks that are refused are reported", "[os][privileged][events]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Plan plan = group.job({{"pids.max", "2"}});
    const auto source = source_of(group);
    (void)group.run(plan, "(sleep 1000 & sleep 1000 & sleep 1000 &) 2>/dev/null");
    (void)kinds_until(*source, GroupEvent::Kind::pids_max);
}

TEST_CASE("kernel: memory pressure is reported by next, and in a loop of the caller's own",
          "[os][privileged][events]") {
    if (!has_kernel()) return;
    if (!std::filesystem::exists(kernel_support().directory + "/memory.pressure") &&
        !std::filesystem::exists("/proc/pressure/memory")) {
        WARN("SKIPPED: this kernel tells no pressure");
        return;
    }
    for (const bool has_own_loop : {false, true}) {
        INFO("own loop: " << has_own_loop);
        KernelGroup group;
        // Above memory.high and without swap a process waits, and is never killed.
        const Plan plan = group.job({{"memory.high", "16777216"}, {"memory.swap.max", "0"}});
        // The least window that the kernel takes from a process without CAP_SYS_RESOURCE.
        const EventOptions::PressureTrigger trigger{EventOptions::PressureTrigger::Stall::some,
                                                    Microseconds(50'000), Microseconds(2'000'000)};
        const auto source = source_of(group, {.memory_pressure = trigger});
        CHECK(source->read().value() ==
              std::vector<GroupEvent>{{"job", GroupEvent::Kind::emptied}});
        const auto child = group.enforcer().spawn(plan, shell(greedy));
        REQUIRE(child.ok());
        std::set<GroupEvent::Kind> seen;
        CHECK(is_soon([&] {
            if (has_own_loop && !is_readable(*source, 500)) return false;
            const auto events =
                has_own_loop ? source->read() : source->next(Microseconds(1'000'000));
            REQUIRE(events.ok());
            for (const GroupEvent& event : *events) seen.insert(event.kind);
            return seen.contains(GroupEvent::Kind::memory_pressure) &&
                   seen.contains(GroupEvent::Kind::memory_high);
        }));
        REQUIRE(group.enforcer().signal("job", SIGKILL) == Status());
        CHECK(group.enforcer().wait(*child).ok());
        REQUIRE(group.enforcer().remove("job") == Status());
        (void)kinds_until(*source, GroupEvent::Kind::removed);
        CHECK_FALSE(is_readable(*source, 0));
    }
}

TEST_CASE("kernel: a trigger that the kernel does not take is an error with its text",
          "[os][privileged][events]") {
    if (!has_kernel()) return;
    KernelGroup group;
    (void)group.job({});
    const EventOptions options{
        .memory_pressure = EventOptions::PressureTrigger{EventOptions::PressureTrigger::Stall::full,
                                                         Microseconds(2), Microseconds(1)}};
    const auto source = group.enforcer().events("job", options);
    REQUIRE_FALSE(source.ok());
    CHECK_THAT(std::string(message(source.status())),
               ContainsSubstring("/job/memory.pressure: \"full 2 1\": the kernel takes") ||
                   ContainsSubstring("tells no memory pressure"));
}

TEST_CASE("kernel: a signal for the child does not reach what it started", "[os][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Plan plan = group.job({});
    const auto source = source_of(group);
    const auto child = group.enforcer().spawn(plan, shell("sleep 1000 & wait"));
    REQUIRE(child.ok());
    REQUIRE(is_soon([&] { return group.enforcer().recover()->at(0).processes.size() == 2; }));
    CHECK(group.enforcer().signal_child(*child, SIGTERM) == Status());
    CHECK(group.enforcer().signal_child({"other", child->pid}, SIGTERM).code() ==
          StatusCode::kNotFound);
    CHECK(group.enforcer().wait(*child).value() == signaled(SIGTERM));
    CHECK(group.enforcer().signal_child(*child, SIGTERM).code() == StatusCode::kNotFound);
    const auto states = group.enforcer().recover();
    REQUIRE(states.ok());
    REQUIRE(states->size() == 1);
    CHECK(states->at(0).is_populated);
    CHECK(states->at(0).processes.size() == 1);

    REQUIRE(group.enforcer().signal("job", SIGKILL) == Status());
    const auto ended = group.enforcer().spawn(plan, shell("exit 3"));
    REQUIRE(ended.ok());
    REQUIRE(is_soon([&] { return !group.enforcer().recover()->at(0).is_populated; }));
    CHECK(group.enforcer().signal_child(*ended, SIGTERM) == Status());  // not reaped
    CHECK(group.enforcer().wait(*ended).value().exit_code == 3);
}

}  // namespace trestle
