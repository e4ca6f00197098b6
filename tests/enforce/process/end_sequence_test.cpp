// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/process/end_sequence.hpp"

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "support/catch.hpp"
#include "support/oracle_end.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/clock.hpp"

namespace {

using namespace trestle;
using testing::seconds;

static_assert(lists_all_fields<EndSequence::Action>);

constexpr std::int64_t job_start = 1000;  ///< of the clock

Microseconds clock_at(std::int64_t since_start) { return seconds(job_start + since_start); }

std::optional<Seconds> as_seconds(std::optional<std::int64_t> number) {
    return number ? std::optional(Seconds(*number)) : std::nullopt;
}

EndPolicy policy_of(const EndWish& wish) {
    EndPolicy policy;
    policy.time_limit = as_seconds(wish.limit);
    policy.over_time = Seconds(wish.over_time);
    if (wish.warn_before)
        policy.warning = {10, Seconds(*wish.warn_before), EndPolicy::Target::leader};
    policy.grace = Seconds(wish.grace);
    return policy;
}

std::vector<EndSequence::Action::Stage> stages_of(const std::vector<EndSequence::Action>& actions) {
    std::vector<EndSequence::Action::Stage> stages;
    for (const EndSequence::Action& action : actions) stages.push_back(action.stage);
    return stages;
}

std::vector<EndSequence::Action::Stage> make_call(EndSequence& sequence, const EndCall& call) {
    switch (call.kind) {
        case EndCall::Kind::advance:
            return stages_of(sequence.advance(clock_at(call.at)));
        case EndCall::Kind::stop:
            sequence.stop(call.cause, clock_at(call.at), as_seconds(call.grace));
            break;
        case EndCall::Kind::set_time_limit:
            sequence.set_time_limit(as_seconds(call.limit), clock_at(call.at));
            break;
    }
    return {};
}

/// One history of calls on machine and oracle, with the laws that hold between any two calls.
class SideBySide {
  public:
    explicit SideBySide(const EndWish& wish)
        : wish_(wish), sequence_(policy_of(wish), clock_at(0)) {}

    [[nodiscard]] bool agree_on(const EndCall& call) {
        calls_.push_back(call);
        latest_ = std::max(latest_, call.at);
        const auto before = sequence_.cause();
        const auto stages = make_call(sequence_, call);
        const EndAnswer wanted = oracle_end(wish_, calls_, handed_out_);
        handed_out_.push_back(stages);
        for (const EndSequence::Action::Stage stage : stages) {
            if (last_ && *last_ >= stage) return false;  // at most once, and in order
            last_ = stage;
        }
        if (before && sequence_.cause() != before) return false;  // the first one is kept
        return EndAnswer{stages, sequence_.cause()} == wanted && is_next_right();
    }
    [[nodiscard]] std::string history() const {
        std::string text = to_text(policy_of(wish_));
        for (const EndCall& call : calls_) {
            text += fmt::format("\n{} at {} cause={} grace={} limit={}",
                                static_cast<int>(call.kind), call.at, to_text(call.cause),
                                call.grace.value_or(-1), call.limit.value_or(-1));
        }
        return text;
    }

  private:
    /// next_at() is the first moment at which advance() does something.
    [[nodiscard]] bool is_next_right() const {
        const auto next = sequence_.next_at();
        EndSequence other = sequence_;
        if (!next) return other.advance(clock_at(1'000'000)).empty();
        if (*next > clock_at(latest_) && !other.advance(*next - Microseconds(1)).empty()) {
            return false;
        }
        return !other.advance(*next).empty();
    }

    EndWish wish_;
    EndSequence sequence_;
    std::vector<EndCall> calls_;
    std::vector<std::vector<EndSequence::Action::Stage>> handed_out_;
    std::int64_t latest_ = 0;
    std::optional<EndSequence::Action::Stage> last_;
};

std::vector<EndWish> small_wishes() {
    const std::optional<std::int64_t> limits[] = {std::nullopt, 0, 2};
    const std::optional<std::int64_t> warnings[] = {std::nullopt, 1, 9};
    std::vector<EndWish> wishes;
    for (const auto& limit : limits) {
        for (const auto& warning : warnings) {
            for (const std::int64_t over : {std::int64_t{0}, std::int64_t{1}, EndWish::never}) {
                for (const std::int64_t grace : {0, 1, 3}) {
                    wishes.push_back({limit, over, warning, grace});
                }
            }
        }
    }
    return wishes;
}

/// Every call that may follow one at `at`: the clock stands, ticks, jumps or runs backwards.
std::vector<EndCall> calls_after(std::int64_t at) {
    using Kind = EndCall::Kind;
    return {{Kind::advance, at},
            {Kind::advance, at + 1},
            {Kind::advance, at + 4},
            {Kind::advance, at - 1},
            {Kind::stop, at, JobEnd::Cause::user_stop},
            {Kind::stop, at + 1, JobEnd::Cause::preempted, 1},
            {Kind::stop, at + 1, JobEnd::Cause::shutdown, 0},
            {Kind::set_time_limit, at + 1, JobEnd::Cause::user_stop, {}, 3},
            {Kind::set_time_limit, at, JobEnd::Cause::user_stop, {}, {}}};
}

/// The number of histories looked at, or 0 after the first disagreement, which is reported.
std::size_t count_agreements(const SideBySide& before, std::int64_t at, int depth) {
    std::size_t count = 1;
    if (depth == 0) return count;
    for (const EndCall& call : calls_after(at)) {
        SideBySide both = before;
        if (!both.agree_on(call)) {
            FAIL_CHECK(both.history());
            return 0;
        }
        const std::size_t more = count_agreements(both, call.at, depth - 1);
        if (more == 0) return 0;
        count += more;
    }
    return count;
}

TEST_CASE("EndSequence: all short histories are as the oracle has them",
          "[enforce][law][unsanitized]") {
    std::size_t count = 0;
    for (const EndWish& wish : small_wishes()) {
        const std::size_t more = count_agreements(SideBySide(wish), 0, 4);
        if (more == 0) return;
        count += more;
    }
    CHECK(count == 81 * (1 + 9 + 81 + 729 + 6561));
}

TEST_CASE("EndSequence: long histories are as the oracle has them", "[enforce][law]") {
    INFO("seed " << test_seed());
    std::mt19937_64 random(test_seed());
    const auto below = [&random](std::uint64_t bound) {
        return static_cast<std::int64_t>(random() % bound);
    };
    for (int round = 0; round < 4'000; ++round) {
        EndWish wish;
        if (below(4) != 0) wish.limit = below(40);
        if (below(3) != 0) wish.warn_before = below(30);
        wish.over_time = below(3) == 0 ? below(10) : 0;
        wish.grace = below(12);
        SideBySide both(wish);
        std::int64_t at = 0;
        for (int step = 0; step < 16; ++step) {
            const auto calls = calls_after(at);
            EndCall call = calls[static_cast<std::size_t>(below(calls.size()))];
            if (call.grace) call.grace = below(12);
            if (call.limit) call.limit = below(60);
            at = call.at;
            if (both.agree_on(call)) continue;
            FAIL(both.history());
        }
    }
}

/// What a driver that comes exactly when it is due sends, and when, in seconds since the start.
std::vector<std::pair<double, EndSequence::Action>> played(const EndPolicy& policy) {
    std::vector<std::pair<double, EndSequence::Action>> all;
    EndSequence sequence(policy, clock_at(0));
    while (const auto next = sequence.next_at()) {
        for (const EndSequence::Action& action : sequence.advance(*next)) {
            all.emplace_back(static_cast<double>((*next - clock_at(0)).value()) / 1e6, action);
        }
    }
    return all;
}

TEST_CASE("EndSequence: warning, end signal and SIGKILL come at their moments", "[enforce]") {
    EndPolicy policy;
    policy.time_limit = Seconds(600);
    policy.warning = {10, Seconds(300), EndPolicy::Target::leader};
    const EndSequence::Action warning{EndSequence::Action::Stage::warning, 10,
                                      EndPolicy::Target::leader};
    const EndSequence::Action end{EndSequence::Action::Stage::end_signal, 15,
                                  EndPolicy::Target::every_process};
    const EndSequence::Action kill{EndSequence::Action::Stage::kill, 9,
                                   EndPolicy::Target::every_process};
    using Played = std::vector<std::pair<double, EndSequence::Action>>;
    CHECK(played(policy) == Played{{300, warning}, {600, end}, {630, kill}});
    policy.over_time = Seconds(60);
    CHECK(played(policy) == Played{{300, warning}, {660, end}, {690, kill}});
    policy.over_time = Seconds::max();
    CHECK(played(policy) == Played{{300, warning}});
    policy.over_time = Seconds(0);
    policy.warning->before = Seconds(1000);
    CHECK(played(policy) == Played{{0, warning}, {600, end}, {630, kill}});
    policy.warning->before = Seconds(0);
    CHECK(played(policy) == Played{{600, warning}, {600, end}, {630, kill}});
    policy.grace = Seconds(0);
    CHECK(played(policy) == Played{{600, warning}, {600, kill}});
    policy.grace = Seconds::max();
    CHECK(played(policy) == Played{{600, warning}, {600, end}});
    policy.time_limit = Seconds(0);
    CHECK(played(policy) == Played{{0, warning}, {0, end}});
    policy.time_limit.reset();
    CHECK(played(policy).empty());
}

TEST_CASE("EndSequence: moments that no clock shows never come", "[enforce]") {
    for (const Seconds limit : {Seconds::max(), Seconds::max() - Seconds(1),
                                Seconds(Seconds::max().value() / 1'000'000)}) {
        EndPolicy policy;
        policy.time_limit = limit;
        EndSequence sequence(policy, seconds(job_start));
        CHECK(sequence.next_at() == std::nullopt);
        CHECK(sequence.advance(Microseconds::max()).empty());
    }
    EndPolicy policy;
    policy.time_limit = Seconds(5);
    EndSequence sequence(policy, Microseconds::max() - seconds(6));
    CHECK(sequence.next_at() == Microseconds::max() - seconds(1));
    CHECK(sequence.advance(Microseconds::max()).size() == 1);
    CHECK(sequence.next_at() == std::nullopt);  // the grace ends behind the end of time
    sequence.stop(JobEnd::Cause::shutdown, Microseconds::max(), Seconds(0));
    CHECK(stages_of(sequence.advance(Microseconds::max())) ==
          std::vector{EndSequence::Action::Stage::kill});
}

TEST_CASE("EndSequence: the grace begins when the end signal is handed out", "[enforce]") {
    EndPolicy policy;
    policy.time_limit = Seconds(10);
    EndSequence sequence(policy, clock_at(0));
    CHECK(stages_of(sequence.advance(clock_at(5000))) ==
          std::vector{EndSequence::Action::Stage::end_signal});
    CHECK(sequence.next_at() == clock_at(5030));
}

TEST_CASE("EndSequence: a later cause brings SIGKILL forward and never puts it off", "[enforce]") {
    EndSequence sequence({}, clock_at(0));
    sequence.stop(JobEnd::Cause::user_stop, clock_at(1));
    CHECK(sequence.advance(clock_at(1)).size() == 1);
    sequence.stop(JobEnd::Cause::user_stop, clock_at(20));  // a repeated request
    CHECK(sequence.next_at() == clock_at(31));
    sequence.stop(JobEnd::Cause::preempted, clock_at(21), Seconds(60));
    CHECK(sequence.next_at() == clock_at(31));
    sequence.stop(JobEnd::Cause::preempted, clock_at(22), Seconds(5));
    CHECK(sequence.next_at() == clock_at(27));
    sequence.stop(JobEnd::Cause::shutdown, clock_at(23), Seconds(0));
    CHECK(stages_of(sequence.advance(clock_at(23))) ==
          std::vector{EndSequence::Action::Stage::kill});
    CHECK(sequence.end_of(signaled(9)) == JobEnd{signaled(9), JobEnd::Cause::user_stop, true});
    CHECK(sequence.next_at() == std::nullopt);
    CHECK(sequence.advance(clock_at(500)).empty());
}

TEST_CASE("EndSequence: a time limit that was reached before a stop came first", "[enforce]") {
    EndPolicy policy;
    policy.time_limit = Seconds(10);
    EndSequence late(policy, clock_at(0));
    late.stop(JobEnd::Cause::user_stop, clock_at(10));
    CHECK(late.cause() == JobEnd::Cause::time_limit);
    EndSequence early(policy, clock_at(0));
    early.stop(JobEnd::Cause::user_stop, clock_at(9));
    CHECK(early.cause() == JobEnd::Cause::user_stop);
    CHECK(early.advance(clock_at(10)).size() == 1);
    CHECK(early.cause() == JobEnd::Cause::user_stop);
}

TEST_CASE("EndSequence: a longer time limit while the job runs", "[enforce]") {
    EndPolicy policy;
    policy.time_limit = Seconds(10);
    policy.warning = {12, Seconds(5), EndPolicy::Target::every_process};
    EndSequence sequence(policy, clock_at(0));
    CHECK(sequence.advance(clock_at(5)).size() == 1);
    sequence.set_time_limit(Seconds(20), clock_at(6));
    CHECK(sequence.next_at() == clock_at(20));  // it has been warned
    sequence.set_time_limit({}, clock_at(7));
    CHECK(sequence.next_at() == std::nullopt);
    sequence.set_time_limit(Seconds(1), clock_at(8));
    CHECK(stages_of(sequence.advance(clock_at(8))) ==
          std::vector{EndSequence::Action::Stage::end_signal});
    sequence.set_time_limit(Seconds(100), clock_at(9));
    CHECK(sequence.next_at() == clock_at(38));
    CHECK(sequence.policy().time_limit == Seconds(1));
}

TEST_CASE("EndSequence: how the job ended joins outcome and cause", "[enforce]") {
    EndSequence alone({}, clock_at(0));
    CHECK(alone.end_of(exited(3)) == JobEnd{exited(3), {}, false});
    CHECK(alone.end_of(signaled(9, Count(1))).outcome.ending == Outcome::Ending::out_of_memory);

    EndSequence stopped({}, clock_at(0));
    stopped.stop(JobEnd::Cause::preempted, clock_at(0));
    CHECK(stopped.advance(clock_at(0)).size() == 1);
    CHECK(reason_of(stopped.end_of(signaled(9, Count(1)))) == JobEnd::Reason::out_of_memory);
    CHECK(stopped.advance(clock_at(30)).size() == 1);
    const JobEnd ours = stopped.end_of(signaled(9, Count(1)));  // somebody else's memory
    CHECK(reason_of(ours) == JobEnd::Reason::preempted);
    CHECK(ours.outcome == Outcome{Outcome::Ending::signaled, 0, 9, Count(1)});
}

TEST_CASE("EndSequence::Action: one line", "[enforce]") {
    CHECK(to_text(EndSequence::Action{}) == "kill: SIGKILL to every_process");
    CHECK(to_text(EndSequence::Action{EndSequence::Action::Stage::warning, 40,
                                      EndPolicy::Target::leader}) ==
          "warning: signal 40 to leader");
}

}  // namespace
