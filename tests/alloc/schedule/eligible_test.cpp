// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/eligible.hpp"
#include "trestle/alloc/schedule/requeue.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/codes.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;

static_assert(lists_all_fields<Dependency>);
static_assert(lists_all_fields<StartConditions>);
static_assert(lists_all_fields<QueueState::Array>);
static_assert(lists_all_fields<JobRecord>);
static_assert(lists_all_fields<QueueState>);
static_assert(lists_all_fields<EligibleJobs>);
static_assert(lists_all_fields<RequeueRules>);

/// Jobs that want anything.
std::vector<QueuedJob> queue_of_owners(const std::vector<std::uint64_t>& owners) {
    std::vector<QueuedJob> queue;
    for (const std::uint64_t owner : owners) queue.push_back({OwnerId(owner), {}, {}});
    return queue;
}
StartConditions terms_of_job(std::uint64_t owner, std::vector<Dependency> dependencies = {}) {
    StartConditions conditions;
    conditions.owner = OwnerId(owner);
    conditions.dependencies = std::move(dependencies);
    return conditions;
}
StartConditions any_terms_of_job(std::uint64_t owner, std::vector<Dependency> dependencies) {
    StartConditions conditions = terms_of_job(owner, std::move(dependencies));
    conditions.is_any_of = true;
    return conditions;
}
StartConditions named_job(std::uint64_t owner, std::vector<Dependency> dependencies = {
                                                   {Dependency::Kind::singleton, {}, {}, {}}}) {
    StartConditions conditions = terms_of_job(owner, std::move(dependencies));
    conditions.name = "ann/train";
    return conditions;
}
StartConditions task_of_array(std::uint64_t owner, std::uint64_t array) {
    StartConditions conditions = terms_of_job(owner);
    conditions.array = ArrayId(array);
    return conditions;
}
Dependency waiting_for(Dependency::Kind kind, const std::vector<std::uint64_t>& owners,
                       std::int64_t delay = 0) {
    Dependency one{kind, {}, Seconds(delay), {}};
    for (const std::uint64_t owner : owners) one.jobs.push_back(OwnerId(owner));
    return one;
}
Dependency waiting_for_array(Dependency::Kind kind, std::uint64_t array,
                             const std::vector<std::uint64_t>& owners = {}) {
    Dependency one = waiting_for(kind, owners);
    one.array = ArrayId(array);
    return one;
}
JobRecord end_of_job(std::uint64_t owner, JobRecord::Phase phase, std::int64_t start,
                     std::int64_t end) {
    return {OwnerId(owner), phase, Instant(start), Instant(end)};
}
JobRecord runs_from(std::uint64_t owner, std::int64_t start) {
    return {OwnerId(owner), JobRecord::Phase::running, Instant(start), {}};
}

/// `1 2; 3: why; 4 until 7: why; 5 never: why`, each part where there are such.
std::string said_of(const EligibleJobs& found, const std::vector<QueuedJob>& queue) {
    std::string text;
    for (const QueuedJob& job : found.eligible) {
        text += fmt::format("{}{}", text.empty() ? "" : " ", job.owner);
    }
    const auto add = [&](const PassResult::Waiting& one, const std::string& when) {
        text += fmt::format("{}{}{}: {}", text.empty() ? "" : "; ", queue[one.job].owner, when,
                            one.why.reason);
    };
    for (const PassResult::Waiting& one : found.waiting) {
        add(one, one.until ? fmt::format(" until {}", *one.until) : "");
    }
    for (const PassResult::Waiting& one : found.never) add(one, " never");
    return text;
}

}  // namespace

TEST_CASE("eligible_jobs: what a job waits for, at moment 10", "[alloc][queue]") {
    using enum Dependency::Kind;
    using enum JobRecord::Phase;
    struct Row {
        const char* why;
        std::vector<std::uint64_t> queue;
        QueueState state;
        const char* shown;
    };
    StartConditions late = terms_of_job(1);
    late.begin = Instant(11);
    StartConditions now = terms_of_job(2);
    now.begin = Instant(10);
    StartConditions late_task = task_of_array(1, 7);
    late_task.begin = Instant(11);
    StartConditions later_task = task_of_array(1, 7);
    later_task.begin = Instant(20);
    StartConditions late_task_2 = task_of_array(2, 7);
    late_task_2.begin = Instant(11);
    StartConditions own_array = task_of_array(1, 7);
    own_array.dependencies = {waiting_for_array(afterok, 7)};
    StartConditions late_after = terms_of_job(1, {waiting_for(after, {5}, 4)});
    late_after.begin = Instant(20);
    StartConditions held = terms_of_job(1, {waiting_for(afterok, {2})});
    held.is_held = true;
    StartConditions held_never = terms_of_job(1, {waiting_for(afterok, {5})});
    held_never.is_held = true;
    const std::vector<JobRecord> one_of_each{runs_from(4, 3),
                                             end_of_job(5, completed, 1, 8),
                                             end_of_job(6, failed, 2, 9),
                                             {OwnerId(7), cancelled, {}, Instant(6)}};
    const std::vector<JobRecord> with_5_failed{end_of_job(5, failed, 1, 8)};
    const std::vector<Row> rows{
        {"no conditions at all", {1, 2}, {}, "1 2"},
        {"begin times", {1, 2}, {{late, now}, {}, {}}, "2; 1 until 11: begins not before 11"},
        {"held, whatever else", {1, 2}, {{held}, {}, {}}, "2; 1: is held"},
        {"but there is no use in waiting",
         {1},
         {{held_never}, with_5_failed, {}},
         "1 never: afterok of owner 5, which failed"},
        {"started, or ended without a start",
         {1},
         {{terms_of_job(1, {waiting_for(after, {4, 5, 6, 7})})}, one_of_each, {}},
         "1"},
        {"who waits has not started",
         {1, 2},
         {{terms_of_job(1, {waiting_for(after, {4, 2})})}, one_of_each, {}},
         "2; 1: after of owner 2, which waits itself"},
        {"so long after the last start, or end without one",
         {1},
         {{terms_of_job(1, {waiting_for(after, {4, 5, 7}, 6)})}, one_of_each, {}},
         "1 until 12: after of owner 7: not before 12"},
        {"begin and delay: the later one",
         {1},
         {{late_after}, one_of_each, {}},
         "1 until 20: begins not before 20"},
        {"ended in any way",
         {1},
         {{terms_of_job(1, {waiting_for(afterany, {5, 6, 7})})}, one_of_each, {}},
         "1"},
        {"who runs has not ended",
         {1},
         {{terms_of_job(1, {waiting_for(afterany, {5, 4})})}, one_of_each, {}},
         "1: afterany of owner 4, which runs"},
        {"ended well", {1}, {{terms_of_job(1, {waiting_for(afterok, {5})})}, one_of_each, {}}, "1"},
        {"one bad end is enough for never",
         {1},
         {{terms_of_job(1, {waiting_for(afterok, {4, 6})})}, one_of_each, {}},
         "1 never: afterok of owner 6, which failed"},
        {"cancelled is not well",
         {1},
         {{terms_of_job(1, {waiting_for(afterok, {7})})}, one_of_each, {}},
         "1 never: afterok of owner 7, which was cancelled"},
        {"one of them not well",
         {1},
         {{terms_of_job(1, {waiting_for(afternotok, {5, 6})})}, one_of_each, {}},
         "1"},
        {"when all have ended",
         {1},
         {{terms_of_job(1, {waiting_for(afternotok, {4, 6})})}, one_of_each, {}},
         "1: afternotok of owner 4, which runs"},
        {"all were well",
         {1},
         {{terms_of_job(1, {waiting_for(afternotok, {5})})}, one_of_each, {}},
         "1 never: afternotok of owner 5, which ended well"},
        {"who has gone gives way",
         {1},
         {{terms_of_job(1, {waiting_for(after, {8}, 90), waiting_for(afterok, {8}),
                            waiting_for(afternotok, {8})})},
          {},
          {}},
         "1"},
        {"also where nothing but its conditions is left",
         {1},
         {{terms_of_job(1, {waiting_for(afterany, {8})}), terms_of_job(8)}, {}, {}},
         "1"},
        {"all dependencies",
         {1},
         {{terms_of_job(1, {waiting_for(afterok, {5}), waiting_for(afterany, {4})})},
          one_of_each,
          {}},
         "1: afterany of owner 4, which runs"},
        {"or any of them",
         {1},
         {{any_terms_of_job(1, {waiting_for(afterany, {4}), waiting_for(afterok, {5})})},
          one_of_each,
          {}},
         "1"},
        {"the first moment of any of them",
         {1},
         {{any_terms_of_job(1, {waiting_for(after, {5}, 14), waiting_for(after, {4}, 9)})},
          one_of_each,
          {}},
         "1 until 12: after of owner 4: not before 12"},
        {"never is when none can be met",
         {1, 2},
         {{any_terms_of_job(1, {waiting_for(afterok, {6}), waiting_for(afternotok, {5})}),
           any_terms_of_job(2, {waiting_for(afterok, {6}), waiting_for(afterany, {4})})},
          one_of_each,
          {}},
         "2: afterany of owner 4, which runs; 1 never: afterok of owner 6, which failed"},
        {"who waits for what cannot start waits on: that one may be cancelled",
         {1, 2},
         {{terms_of_job(1, {waiting_for(afterok, {6})}),
           terms_of_job(2, {waiting_for(afternotok, {1})})},
          one_of_each,
          {}},
         "2: afternotok of owner 1, which waits itself; "
         "1 never: afterok of owner 6, which failed"},
        {"one of a name at a time: the first in the queue",
         {2, 1},
         {{named_job(1), named_job(2)}, {}, {}},
         "2; 1: singleton of owner 2, which stands before it"},
        {"who does not say singleton waits for none, but is waited for",
         {2, 1, 3},
         {{named_job(1, {}), named_job(2, {}), named_job(3)}, {}, {}},
         "2 1; 3: singleton of owner 1, which stands before it"},
        {"who runs comes first",
         {1},
         {{named_job(1), named_job(4)}, one_of_each, {}},
         "1: singleton of owner 4, which runs"},
        {"of several the one with the lowest number",
         {1},
         {{named_job(1), named_job(4), named_job(2)}, {runs_from(4, 1), runs_from(2, 2)}, {}},
         "1: singleton of owner 2, which runs"},
        {"who has ended stands in nobody's way",
         {1},
         {{named_job(1), named_job(5)}, one_of_each, {}},
         "1"},
        {"as many tasks as there is room for, in the queue's order",
         {3, 1, 2, 9},
         {{task_of_array(1, 7), task_of_array(2, 7), task_of_array(3, 7), task_of_array(4, 7),
           task_of_array(5, 7)},
          one_of_each,
          {{ArrayId(7), Count(2)}}},
         "3 9; 1: array 7 has its 2 at once; 2: array 7 has its 2 at once"},
        {"more may run than should",
         {1},
         {{task_of_array(1, 7), task_of_array(4, 7), task_of_array(5, 7)},
          {runs_from(4, 1), runs_from(5, 2)},
          {{ArrayId(7), Count(1)}}},
         "1: array 7 has its 1 at once"},
        {"time alone does not make room in an array",
         {1, 2},
         {{late_task, task_of_array(2, 7), task_of_array(4, 7)},
          one_of_each,
          {{ArrayId(7), Count(1)}}},
         "1: begins not before 11; 2: array 7 has its 1 at once"},
        {"nor does it before those in front",
         {1, 2, 3},
         {{later_task, late_task_2, task_of_array(3, 7)}, {}, {{ArrayId(7), Count(2)}}},
         "3; 1 until 20: begins not before 20; 2 until 11: begins not before 11"},
        {"of whom some may be ready by then",
         {2, 1, 3},
         {{later_task, late_task_2, task_of_array(3, 7)}, {}, {{ArrayId(7), Count(1)}}},
         "3; 2 until 11: begins not before 11; 1: begins not before 20"},
        {"all tasks of an array",
         {1, 2},
         {{terms_of_job(1, {waiting_for_array(afterany, 7)}), task_of_array(2, 7),
           task_of_array(5, 7)},
          one_of_each,
          {}},
         "2; 1: afterany of owner 2, which waits itself"},
        {"and other jobs",
         {1},
         {{terms_of_job(1, {waiting_for_array(afterany, 7, {4})}), task_of_array(5, 7)},
          one_of_each,
          {}},
         "1: afterany of owner 4, which runs"},
        {"one of its tasks failed",
         {1, 2},
         {{terms_of_job(1, {waiting_for_array(afterok, 7)}),
           terms_of_job(2, {waiting_for_array(afternotok, 7)}), task_of_array(6, 7),
           task_of_array(5, 7)},
          one_of_each,
          {}},
         "2; 1 never: afterok of owner 6, which failed"},
        {"none of them did",
         {1},
         {{terms_of_job(1, {waiting_for_array(afternotok, 7)}), task_of_array(5, 7)},
          one_of_each,
          {}},
         "1 never: afternotok of owner 5, which ended well"},
        {"an array of which nothing is known has gone",
         {1},
         {{terms_of_job(1, {waiting_for_array(afterok, 8), waiting_for_array(afternotok, 8)})},
          one_of_each,
          {}},
         "1"},
        {"in a circle, and behind it: others may start",
         {1, 2, 3, 9},
         {{terms_of_job(1, {waiting_for(afterany, {2})}),
           terms_of_job(2, {waiting_for(after, {1})}),
           terms_of_job(3, {waiting_for(afterany, {2})})},
          {},
          {}},
         "9; 3: afterany of owner 2, which waits itself, behind a cycle of jobs; "
         "1 never: afterany of owner 2, which waits for it in turn; "
         "2 never: after of owner 1, which waits for it in turn"},
        {"behind itself",
         {1, 2},
         {{terms_of_job(1, {waiting_for(afterok, {1})}),
           terms_of_job(2, {waiting_for_array(after, 7)}), task_of_array(3, 7)},
          {},
          {}},
         "2; 1 never: afterok of owner 1, which it is itself"},
        {"a task behind its own array",
         {1, 2},
         {{own_array, task_of_array(2, 7)}, {}, {}},
         "2; 1 never: afterok of array 7, which waits for it in turn"},
        {"over a name",
         {1, 2},
         {{named_job(1, {waiting_for(afterok, {2})}), named_job(2)}, {}, {}},
         "1 never: afterok of owner 2, which waits for it in turn; "
         "2 never: singleton: one of its name in front waits for it in turn"},
        {"another way leads out",
         {1, 2},
         {{any_terms_of_job(1, {waiting_for(after, {2}), waiting_for(afterany, {4})}),
           terms_of_job(2, {waiting_for(after, {1})})},
          one_of_each,
          {}},
         "1: after of owner 2, which waits itself; 2: after of owner 1, which waits itself"},
        {"or has been gone already",
         {1, 2},
         {{any_terms_of_job(1, {waiting_for(afterany, {5}), waiting_for(afterany, {2})}),
           terms_of_job(2, {waiting_for(afterany, {1})})},
          one_of_each,
          {}},
         "1; 2: afterany of owner 1, which waits itself"},
        {"an array without a throttle",
         {1, 2},
         {{task_of_array(1, 7), task_of_array(2, 7)}, {}, {{ArrayId(8), Count(1)}}},
         "1 2"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto queue = queue_of_owners(row.queue);
        const auto found = eligible_jobs(queue, row.state, Instant(10));
        INFO(found.status().ToString());
        REQUIRE(found.ok());
        CHECK(said_of(*found, queue) == row.shown);
    }
}

TEST_CASE("eligible_jobs: a task that waits for something else takes no turn", "[alloc][queue]") {
    QueueState state{{task_of_array(1, 7), task_of_array(2, 7), task_of_array(3, 7)},
                     {},
                     {{ArrayId(7), Count(1)}}};
    state.conditions[0].is_held = true;
    const auto queue = queue_of_owners({1, 2, 3});
    CHECK(said_of(*eligible_jobs(queue, state, Instant(0)), queue) ==
          "2; 1: is held; 3: array 7 has its 1 at once");
}

TEST_CASE("check_cycles: the owners of a cycle", "[alloc][queue]") {
    using enum Dependency::Kind;
    struct Row {
        const char* why;
        std::vector<std::uint64_t> queue;
        QueueState state;
        const char* words;
    };
    StartConditions own_task = task_of_array(2, 7);
    own_task.dependencies = {waiting_for(afterok, {1})};
    const std::vector<Row> rows{
        {"itself",
         {1},
         {{terms_of_job(1, {waiting_for(afterok, {1})})}, {}, {}},
         "owner 1 waits for owner 1"},
        {"a cycle, from the first in the queue on",
         {9, 5, 3, 4},
         {{terms_of_job(3, {waiting_for(afterok, {4})}),
           terms_of_job(4, {waiting_for(after, {8, 5})}),
           terms_of_job(5, {waiting_for(afterany, {3})}),
           terms_of_job(9, {waiting_for(after, {4})})},
          {},
          {}},
         "owner 5 waits for owner 3 waits for owner 4 waits for owner 5"},
        {"also where another way leads out",
         {1, 2},
         {{any_terms_of_job(1, {waiting_for(after, {2}), waiting_for(afterany, {8})}),
           terms_of_job(2, {waiting_for(after, {1})})},
          {runs_from(8, 0)},
          {}},
         "owner 1 waits for owner 2 waits for owner 1"},
        {"over an array",
         {1, 2},
         {{terms_of_job(1, {waiting_for_array(afterok, 7)}), own_task}, {}, {}},
         "owner 1 waits for owner 2 waits for owner 1"},
        {"over a name, past one in between",
         {1, 2, 3},
         {{named_job(1, {waiting_for(afterok, {3})}), named_job(2, {}), named_job(3)}, {}, {}},
         "owner 1 waits for owner 3 waits for owner 1"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const Status found = check_cycles(queue_of_owners(row.queue), row.state);
        CHECK(found.code() == invalid);
        CHECK(message(found) == row.words);
    }
    const QueueState met{
        {any_terms_of_job(1, {waiting_for(afterany, {3}), waiting_for(after, {2})}),
         terms_of_job(2, {waiting_for(afterany, {1})})},
        {end_of_job(3, JobRecord::Phase::failed, 0, 1)},
        {}};
    CHECK(check_cycles(queue_of_owners({1, 2}), met).ok());
    CHECK(check_cycles(queue_of_owners({1, 1}), {}).code() == refused);
}

TEST_CASE("eligible_jobs: what is no queue", "[alloc][queue]") {
    using enum Dependency::Kind;
    using enum JobRecord::Phase;
    struct Row {
        const char* why;
        std::vector<std::uint64_t> queue;
        QueueState state;
        StatusCode code;
        const char* words;
    };
    const std::vector<Row> rows{
        {"an owner stands once", {1, 2, 1}, {}, refused, "owner 1 stands twice in the queue"},
        {"who runs does not wait",
         {1},
         {{}, {runs_from(1, 0)}, {}},
         refused,
         "owner 1: running, but it stands in the queue"},
        {"one record",
         {},
         {{}, {runs_from(1, 0), end_of_job(1, failed, 0, 1)}, {}},
         refused,
         "owner 1: failed, but it has a record"},
        {"conditions once",
         {},
         {{terms_of_job(1), terms_of_job(1)}, {}, {}},
         refused,
         "owner 1 has conditions twice"},
        {"an array's too",
         {},
         {{}, {}, {{ArrayId(7), Count(1)}, {ArrayId(7), Count(2)}}},
         refused,
         "array 7 has conditions twice"},
        {"some task runs",
         {},
         {{}, {}, {{ArrayId(7), Count(0)}}},
         invalid,
         "array 7: 0 tasks at once"},
        {"after whom",
         {},
         {{terms_of_job(1, {waiting_for(afterok, {})})}, {}, {}},
         invalid,
         "owner 1: afterok: expected one job or more, or an array"},
        {"singleton is about nobody else",
         {},
         {{named_job(1, {waiting_for(singleton, {2})})}, {}, {}},
         invalid,
         "owner 1: singleton: expected neither jobs"},
        {"nor about an array",
         {},
         {{named_job(1, {waiting_for_array(singleton, 7)})}, {}, {}},
         invalid,
         "owner 1: singleton: expected neither jobs"},
        {"nor about time",
         {},
         {{named_job(1, {waiting_for(singleton, {}, 1)})}, {}, {}},
         invalid,
         "owner 1: singleton: expected neither jobs nor a delay"},
        {"by which name",
         {},
         {{terms_of_job(1, {waiting_for(singleton, {})})}, {}, {}},
         invalid,
         "owner 1: singleton: expected a name"},
        {"who runs has started",
         {},
         {{}, {{OwnerId(1), running, {}, {}}}, {}},
         invalid,
         "owner 1: running: expected the moment of its start"},
        {"and has not ended",
         {},
         {{}, {end_of_job(1, running, 0, 1)}, {}},
         invalid,
         "owner 1: running: expected no end"},
        {"who has ended did so at some time",
         {},
         {{}, {{OwnerId(1), cancelled, Instant(1), {}}}, {}},
         invalid,
         "owner 1: cancelled: expected the moment of its end"},
        {"and well only after a start",
         {},
         {{}, {{OwnerId(1), completed, {}, Instant(1)}}, {}},
         invalid,
         "owner 1: completed: expected the moment of its start"},
        {"in this order",
         {},
         {{}, {end_of_job(1, failed, 2, 1)}, {}},
         invalid,
         "owner 1: failed: expected an end that is not before the start"},
        {"nothing of the future",
         {},
         {{}, {end_of_job(1, failed, 2, 11)}, {}},
         invalid,
         "owner 1: failed at 11: expected by now, 10"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto found = eligible_jobs(queue_of_owners(row.queue), row.state, Instant(10));
        CHECK(found.status().code() == row.code);
        CHECK_THAT(std::string(message(found.status())), ContainsSubstring(row.words));
    }
}

TEST_CASE("eligible_jobs: a long chain, and its ends tied together", "[alloc][queue]") {
    using enum Dependency::Kind;
    using enum JobRecord::Phase;
    constexpr std::uint64_t jobs = 30'000;
    std::vector<QueuedJob> queue;
    QueueState state;
    for (std::uint64_t owner = 1; owner <= jobs; ++owner) {
        queue.push_back({OwnerId(owner), {}, {}});
        if (owner < jobs)
            state.conditions.push_back(terms_of_job(owner, {waiting_for(afterok, {owner + 1})}));
    }
    const auto found = eligible_jobs(queue, state, Instant(0));
    REQUIRE(found.ok());
    REQUIRE(found->eligible.size() == 1);
    CHECK(found->eligible[0].owner == OwnerId(jobs));
    state.conditions.push_back(terms_of_job(jobs, {waiting_for(afterok, {1})}));
    const std::string words(message(check_cycles(queue, state)));
    CHECK_THAT(words, Catch::Matchers::StartsWith("owner 1 waits for owner 2 waits for"));
    CHECK_THAT(words, Catch::Matchers::EndsWith("owner 30000 waits for owner 1"));
    queue.push_back({OwnerId(jobs + 1), {}, {}});
    const auto with_another = eligible_jobs(queue, state, Instant(0));
    REQUIRE(with_another.ok());
    CHECK(with_another->never.size() == jobs);
    CHECK(with_another->eligible.size() == 1);
}

TEST_CASE("requeued: later, and held after too many", "[alloc][queue]") {
    using enum Dependency::Kind;
    using enum JobRecord::Phase;
    struct Row {
        const char* why;
        std::optional<Instant> begin;
        Count requeues;
        RequeueRules rules;
        Instant begin_then;
        bool is_held;
    };
    const std::vector<Row> rows{
        {"at once", {}, Count(0), {}, Instant(8), false},
        {"a delay", {}, Count(3), {Seconds(5), {}}, Instant(13), false},
        {"its own begin stays where it is later",
         Instant(20),
         Count(0),
         {Seconds(5), {}},
         Instant(20),
         false},
        {"or else has passed", Instant(2), Count(0), {Seconds(5), {}}, Instant(13), false},
        {"as often as it may", {}, Count(1), {{}, Count(2)}, Instant(8), false},
        {"and once more", {}, Count(2), {{}, Count(2)}, Instant(8), true},
        {"never", {}, Count(0), {{}, Count(0)}, Instant(8), true},
        {"for ever", {}, Count(0), {Seconds::max(), {}}, Instant::max(), false},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        StartConditions conditions = named_job(5, {waiting_for(afterok, {2})});
        conditions.begin = row.begin;
        conditions.requeues = row.requeues;
        const auto next = requeued(conditions, end_of_job(5, failed, 1, 8), row.rules);
        REQUIRE(next.ok());
        conditions.begin = row.begin_then;
        conditions.requeues = row.requeues + Count(1);
        conditions.is_held = row.is_held;
        CHECK(*next == conditions);
    }
    StartConditions held = terms_of_job(5);
    held.is_held = true;
    CHECK(requeued(held, end_of_job(5, failed, 1, 8))->is_held);
    CHECK(requeued(held, runs_from(5, 1)).status().code() == refused);
    CHECK(requeued(held, end_of_job(6, failed, 1, 8)).status().code() == invalid);
    CHECK(requeued(held, end_of_job(5, failed, 8, 1)).status().code() == invalid);
    CHECK(requeued(terms_of_job(5, {waiting_for(after, {})}), end_of_job(5, failed, 1, 8))
              .status()
              .code() == invalid);
}

}  // namespace trestle
