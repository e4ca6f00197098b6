// SPDX-License-Identifier: Apache-2.0
// Reasons of ends, and whether a run is tried again.
#include "trestle/dialect/dstack/run/retry.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/run/termination.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {
namespace {

using dstack::JobStatus;
using dstack::Retry;
using dstack::RetryAction;
using dstack::RetryEvent;
using dstack::TerminationReason;
using testing::Choices;
using testing::for_random_choices;
using enum dstack::TerminationReason;

/// `again`, `wait until 45`, `give up: ...`.
std::string line_of(const dstack::RetryDecision& decision) {
    if (decision.action == RetryAction::again) return "again";
    if (decision.action == RetryAction::wait) return fmt::format("wait until {}", decision.until);
    return "give up: " + decision.reason;
}

}  // namespace

TEST_CASE("dstack ends: every reason has a status and its event", "[dialect][dstack]") {
    std::set<TerminationReason> seen;
    for (const auto& rule : dstack::termination_rules()) {
        INFO(to_text(rule.reason));
        CHECK(seen.insert(rule.reason).second);
        CHECK(dstack::rule_of(rule.reason) == rule);
        CHECK(dstack::is_ended(rule.status));
        CHECK(rule.event.has_value() == (rule.status == JobStatus::failed));
    }
    CHECK(seen.size() == enum_names(TerminationReason{}).size());
    struct Row {
        TerminationReason reason;
        JobStatus status;
        std::optional<RetryEvent> event;
    };
    const Row rows[] = {
        {done_by_runner, JobStatus::done, {}},
        {terminated_by_user, JobStatus::terminated, {}},
        {scaled_down, JobStatus::terminated, {}},
        {terminated_by_server, JobStatus::terminated, {}},
        {inactivity_duration_exceeded, JobStatus::terminated, {}},
        {terminated_due_to_utilization_policy, JobStatus::terminated, {}},
        {max_duration_exceeded, JobStatus::terminated, {}},
        {aborted_by_user, JobStatus::aborted, {}},
        {failed_to_start_due_to_no_capacity, JobStatus::failed, RetryEvent::no_capacity},
        {interrupted_by_no_capacity, JobStatus::failed, RetryEvent::interruption},
    };
    std::set<TerminationReason> rest = seen;
    for (const Row& row : rows) {
        INFO(to_text(row.reason));
        CHECK(dstack::rule_of(row.reason).status == row.status);
        CHECK(dstack::rule_of(row.reason).event == row.event);
        rest.erase(row.reason);
    }
    for (const TerminationReason reason : rest) {
        INFO(to_text(reason));
        CHECK(dstack::rule_of(reason).status == JobStatus::failed);
        CHECK(dstack::rule_of(reason).event == RetryEvent::error);
    }
    CHECK(rest.size() == 11);
}

TEST_CASE("dstack retry: again, wait, or give up", "[dialect][dstack]") {
    using Attempts = std::vector<dstack::EndedAttempt>;
    const auto at = [](std::int64_t n) { return Seconds(n); };
    const Retry capacity{{RetryEvent::no_capacity}, Seconds(3600)};
    const Retry interruption{{RetryEvent::interruption}, Seconds(3600)};
    const Retry always = Retry::always();
    const Retry now_or_never{{RetryEvent::error}, Seconds()};
    constexpr auto none_there = failed_to_start_due_to_no_capacity;
    struct Row {
        std::optional<Retry> policy;
        Attempts attempts;  ///< of a run submitted at 100
        std::int64_t now;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {{}, {}, 100, "again", "the first time needs no policy"},
        {{},
         {{none_there, at(100)}},
         200,
         "give up: no-capacity is not among the events of the retry policy",
         "no policy"},
        {Retry{{}, Seconds(3600)},
         {{none_there, at(100)}},
         200,
         "give up: no-capacity is not among the events of the retry policy",
         "no events"},
        {capacity, {{none_there, at(100)}}, 110, "wait until 115", "15 s after the first time"},
        {capacity, {{none_there, at(100)}}, 115, "again", "waited"},
        {capacity,
         {{none_there, at(100)}, {none_there, at(115)}},
         120,
         "wait until 145",
         "30 s after the second"},
        {capacity, Attempts(9, {none_there, at(1000)}), 1000, "wait until 1600",
         "never more than 10 minutes"},
        {capacity, Attempts(9, {none_there, at(3500)}), 3600, "wait until 3700",
         "the last time is at the end of the duration"},
        {capacity, {{none_there, at(3000)}}, 3700, "again", "an hour after it was submitted"},
        {capacity,
         {{none_there, at(3000)}},
         3701,
         "give up: 3601s have passed since it was submitted, the policy allows 1h",
         "a second late"},
        {capacity,
         {{interrupted_by_no_capacity, at(200)}},
         300,
         "give up: interruption is not among the events of the retry policy",
         "another event"},
        {interruption,
         {{interrupted_by_no_capacity, at(90'000)}},
         90'020,
         "again",
         "time runs from the interruption"},
        {interruption,
         {{interrupted_by_no_capacity, at(9'000)}, {none_there, at(9'015)}},
         9'100,
         "again",
         "no capacity after an interruption is retried as that"},
        {interruption,
         {{interrupted_by_no_capacity, at(9'000)}, {none_there, at(12'000)}},
         12'601,
         "give up: 3601s have passed since it lost its instance, the policy allows 1h",
         "an hour since it was interrupted"},
        {interruption,
         {{none_there, at(100)}},
         120,
         "give up: no-capacity is not among the events of the retry policy",
         "it never had an instance"},
        {always, {{container_exited_with_error, at(200)}}, 220, "again", "an error"},
        {always, {{instance_unreachable, at(200)}}, 220, "again", "an error of the instance"},
        {always,
         {{max_duration_exceeded, at(200)}},
         220,
         "give up: max_duration_exceeded is not retried",
         "out of time"},
        {always,
         {{terminated_by_user, at(200)}},
         220,
         "give up: terminated_by_user is not retried",
         "the user's will"},
        {always,
         {{done_by_runner, at(200)}},
         220,
         "give up: done_by_runner is not retried",
         "done"},
        {now_or_never, {{executor_error, at(200)}}, 200, "again", "no duration: at once"},
        {now_or_never,
         {{executor_error, at(200)}},
         201,
         "give up: 1s have passed since it lost its instance, the policy allows 0s",
         "or never"},
        {always, {{executor_error, at(200)}}, 150, "wait until 215", "a clock that went back"},
        {Retry{{RetryEvent::error}, Seconds::max()},
         {{executor_error, Seconds::max()}},
         200,
         "wait until 9223372036854775807",
         "absurd numbers"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(line_of(dstack::retry(row.policy, {Seconds(100), row.attempts}, Seconds(row.now))) ==
              row.expected);
    }
    const dstack::RetryHistory once{Seconds(100), {{none_there, Seconds(100)}}};
    CHECK(line_of(dstack::retry(capacity, once, Seconds(100), {{}})) == "again");
}

TEST_CASE("dstack retry: a run that waits as long as it should is tried again or gives up in time",
          "[dialect][dstack][law]") {
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), test_rounds(500u)}, [&](Choices& choices) {
        const Retry policy{{RetryEvent::no_capacity, RetryEvent::error},
                           Seconds(choices.in<std::int64_t>({0, 5'000}))};
        dstack::RetryHistory history{Seconds(choices.in<std::int64_t>({0, 100})), {}};
        Seconds now = history.submitted_at;
        int tries = 0;
        for (int step = 0; step < 2'000; ++step) {
            const auto decision = dstack::retry(policy, history, now);
            if (decision.action == RetryAction::give_up) break;
            if (decision.action == RetryAction::wait) {
                REQUIRE(decision.until > now);
                now = decision.until;
                REQUIRE(dstack::retry(policy, history, now).action == RetryAction::again);
                continue;
            }
            ++tries;
            now += Seconds(1);
            history.attempts.push_back({failed_to_start_due_to_no_capacity, now});
        }
        REQUIRE(dstack::retry(policy, history, now).action == RetryAction::give_up);
        REQUIRE(now <= history.submitted_at + policy.duration + Seconds(1));
        REQUIRE(tries >= 1);
    });
}

}  // namespace trestle
