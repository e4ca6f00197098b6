// SPDX-License-Identifier: Apache-2.0
// An expression decides as the function that it stands for, wherever a policy is taken.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/random_expression.hpp"
#include "support/random_place.hpp"
#include "support/seed.hpp"
#include "support/timeline_history.hpp"
#include "trestle/alloc/cluster/columns/node_columns.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/alloc/schedule/earliest_start.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {
namespace {

using testing::Choices;
using testing::for_random_choices;

[[nodiscard]] bool are_same_value(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

struct ExpressionTally {
    std::uint64_t values = 0;
    std::uint64_t none = 0;  ///< of these, no number
    std::uint64_t sure = 0;  ///< expressions that are always a number
    std::uint64_t placed = 0;
    std::uint64_t refused = 0;
};

/// The function that an expression stands for, which checks the expression on the way.
ScoreFunction checked_function(const RandomExpression& one, const ScoreExpression& expression,
                               ExpressionTally& tally) {
    return [&one, &expression, &tally](const ScoreInput& input) -> Score {
        const double value = one.value(input);
        REQUIRE(are_same_value(value, expression.score(input)));
        if (expression.is_always_number()) REQUIRE_FALSE(std::isnan(value));
        ++tally.values;
        if (std::isnan(value)) ++tally.none;
        return {value, 0};
    };
}

void check_expression_columns(const PlaceCase& one, const PlaceOptions& options,
                              const ScoreFunction& function) {
    const Request& request = one.request;
    if (!request.components.empty()) return;
    NodeColumns by_expression(one.cluster, options);
    NodeColumns by_function(one.cluster, options, [&](std::span<const ScoreInput> inputs) {
        std::vector<Score> scores;
        for (const ScoreInput& input : inputs) scores.push_back(function(input));
        return scores;
    });
    std::vector<double> scores(by_function.rows());
    std::vector<double> expected(by_function.rows());
    by_expression.score(request, scores);
    by_function.score(request, expected);
    REQUIRE(std::equal(scores.begin(), scores.end(), expected.begin(), are_same_value));
    const auto can = std::make_unique<bool[]>(scores.size());
    by_expression.feasible(request, {can.get(), scores.size()});
    for (std::size_t n = 0; n < scores.size(); ++n) REQUIRE(can[n] == !std::isnan(scores[n]));
}

void check_expression_placements(std::uint64_t cases) {
    ExpressionTally tally;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), cases}, [&](Choices& choices) {
        PlaceCase one = any_place_case(choices);
        PlaceOptions options = any_place_options(choices);
        const RandomExpression score = any_score(choices);
        INFO(score.text);
        const ScoreExpression expression = *ScoreExpression::parse(score.text);
        options.policy = expression;
        tally.sure += expression.is_always_number() ? 1U : 0U;
        const ScoreFunction function = checked_function(score, expression, tally);
        Placer by_expression(options);
        Placer by_function(options, function);
        for (std::uint64_t owner = 5'000; owner < 5'006; ++owner) {
            const auto found = by_expression.place(one.cluster, one.request);
            const auto expected = by_function.place(one.cluster, one.request);
            REQUIRE(found.has_value() == expected.has_value());
            if (!found) {
                ++tally.refused;
                if (!expression.is_always_number()) {  // functions take fewer shortcuts
                    REQUIRE(found.refusal().constraint == expected.refusal().constraint);
                }
                break;
            }
            ++tally.placed;
            REQUIRE(*found == *expected);
            REQUIRE(place(one.cluster, one.request, options) == found);
            REQUIRE(one.cluster.commit({OwnerId(owner), one.request, *found}).ok());
        }
        check_expression_columns(one, options, function);
    });
    CHECK(tally.values > cases);
    CHECK(tally.none > cases / 200);
    CHECK(tally.sure > cases / 4);
    CHECK(tally.placed > cases / 5);
    CHECK(tally.refused > cases / 4);
}

/// The first end of a period, or the moment asked for, at which there is a place.
std::optional<Start> start_at_ends(const Timeline& timeline, const PreparedRequest& request,
                                   std::optional<Seconds> duration, StartFinder& finder) {
    std::vector<Instant> moments{timeline.now()};
    for (const TimedAllocation& one : timeline.reservations()) {
        if (one.period.end != end_of_time) moments.push_back(one.period.end);
    }
    std::sort(moments.begin(), moments.end());
    for (const Instant at : moments) {
        const Period period = period_of(at, duration);
        auto found = finder.place_throughout(timeline, request, period);
        if (found) return Start{period, *std::move(found), {}, true};
    }
    return std::nullopt;
}

void check_expression_starts(std::uint64_t cases) {
    std::uint64_t later = 0;
    std::uint64_t never = 0;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), cases}, [&](Choices& choices) {
        TimelineHistory history(choices);
        history.run(12);
        PlaceOptions options = any_place_options(choices);
        options.policy = any_score_expression(choices);
        INFO(to_text(options.policy));
        StartFinder finder(options);
        StartFinder other(options);
        for (int i = 0; i < 3; ++i) {
            Request request = history.any_request();
            if (choices.one_in(3)) request.exclusivity = Exclusivity::whole_node;
            if (!check(request).ok()) continue;
            const Seconds duration(1 + static_cast<int>(choices.below(6)));
            const auto found = finder.earliest_start(history.timeline(), request, {{}, duration});
            const auto expected = start_at_ends(history.timeline(), request, duration, other);
            REQUIRE(found.has_value() == expected.has_value());
            if (!found) {
                ++never;
                continue;
            }
            REQUIRE(found->period == expected->period);
            REQUIRE(found->placement == expected->placement);
            if (found->period.first != history.timeline().now()) ++later;
        }
    });
    CHECK(later > cases / 20);
    CHECK(never > cases / 4);
}

}  // namespace

TEST_CASE("law: an expression places as the function that it stands for", "[law]") {
    check_expression_placements(test_rounds(2'000u));
}
TEST_CASE("law: an expression places as the function that it stands for, 100,000 cases",
          "[law][long]") {
    check_expression_placements(100'000);
}
TEST_CASE("law: the earliest start by an expression is at the first end with a place", "[law]") {
    check_expression_starts(test_rounds(300u));
}

}  // namespace trestle
