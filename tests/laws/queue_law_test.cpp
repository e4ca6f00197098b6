// SPDX-License-Identifier: Apache-2.0
// A job is eligible exactly if the definitions say so; a cycle is named where no order exists,
// and holds only the jobs in it and behind it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/oracle_queue.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/schedule/eligible.hpp"
#include "trestle/alloc/schedule/requeue.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {
namespace {

using testing::Choices;
using testing::for_all_choices;
using testing::for_random_choices;

constexpr std::int64_t queue_now = 6;
constexpr std::int64_t queue_horizon = 12;

struct QueueCase {
    std::vector<QueuedJob> queue;
    QueueState state;
};

/// What happened so far, of all that was compared.
struct QueueCounts {
    std::uint64_t eligible = 0;
    std::uint64_t waiting = 0;
    std::uint64_t until = 0;
    std::uint64_t never = 0;
    std::uint64_t cycles = 0;
    std::uint64_t stuck = 0;  ///< of these, where there is no other way
};

/// The numbers in `owner 3 waits for owner 5 waits for owner 3`.
std::vector<std::uint64_t> owners_in(const std::string& words) {
    std::vector<std::uint64_t> owners;
    for (std::size_t at = words.find("owner "); at != std::string::npos;
         at = words.find("owner ", at + 1)) {
        owners.push_back(std::stoull(words.substr(at + 6)));
    }
    return owners;
}

std::size_t place_in(const std::vector<QueuedJob>& queue, std::uint64_t owner) {
    const auto at = std::find_if(queue.begin(), queue.end(),
                                 [&](const QueuedJob& one) { return one.owner == OwnerId(owner); });
    REQUIRE(at != queue.end());
    return static_cast<std::size_t>(at - queue.begin());
}

void check_cycle(const QueueCase& one, const QueueOracle& oracle, const Status& status) {
    REQUIRE(status.code() == StatusCode::kInvalidArgument);
    std::vector<std::uint64_t> owners = owners_in(std::string(message(status)));
    REQUIRE(owners.size() > 1);
    REQUIRE(owners.front() == owners.back());
    for (std::size_t i = 1; i < owners.size(); ++i) {
        REQUIRE(
            oracle.waits_for(place_in(one.queue, owners[i - 1]), place_in(one.queue, owners[i])));
    }
    owners.pop_back();
    std::sort(owners.begin(), owners.end());
    REQUIRE(std::adjacent_find(owners.begin(), owners.end()) == owners.end());
}

void compare_with_oracle(const QueueCase& one, QueueCounts& counts) {
    const QueueOracle oracle(one.queue, one.state, queue_now, queue_horizon);
    const Status cycles = check_cycles(one.queue, one.state);
    REQUIRE(cycles.ok() == !oracle.has_cycle());
    if (!cycles.ok()) {
        ++counts.cycles;
        check_cycle(one, oracle, cycles);
        if (oracle.stuck() != 0) ++counts.stuck;
    }
    const auto found = eligible_jobs(one.queue, one.state, Instant(queue_now));
    REQUIRE(found.ok());
    std::vector<std::optional<OracleSaying>> said(one.queue.size());
    const auto say = [&](std::size_t job, OracleSaying saying) {
        REQUIRE(!said[job]);
        said[job] = saying;
    };
    using enum OracleSaying::What;
    for (const QueuedJob& job : found->eligible) {
        say(place_in(one.queue, job.owner.value()), {eligible, {}});
    }
    for (const PassResult::Waiting& job : found->waiting) {
        say(job.job, {waits, job.until});
        REQUIRE(!job.why.reason.empty());
        if (job.until) ++counts.until;
    }
    for (const PassResult::Waiting& job : found->never) say(job.job, {never, job.until});
    const auto expected = oracle.sayings();
    for (std::size_t job = 0; job < said.size(); ++job) {
        INFO("owner " << one.queue[job].owner.value());
        REQUIRE(said[job] == expected[job]);
    }
    counts.eligible += found->eligible.size();
    counts.waiting += found->waiting.size();
    counts.never += found->never.size();
}

JobRecord record_in(Choices& choices, OwnerId owner, JobRecord::Phase phase) {
    const auto moment = [&] { return Instant(static_cast<int>(choices.below(queue_now + 1))); };
    const Instant first = moment();
    const Instant second = std::max(first, moment());
    if (phase == JobRecord::Phase::running) return {owner, phase, first, {}};
    const bool has_start = phase == JobRecord::Phase::completed || !choices.one_in(3);
    return {owner, phase, has_start ? std::optional(first) : std::nullopt, second};
}

Dependency any_dependency(Choices& choices, std::uint64_t owners, bool has_name) {
    const auto kinds = enum_names(Dependency::Kind());
    Dependency one{kinds[choices.below(kinds.size() - (has_name ? 0 : 1))].value, {}, {}, {}};
    if (one.kind == Dependency::Kind::singleton) return one;
    if (choices.one_in(4)) one.array = ArrayId(choices.below(3));
    for (std::uint64_t i = choices.below(3) + (one.array ? 0 : 1); i > 0; --i) {
        one.jobs.push_back(OwnerId(1 + choices.below(owners)));
    }
    if (choices.one_in(3)) one.delay = Seconds(static_cast<int>(choices.below(queue_now)));
    return one;
}

/// Some of 7 owners, in the queue, running, ended or gone, on any conditions.
QueueCase any_queue_case(Choices& choices) {
    constexpr std::uint64_t owners = 7;
    QueueCase one;
    for (std::uint64_t number = 1; number <= owners; ++number) {
        const OwnerId owner(number);
        if (choices.one_in(8)) continue;
        if (choices.one_in(2) && one.queue.size() < 5) {
            const auto at = choices.below(one.queue.size() + 1);
            one.queue.insert(one.queue.begin() + static_cast<std::ptrdiff_t>(at), {owner, {}, {}});
        } else {
            const auto phases = enum_names(JobRecord::Phase());
            one.state.records.push_back(
                record_in(choices, owner, phases[choices.below(phases.size())].value));
        }
        if (choices.one_in(6)) continue;
        StartConditions conditions{owner, {}, choices.one_in(3), {}, choices.one_in(10), {},
                                   {},    {}};
        if (choices.one_in(3)) conditions.name = choices.one_in(2) ? "a" : "b";
        for (std::uint64_t i = choices.below(3); i > 0; --i) {
            conditions.dependencies.push_back(
                any_dependency(choices, owners, !conditions.name.empty()));
        }
        if (choices.one_in(4))
            conditions.begin = Instant(static_cast<int>(choices.below(2 * queue_now)));
        if (choices.one_in(2)) conditions.array = ArrayId(choices.below(2));
        one.state.conditions.insert(one.state.conditions.begin(), conditions);
    }
    for (const std::uint64_t array : {0u, 1u}) {
        if (choices.one_in(2)) continue;
        one.state.arrays.push_back({ArrayId(array), Count(1 + static_cast<int>(choices.below(2)))});
    }
    return one;
}

void check_random_queues(std::uint64_t cases) {
    INFO("seed " << test_seed());
    QueueCounts counts;
    for_random_choices({test_seed(), cases}, [&](Choices& choices) {
        compare_with_oracle(any_queue_case(choices), counts);
    });
    CHECK(counts.eligible > cases / 2);
    CHECK(counts.waiting > cases / 3);
    CHECK(counts.until > cases / 20);
    CHECK(counts.never > cases / 20);
    CHECK(counts.cycles > cases / 20);
    CHECK(counts.stuck > cases / 50);
    CHECK(counts.stuck < counts.cycles);
}

/// As many owners, each in the queue with a dependency or none, or running or ended, all of one
/// name.
QueueCase small_queue_case(Choices& choices, std::uint64_t owners) {
    QueueCase one;
    for (std::uint64_t number = 1; number <= owners; ++number) {
        const OwnerId owner(number);
        StartConditions conditions;
        conditions.owner = owner;
        conditions.name = "one";
        const std::uint64_t what = choices.below(4);
        if (what == 1)
            one.state.records.push_back({owner, JobRecord::Phase::running, Instant(2), {}});
        if (what == 2) {
            one.state.records.push_back(
                {owner, JobRecord::Phase::completed, Instant(2), Instant(4)});
        }
        if (what == 3)
            one.state.records.push_back({owner, JobRecord::Phase::cancelled, {}, Instant(4)});
        if (what == 0) {
            one.queue.push_back({owner, {}, {}});
            const auto kinds = enum_names(Dependency::Kind());
            const std::uint64_t kind = choices.below(kinds.size() + 1);
            if (kind < kinds.size()) {
                Dependency dependency{kinds[kind].value, {}, {}, {}};
                if (dependency.kind != Dependency::Kind::singleton) {
                    dependency.jobs.push_back(OwnerId(1 + choices.below(owners)));
                }
                conditions.dependencies.push_back(dependency);
            }
        }
        one.state.conditions.push_back(conditions);
    }
    return one;
}

/// One job with up to two dependencies on two others, which are whatever they can be.
QueueCase two_dependencies(Choices& choices) {
    QueueCase one;
    for (const std::uint64_t number : {1u, 2u}) {
        const OwnerId owner(number);
        const std::uint64_t what = choices.below(6);
        if (what == 0) one.queue.push_back({owner, {}, {}});
        if (what == 1)
            one.state.records.push_back({owner, JobRecord::Phase::running, Instant(5), {}});
        if (what == 2) {
            one.state.records.push_back(
                {owner, JobRecord::Phase::completed, Instant(2), Instant(6)});
        }
        if (what == 3)
            one.state.records.push_back({owner, JobRecord::Phase::failed, Instant(3), Instant(4)});
        if (what == 4)
            one.state.records.push_back({owner, JobRecord::Phase::cancelled, {}, Instant(5)});
    }
    one.queue.push_back({OwnerId(3), {}, {}});
    StartConditions conditions{OwnerId(3), {}, choices.one_in(2), {}, false, {}, {}, {}};
    for (std::uint64_t i = choices.below(3); i > 0; --i) {
        const std::uint64_t jobs = 1 + choices.below(3);
        Dependency dependency{enum_names(Dependency::Kind())[choices.below(4)].value, {}, {}, {}};
        for (const std::uint64_t number : {1u, 2u}) {
            if ((jobs & number) != 0) dependency.jobs.push_back(OwnerId(number));
        }
        if (choices.one_in(2)) dependency.delay = Seconds(2);
        conditions.dependencies.push_back(std::move(dependency));
    }
    one.state.conditions.push_back(std::move(conditions));
    return one;
}

}  // namespace

TEST_CASE("law: a job is eligible exactly if the definitions say so, in all small queues",
          "[law][queue][unsanitized]") {
    QueueCounts counts;
    CHECK(for_all_choices([&](Choices& choices) {
              compare_with_oracle(small_queue_case(choices, 3), counts);
          }) == 17 * 17 * 17);
    CHECK(for_all_choices([&](Choices& choices) {
              compare_with_oracle(two_dependencies(choices), counts);
          }) == 36 * 2 * (1 + 24 + 24 * 24));
    CHECK(counts.cycles > 0);
    CHECK(counts.never > 0);
}
TEST_CASE("law: a job is eligible exactly if the definitions say so, in all queues of four jobs",
          "[law][queue][slow]") {
    QueueCounts counts;
    CHECK(for_all_choices([&](Choices& choices) {
              compare_with_oracle(small_queue_case(choices, 4), counts);
          }) == 21 * 21 * 21 * 21);
    CHECK(counts.cycles > 0);
}
TEST_CASE("law: a job is eligible exactly if the definitions say so", "[law][queue]") {
    check_random_queues(test_rounds(20'000u));
}
TEST_CASE("law: a job is eligible exactly if the definitions say so, 1,000,000 cases",
          "[law][queue][long]") {
    check_random_queues(1'000'000);
}

}  // namespace trestle
