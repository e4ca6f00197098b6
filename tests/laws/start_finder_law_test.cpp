// SPDX-License-Identifier: Apache-2.0
// A StartFinder that has followed a timeline through all that happened to it answers as a new one.
// One with a small budget says where it is not sure.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "support/catch.hpp"
#include "support/random_job.hpp"
#include "support/seed.hpp"
#include "support/timeline_history.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/schedule/earliest_start.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {
namespace {

using testing::Choices;
using testing::for_random_choices;

Request any_question(Choices& choices, const Cluster& cluster) {
    while (true) {
        Request request = any_job(choices, cluster, {choices.one_in(2), true});
        if (choices.one_in(4)) request.exclusivity = Exclusivity::whole_node;
        if (check(request).ok()) return request;
    }
}

/// An owner of something, or an unknown one where there is none.
OwnerId any_owner_of(const Timeline& timeline, Choices& choices) {
    const auto all = timeline.reservations();
    return all.empty() ? OwnerId(1) : all[choices.below(all.size())].allocation.owner;
}

/// A node takes work or not, or is another in some other way.
Status change_any_node(Choices& choices, Cluster& cluster) {
    const NodeId node(static_cast<std::uint32_t>(choices.below(cluster.node_count())));
    if (cluster.class_of(node).state == NodeState::removed) return {};
    switch (choices.below(8)) {
        case 0:
            cluster.set_node_health(node, choices.one_in(2) ? Health::failure : Health::healthy);
            return {};
        case 1:
            cluster.set_node_weight(node, 1 + static_cast<std::uint32_t>(choices.below(3)));
            return {};
        case 2:
            static_cast<void>(cluster.remove_node(node));  // unless a job is there
            return {};
        case 3:
            return cluster
                .add_node({fmt::format("new{}", cluster.node_count()),
                           cluster.class_of(node).shape,
                           {},
                           1,
                           {},
                           {}})
                .status();
        default:
            cluster.set_node_state(node, choices.one_in(3) ? NodeState::drained : NodeState::up);
            return {};
    }
}

/// Somebody goes, or stays for another time, or time passes, or the nodes or partitions are others.
void change_anything(Choices& choices, Timeline& timeline) {
    const OwnerId owner = any_owner_of(timeline, choices);
    const Instant later(timeline.now().value() + static_cast<std::int64_t>(choices.below(12)));
    switch (choices.below(7)) {
        case 0:
            static_cast<void>(timeline.cancel(owner));
            return;
        case 1:
        case 2:
            static_cast<void>(timeline.set_end(owner, choices.one_in(6) ? end_of_time : later));
            return;
        case 3:
            if (choices.one_in(2)) REQUIRE(timeline.advance(later).ok());
            return;
        case 4:
            static_cast<void>(timeline.change_cluster(
                [&](Cluster& cluster) { return change_any_node(choices, cluster); }));
            return;
        case 5:
            if (choices.one_in(4)) {
                static_cast<void>(timeline.change_cluster([&](Cluster& cluster) {
                    auto partitions = cluster.partitions();
                    if (partitions.empty()) return Status();
                    auto& most = partitions[choices.below(partitions.size())].max_cpus_per_node;
                    most = most ? std::nullopt : std::optional(Count(3));
                    return cluster.set_partitions(std::move(partitions));
                }));
            }
            return;
        default:
            return;
    }
}

struct FollowingCounts {
    std::uint64_t starts = 0;
    std::uint64_t later = 0;
    std::uint64_t refusals = 0;
    std::uint64_t counting = 0;      ///< starts where a partition counts CPUs
    std::uint64_t later_within = 0;  ///< of those with a bound, not at once and within it
    std::uint64_t too_late = 0;      ///< refusals where the start is behind the bound
};

class FollowedTimeline {
  public:
    explicit FollowedTimeline(Choices& choices)
        : choices_(choices), timeline_(any_job_world(choices, {4, choices.one_in(3)})) {}

    /// Things happen, now and then only to be undone.
    void step(FollowingCounts& counts) {
        if (choices_.one_in(8)) {
            const Timeline::Trial trial(timeline_);
            change_and_ask(counts);
        }
        change_and_ask(counts);
    }

  private:
    void change_and_ask(FollowingCounts& counts) {
        change_anything(choices_, timeline_);
        const PreparedRequest request = any_question(choices_, timeline_.cluster());
        StartQuestion question{{}, Seconds(1 + static_cast<int>(choices_.below(6))), {}};
        if (choices_.one_in(3)) question.after = moment(6);
        if (choices_.one_in(4)) question.not_beyond = moment(10);
        const auto start = following_.earliest_start(timeline_, request, question);
        const auto expected = StartFinder().earliest_start(timeline_, request, question);
        if (question.not_beyond) compare_unbounded(request, question, start, counts);
        REQUIRE(start.has_value() == expected.has_value());
        if (!start) {
            ++counts.refusals;
            REQUIRE(to_text(start.refusal()) == to_text(expected.refusal()));
            return;
        }
        REQUIRE(*start == *expected);
        ++counts.starts;
        if (start->waits_for) ++counts.later;
        if (counts_cpus()) ++counts.counting;
        if (choices_.one_in(4)) return;
        const OwnerId owner(1000 + ++next_);
        REQUIRE(timeline_.reserve({owner, request, start->placement}, start->period).ok());
    }
    /// A start within the bound is that without a bound, where this one lies within.
    void compare_unbounded(const PreparedRequest& request, StartQuestion question,
                           const Verdict<Start>& start, FollowingCounts& counts) {
        const Instant first = question.after.value_or(timeline_.now());
        const Instant bound = std::max(first, *question.not_beyond);
        question.not_beyond = {};
        const auto expected = StartFinder().earliest_start(timeline_, request, question);
        const bool is_within = expected && expected->period.first <= bound;
        REQUIRE(start.has_value() == is_within);
        if (is_within) REQUIRE(*start == *expected);
        if (is_within && first < expected->period.first) ++counts.later_within;
        if (expected && !is_within) ++counts.too_late;
    }
    [[nodiscard]] Instant moment(std::uint64_t within) {
        return Instant(timeline_.now().value() + static_cast<std::int64_t>(choices_.below(within)));
    }
    [[nodiscard]] bool counts_cpus() const {
        for (const Partition& one : timeline_.cluster().partitions()) {
            if (one.max_cpus_per_node) return true;
        }
        return false;
    }

    Choices& choices_;
    Timeline timeline_;
    StartFinder following_;
    std::uint64_t next_ = 0;
};

void check_following(std::uint64_t histories) {
    FollowingCounts counts;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), histories}, [&](Choices& choices) {
        FollowedTimeline timeline(choices);
        for (int i = 0; i < 16; ++i) timeline.step(counts);
    });
    CHECK(counts.starts > histories);
    CHECK(counts.later > histories / 8);
    CHECK(counts.refusals > histories);
    CHECK(counts.counting > histories / 4);
    CHECK(counts.later_within > histories / 32);
    CHECK(counts.too_late > histories / 32);
}

struct BudgetCounts {
    std::uint64_t starts = 0;
    std::uint64_t perhaps_later = 0;  ///< of these, where a moment before was given up
    std::uint64_t refusals = 0;
    std::uint64_t unsure = 0;  ///< of these, where a moment was given up
};

/// Which nodes come first is no matter of when: nodes that are busy first, or as a function says
/// that has no preference, which is first_fit.
void compare_choices(const Timeline& timeline, const PreparedRequest& request,
                     const PlaceOptions& options, StartQuestion question,
                     const Verdict<Start>& truth) {
    PlaceOptions first_fit = options;
    first_fit.policy = Policy::first_fit;
    const ScoreFunction equal = [](const ScoreInput&) { return Score{}; };
    const auto by_function =
        StartFinder(options, equal).earliest_start(timeline, request, question);
    const auto by_name = StartFinder(first_fit).earliest_start(timeline, request, question);
    REQUIRE(by_function.has_value() == by_name.has_value());
    if (by_name) {
        REQUIRE(by_function->period == by_name->period);
        REQUIRE(by_function->placement == by_name->placement);
    }
    question.spares_idle = true;
    const auto sparing = StartFinder(options).earliest_start(timeline, request, question);
    REQUIRE(sparing.has_value() == truth.has_value());
    if (!truth) return;
    REQUIRE(sparing->period == truth->period);
    if (truth->period.first == timeline.now()) REQUIRE(*sparing == *truth);
    Timeline after = timeline;
    REQUIRE(after.reserve({OwnerId(77), request, sparing->placement}, sparing->period).ok());
}

/// What a finder of few steps says against what one of enough says.
void compare_budgets(Choices& choices, const Timeline& timeline, BudgetCounts& counts) {
    const PreparedRequest request = any_question(choices, timeline.cluster());
    const PlaceOptions enough = any_place_options(choices);
    PlaceOptions few = enough;
    few.fit.steps_max = 1 + choices.below(choices.one_in(2) ? 6 : 40);
    const StartQuestion question{{}, Seconds(1 + static_cast<int>(choices.below(6))), {}};
    const auto found = StartFinder(few).earliest_start(timeline, request, question);
    const auto truth = StartFinder(enough).earliest_start(timeline, request, question);
    if (!truth && truth.refusal().constraint == Constraint::gave_up) return;
    compare_choices(timeline, request, enough, question, truth);
    if (!found) {
        ++counts.refusals;
        if (found.refusal().constraint == Constraint::gave_up) {
            ++counts.unsure;
        } else {
            REQUIRE(!truth);
        }
        return;
    }
    ++counts.starts;
    REQUIRE(truth);
    REQUIRE(truth->is_earliest);
    REQUIRE(found->waits_for.has_value() == (timeline.now() < found->period.first));
    if (found->is_earliest) {
        REQUIRE(found->period == truth->period);
    } else {
        ++counts.perhaps_later;
        REQUIRE(truth->period.first <= found->period.first);
    }
    Timeline after = timeline;
    REQUIRE(after.reserve({OwnerId(77), request, found->placement}, found->period).ok());
}

void check_budgets(std::uint64_t histories) {
    BudgetCounts counts;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), histories}, [&](Choices& choices) {
        TimelineHistory history(choices);
        history.run(8);
        for (int i = 0; i < 4; ++i) compare_budgets(choices, history.timeline(), counts);
    });
    CHECK(counts.starts > histories / 8);
    CHECK(counts.unsure > histories / 8);
    CHECK(counts.refusals > counts.unsure);
    CHECK(counts.perhaps_later >= histories / 10'000);
}

struct LastCounts {
    std::uint64_t placements = 0;
    std::uint64_t refusals = 0;
    std::uint64_t nevers = 0;  ///< of these, where there is no start at any time
};

/// At its last end, or behind it, a timeline without owners for ever is its cluster with no owner.
void compare_after_the_last_end(Choices& choices, Timeline timeline, StartFinder& finder,
                                LastCounts& counts) {
    Instant last = timeline.now();
    for (const TimedAllocation& one : timeline.reservations()) {
        Instant end = one.period.end;
        if (end == end_of_time && !choices.one_in(6)) {
            end = Instant(one.period.first.value() + 20);
            REQUIRE(timeline.set_end(one.allocation.owner, end).ok());
        }
        if (end == end_of_time) return;
        last = std::max(last, end);
    }
    const PreparedRequest request = any_question(choices, timeline.cluster());
    const Instant at(last.value() + static_cast<std::int64_t>(choices.below(3)));
    const auto cluster = timeline.free_at(at);
    REQUIRE(cluster.ok());
    const auto expected = place(*cluster, request, finder.options());
    const auto said = finder.place_throughout(timeline, request,
                                              period_of(at, Seconds(choices.one_in(2) ? 1 : 9)));
    REQUIRE(said.has_value() == expected.has_value());
    if (said) {
        ++counts.placements;
        REQUIRE(*said == *expected);
        return;
    }
    ++counts.refusals;
    REQUIRE(to_text(said.refusal()) == to_text(expected.refusal()));
    const auto start = finder.earliest_start(timeline, request, {at, Seconds(1), {}});
    REQUIRE(!start);
    REQUIRE(to_text(start.refusal()) == to_text(expected.refusal()));
    const auto never = finder.earliest_start(timeline, request, {{}, Seconds(1), {}});
    if (never || never.refusal().constraint == Constraint::gave_up) return;
    ++counts.nevers;
    const auto words = place(*timeline.free_at(last), request, finder.options());
    REQUIRE(!words);
    REQUIRE(to_text(never.refusal()) == to_text(words.refusal()));
}

void check_after_the_last_end(std::uint64_t histories) {
    LastCounts counts;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), histories}, [&](Choices& choices) {
        TimelineHistory history(choices);
        PlaceOptions options = any_place_options(choices);
        if (options.policy == Policy::random) return;  // which draws from the owners that were
        StartFinder finder(options);
        for (int i = 0; i < 4; ++i) {
            history.run(4);
            compare_after_the_last_end(choices, history.timeline(), finder, counts);
        }
    });
    CHECK(counts.placements > histories / 4);
    CHECK(counts.refusals > histories / 4);
    CHECK(counts.nevers > histories / 8);
}

}  // namespace

TEST_CASE("law: after its last end a timeline is its cluster with no owner", "[law][time]") {
    check_after_the_last_end(test_rounds(1'000u));
}
TEST_CASE("law: a finder with a small budget says where it is not sure", "[law][time]") {
    check_budgets(test_rounds(1'000u));
}
TEST_CASE("law: a finder with a small budget says where it is not sure, 10,000 histories",
          "[law][time][slow]") {
    check_budgets(10'000);
}
TEST_CASE("law: a finder that follows a timeline answers as a new one", "[law][time]") {
    check_following(test_rounds(100u));
}
TEST_CASE("law: a finder that follows a timeline answers as a new one, 3,000 histories",
          "[law][time][slow]") {
    check_following(3'000);
}
TEST_CASE("law: a finder that follows a timeline answers as a new one, 1,000,000 histories",
          "[law][time][long]") {
    check_following(1'000'000);
}

}  // namespace trestle
