// SPDX-License-Identifier: Apache-2.0
// A pass is what going over the queue second by second says; no start delays a reservation; the
// same pass again starts nothing.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/place/detail/monotone.hpp"
#include "support/catch.hpp"
#include "support/oracle_time.hpp"
#include "support/seed.hpp"
#include "support/timeline_history.hpp"
#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {
namespace {

using testing::Choices;
using testing::for_random_choices;

/// A queue over a timeline.
struct PassCase {
    TimeOracle oracle;
    Timeline timeline;
    std::vector<QueuedJob> queue;
    Discipline discipline;
};

Discipline any_discipline(Choices& choices) {
    Discipline discipline;
    discipline.order = enum_names(Discipline::Order())[choices.below(3)].value;
    if (!choices.one_in(3)) discipline.reservations_max = Count(static_cast<int>(choices.below(3)));
    if (choices.one_in(4)) discipline.depth = Count(static_cast<int>(choices.below(6)));
    if (choices.one_in(4)) discipline.horizon = Seconds(static_cast<int>(choices.below(8)));
    discipline.spares_idle = choices.one_in(3);
    discipline.is_slack_based = choices.one_in(6);
    return discipline;
}

/// A job that mostly fits some time.
Request any_small_job(Choices& choices) {
    Request request;
    request.nodes = Range<Count>::exactly(Count(1 + static_cast<int>(choices.below(3))));
    request.cpus_per_task = Range<Count>::exactly(Count(1 + static_cast<int>(choices.below(2))));
    if (choices.one_in(4)) request.memory = Range<Bytes>::at_least(gib(1));
    if (choices.one_in(3)) request.exclusivity = Exclusivity::whole_node;
    return request;
}

PassCase any_pass(Choices& choices) {
    TimelineHistory history(choices);
    history.run(8);
    PassCase one{history.oracle(), history.timeline(), {}, any_discipline(choices)};
    for (std::uint64_t i = 2 + choices.below(6); i > 0; --i) {
        Request request = choices.one_in(4) ? history.any_request() : any_small_job(choices);
        request.topology = {};  // whose choice depends on who else is there
        one.queue.push_back({OwnerId(100 + i),
                             request,
                             history.any_duration(),
                             static_cast<std::int64_t>(choices.below(3)) - 1,
                             {}});
        if (!choices.one_in(3)) continue;
        one.queue.back().start_by =
            Instant(one.oracle.now() + static_cast<std::int64_t>(choices.below(12)));
    }
    return one;
}

/// The positions in the order of their turns, the first of the best each time.
std::vector<std::size_t> order_of(const PassCase& one) {
    std::vector<std::size_t> order;
    const auto is_done = [&](std::size_t i) {
        return std::count(order.begin(), order.end(), i) != 0;
    };
    const auto comes_before = [&](const QueuedJob& a, const QueuedJob& b) {
        const auto time = [](const QueuedJob& job) {
            return job.duration ? *job.duration : job.request->time_limit.value_or(Seconds::max());
        };
        if (one.discipline.order == Discipline::Order::by_priority) return a.priority > b.priority;
        return one.discipline.order == Discipline::Order::shortest_first && time(a) < time(b);
    };
    while (order.size() < one.queue.size()) {
        std::optional<std::size_t> best;
        for (std::size_t i = 0; i < one.queue.size(); ++i) {
            if (is_done(i)) continue;
            if (!best || comes_before(one.queue[i], one.queue[*best])) best = i;
        }
        order.push_back(*best);
    }
    return order;
}

struct Expected {
    std::vector<TimedAllocation> starts;
    std::vector<TimedAllocation> reservations;
    std::vector<std::pair<std::size_t, std::optional<Instant>>> waiting;
    std::vector<std::size_t> never;
};

/// Of the jobs that have nothing in the plan.
Expected expected_in(TimeOracle plan, const PassCase& one) {
    Expected expected;
    bool is_blocked = false;
    std::int64_t looked_at = 0;  // and waiting, those that can start one day
    const auto& rules = one.discipline;
    const bool is_strict = rules.reservations_max == Count(0);
    const auto now = Instant(plan.now());
    for (const std::size_t position : order_of(one)) {
        const QueuedJob& job = one.queue[position];
        if (plan.all().contains(job.owner)) continue;
        const auto wait = [&](std::optional<Instant> until) {
            expected.waiting.emplace_back(position, until);
        };
        if (is_blocked || (rules.depth && rules.depth->value() <= looked_at)) {
            wait({});
            continue;
        }
        Placer placer;
        const auto when_idle = placer.place(plan.idle(), job.request);
        if (!when_idle &&
            detail::is_refused_ever(placer, plan.idle(), job.request, when_idle.refusal())) {
            expected.never.push_back(position);
            wait({});
            continue;
        }
        const auto duration = job.duration ? job.duration : job.request->time_limit;
        const auto start = plan.earliest(*job.request, duration, plan.now(), {});
        if (!start || start->period.first != now) ++looked_at;
        if (!start) {
            wait({});
            continue;
        }
        const bool is_now = start->period.first == now;
        const auto reserved = static_cast<std::int64_t>(expected.reservations.size());
        const bool is_reserved =
            (!rules.reservations_max || reserved < rules.reservations_max->value()) &&
            (!rules.horizon || start->period.first.value() <= plan.now() + rules.horizon->value());
        if (!is_now && is_strict) is_blocked = true;
        if (!is_now && !is_reserved) {
            wait({});
            continue;
        }
        const Allocation allocation{job.owner, job.request, start->placement};
        REQUIRE(plan.reserve(allocation, start->period) == StatusCode::kOk);
        (is_now ? expected.starts : expected.reservations).push_back({allocation, start->period});
        if (!is_now) wait(start->period.first);
    }
    return expected;
}

/// When each job starts, by position; nothing where that is not known.
std::vector<std::optional<Instant>> starts_in(const Expected& plan, const PassCase& one) {
    std::vector<std::optional<Instant>> starts(one.queue.size(), Instant(one.oracle.now()));
    for (const auto& [position, until] : plan.waiting) starts[position] = until;
    return starts;
}

/// As Discipline::slack_based() has it: each job in its turn is tried ahead of
/// it.
Expected expected_with_slack(const PassCase& one) {
    PassCase plain = one;
    plain.discipline = Discipline::conservative(one.discipline.order);
    TimeOracle now = one.oracle;
    Expected plan = expected_in(now, plain);
    std::vector<TimedAllocation> ahead;
    const auto is_better = [&](const Expected& then) {
        const auto before = starts_in(plan, one);
        const auto after = starts_in(then, one);
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < one.queue.size(); ++i) {
            if (!before[i]) continue;
            if (!after[i]) return false;
            sum += (after[i]->value() - before[i]->value());
            if (*after[i] > std::max(*before[i], one.queue[i].start_by.value_or(*before[i]))) {
                return false;
            }
        }
        return sum < 0;
    };
    for (const std::size_t position : order_of(one)) {
        const QueuedJob& job = one.queue[position];
        const auto planned = starts_in(plan, one)[position];
        if (!planned || planned == Instant(now.now())) continue;
        const auto duration = job.duration ? job.duration : job.request->time_limit;
        const auto found = now.earliest(*job.request, duration, now.now(), {});
        if (!found || found->period.first != Instant(now.now())) continue;
        const TimedAllocation given{{job.owner, job.request, found->placement}, found->period};
        TimeOracle with = now;
        REQUIRE(with.reserve(given.allocation, given.period) == StatusCode::kOk);
        Expected then = expected_in(with, plain);
        if (!is_better(then)) continue;
        plan = std::move(then);
        now = std::move(with);
        ahead.push_back(given);
    }
    plan.starts.insert(plan.starts.begin(), ahead.begin(), ahead.end());
    return plan;
}

Expected expected_of(const PassCase& one) {
    return one.discipline.is_slack_based ? expected_with_slack(one) : expected_in(one.oracle, one);
}

/// Someone has, or asks for, thousandths of CPUs.
bool has_thousandths(const PassCase& one) {
    const auto parts_have = [](const auto& reservation) {
        const auto& nodes = reservation.second.allocation.placement.nodes;
        return std::any_of(nodes.begin(), nodes.end(),
                           [](const NodePlacement& part) { return !part.milli_cpus.is_zero(); });
    };
    return std::any_of(one.oracle.all().begin(), one.oracle.all().end(), parts_have) ||
           std::any_of(one.queue.begin(), one.queue.end(),
                       [](const QueuedJob& job) { return !job.request->milli_cpus.is_zero(); });
}

/// Where reservations spare idle nodes: up to the first of them all is as where they do not, and
/// what starts and what was reserved goes together.
void check_sparing(const PassCase& one) {
    const PassResult result = *schedule_pass(one.timeline, one.queue, one.discipline);
    Discipline by_policy = one.discipline;
    by_policy.spares_idle = false;
    const PassResult other = *schedule_pass(one.timeline, one.queue, by_policy);
    REQUIRE(result.reservations.empty() == other.reservations.empty());
    if (result.reservations.empty()) {
        REQUIRE(result == other);
    } else {
        const TimedAllocation& first = result.reservations.front();
        REQUIRE(first.period == other.reservations.front().period);
        REQUIRE(first.allocation.owner == other.reservations.front().allocation.owner);
    }
    REQUIRE(result.starts.size() + result.waiting.size() == one.queue.size());
    Timeline after = one.timeline;
    for (const auto* all : {&result.starts, &result.reservations}) {
        for (const TimedAllocation& given : *all) {
            REQUIRE(after.reserve(given.allocation, given.period).ok());
        }
    }
}

void check_passes(std::uint64_t cases) {
    std::uint64_t starts = 0;
    std::uint64_t never = 0;
    std::uint64_t reservations = 0;
    std::uint64_t overtaken = 0;
    std::uint64_t compared = 0;
    std::uint64_t ahead = 0;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), cases}, [&](Choices& choices) {
        PassCase one = any_pass(choices);
        const bool has_slack = one.discipline.is_slack_based;
        if (one.discipline.spares_idle && !has_slack) check_sparing(one);
        one.discipline.spares_idle = false;
        StartFinder finder;
        const auto result = schedule_pass(one.timeline, one.queue, one.discipline, finder);
        REQUIRE(result.ok());
        const Expected expected = expected_of(one);
        REQUIRE(result->starts == expected.starts);
        REQUIRE(result->reservations == expected.reservations);
        REQUIRE(result->waiting.size() == expected.waiting.size());
        for (std::size_t i = 0; i < expected.waiting.size(); ++i) {
            REQUIRE(result->waiting[i].job == expected.waiting[i].first);
            REQUIRE(result->waiting[i].until == expected.waiting[i].second);
            REQUIRE(!result->waiting[i].why.reason.empty());
            const bool is_never = std::count(expected.never.begin(), expected.never.end(),
                                             expected.waiting[i].first) != 0;
            REQUIRE(result->waiting[i].can_start == !is_never);
        }
        never += expected.never.size();
        REQUIRE(*schedule_pass(one.timeline, one.queue, one.discipline) == *result);

        // What starts and what was reserved goes together. Starts delay no reservation and another
        // pass starts nothing; it may reserve other places, since its policy sees who has
        // started, and then other times to those behind the first. That is all but where
        // thousandths of CPUs lie on other cores at other moments: they count as taken
        // (least_free.hpp), and which ones do so depends on who has started.
        Timeline after = one.timeline;
        for (const TimedAllocation& start : result->starts) {
            REQUIRE(after.reserve(start.allocation, start.period).ok());
        }
        std::vector<QueuedJob> left;
        for (const QueuedJob& job : one.queue) {
            if (!after.period_of(job.owner)) left.push_back(job);
        }
        const auto again = schedule_pass(after, left, one.discipline, finder);
        REQUIRE(again.ok());
        if (!has_thousandths(one) && !has_slack) {
            ++compared;
            REQUIRE(again->starts.empty());
            REQUIRE(again->reservations.empty() == result->reservations.empty());
            if (!again->reservations.empty()) {
                REQUIRE(again->reservations.front().allocation.owner ==
                        result->reservations.front().allocation.owner);
                REQUIRE(again->reservations.front().period == result->reservations.front().period);
            }
        }
        for (const TimedAllocation& reservation : result->reservations) {
            REQUIRE(after.reserve(reservation.allocation, reservation.period).ok());
        }
        starts += result->starts.size();
        Discipline plain = Discipline::conservative(one.discipline.order);
        plain.spares_idle = false;
        const auto in_turn = schedule_pass(one.timeline, one.queue, plain);
        if (has_slack && in_turn->starts != result->starts) ++ahead;
        reservations += result->reservations.size();
        if (!result->starts.empty() && !result->reservations.empty()) ++overtaken;
    });
    CHECK(starts > cases / 2);
    CHECK(reservations > cases / 5);
    CHECK(never > cases / 10);
    CHECK(overtaken > cases / 10);
    CHECK(compared > cases / 3);
    CHECK(ahead > cases / 200);
}

}  // namespace

TEST_CASE("law: a pass is what going over the queue second by second says", "[law][time]") {
    check_passes(test_rounds(2'400u));
}
TEST_CASE("law: a pass is what going over the queue second by second says, 20,000 cases",
          "[law][time][slow]") {
    check_passes(20'000);
}
TEST_CASE("law: a pass is what going over the queue second by second says, a million cases",
          "[law][time][long]") {
    check_passes(1'000'000);
}

}  // namespace trestle
