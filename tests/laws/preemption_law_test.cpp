// SPDX-License-Identifier: Apache-2.0
// A plan is the first of all sets of victims after whose end the request has a place; fewer trials
// give a plan too, and more of them never a worse one.
#include "trestle/alloc/schedule/preemption.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "alloc/schedule/detail/set_search.hpp"
#include "support/catch.hpp"
#include "support/oracle_preemption.hpp"
#include "support/random_expression.hpp"
#include "support/random_preemption.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

using testing::Choices;
using testing::for_random_choices;

/// What came out, so that the cases are known to be of use.
struct PreemptionTally {
    std::uint64_t plans = 0;
    std::uint64_t of_several = 0;
    std::uint64_t refusals = 0;
    std::uint64_t cut_short = 0;
};

/// The key by which plans are compared.
auto key_of(const PreemptionPlan& plan, const std::vector<PreemptionPlan::Victim>& victims) {
    std::vector<std::size_t> positions;
    for (const PreemptionPlan::Victim& one : plan.victims) {
        positions.push_back(static_cast<std::size_t>(
            std::find(victims.begin(), victims.end(), one) - victims.begin()));
    }
    return std::tuple(plan.cost, positions.size(), positions);
}

Verdict<PreemptionPlan> plan_of(const PreemptionCase& one, const PreemptionRules& rules) {
    const NodeFilter filter{one.candidates.is_empty() ? nullptr : &one.candidates, {}};
    return plan_preemption(one.cluster, one.request, one.victims, rules, one.options, filter);
}

/// True when the rules allow it, and the request has its place once they have ended.
bool is_a_plan(const PreemptionCase& one, const PreemptionPlan& plan) {
    Cluster left = one.cluster;
    std::int64_t cost = 0;
    Seconds grace;
    for (const PreemptionPlan::Victim& victim : plan.victims) {
        if (!left.release(victim.owner).ok()) return false;
        cost += victim.cost;
        grace = std::max(grace, victim.grace);
    }
    const NodeFilter filter{one.candidates.is_empty() ? nullptr : &one.candidates, {}};
    const auto placement = place(left, one.request, one.options, filter);
    const auto count = static_cast<std::int64_t>(plan.victims.size());
    return placement && *placement == plan.placement && cost == plan.cost && grace == plan.grace &&
           cost <= one.rules.cost_max.value_or(cost) &&
           count <= one.rules.victims_max.value_or(Count(count)).value() &&
           grace <= one.rules.grace_max.value_or(grace);
}

/// Against all sets, with any number of trials.
void check_plan(const PreemptionCase& one, PreemptionTally& tally,
                const std::vector<std::uint64_t>& budgets) {
    PreemptionRules rules = one.rules;
    rules.trials_max = 1'000'000;
    const auto plan = plan_of(one, rules);
    const NodeFilter filter{one.candidates.is_empty() ? nullptr : &one.candidates, {}};
    const PreemptionOracle oracle(one.cluster, one.request, one.victims, one.options, filter);
    const auto expected = oracle.best(rules);
    REQUIRE(plan.has_value() == expected.has_value());
    if (expected) {
        REQUIRE(*plan == *expected);
        ++tally.plans;
        if (plan->victims.size() > 1) ++tally.of_several;
    } else {
        const auto without_all = oracle.without_all(rules);
        const Constraint why = plan.refusal().constraint;
        REQUIRE(!plan.refusal().reason.empty());
        if (without_all) REQUIRE(why == Constraint::none);
        if (why == Constraint::none) {
            REQUIRE(oracle.is_any_enough(rules));
        } else {
            REQUIRE(why == without_all.refusal().constraint);
        }
        ++tally.refusals;
    }

    std::optional<PreemptionPlan> before;
    for (const std::uint64_t trials : budgets) {
        rules.trials_max = trials;
        const auto some = plan_of(one, rules);
        if (!some) {
            // Trials spent node by node are gone when the sum breaks the limit: sets have fewer.
            if (!rules.victims_max) REQUIRE(!before);
            if (expected) REQUIRE(some.refusal().constraint == Constraint::gave_up);
            continue;
        }
        REQUIRE(expected);
        REQUIRE(is_a_plan(one, *some));
        REQUIRE(key_of(*expected, one.victims) <= key_of(*some, one.victims));
        if (before) REQUIRE(key_of(*some, one.victims) <= key_of(*before, one.victims));
        if (before && before->is_cheapest) REQUIRE(*some == *before);
        if (some->is_cheapest) REQUIRE(*some == *expected);
        if (!some->is_cheapest) ++tally.cut_short;
        before = *some;
    }
}

/// `has_expressions`: nodes come in the order of an expression, which may leave some out.
void check_plans(std::uint64_t cases, std::uint64_t victims_max, bool has_expressions = false) {
    INFO("seed " << test_seed());
    PreemptionTally tally;
    std::uint64_t number = 0;
    for_random_choices({test_seed(), cases}, [&](Choices& choices) {
        INFO("case " << number++);
        PreemptionCase one = any_preemption(choices, victims_max);
        if (has_expressions) one.options.policy = any_score_expression(choices);
        check_plan(one, tally, {0, 1, 3, 6, 12, 40});
    });
    CHECK(tally.plans > cases / 3);
    CHECK(tally.of_several > cases / 20);
    CHECK(tally.refusals > cases / 20);
    CHECK(tally.cut_short > cases / 10);
}

/// A job of 1 or 2 cores on one node, or of 1 core on each of two; its owner is `number`.
void add_any_job(Choices& choices, PreemptionCase& world, std::uint64_t number) {
    const std::uint32_t nodes = world.cluster.node_count();
    const std::uint64_t kind = choices.below(2 * std::uint64_t{nodes} + (nodes > 1 ? 1 : 0));
    Placement placement;
    const auto add = [&](std::uint32_t node, std::uint32_t cores) {
        NodePlacement part;
        part.node = NodeId(node);
        const CoreSet free = world.cluster.free(part.node).cores;
        for (const CoreId core : free) {
            if (part.cores.count() < cores) part.cores.insert(core);
        }
        if (part.cores.count() == cores) placement.nodes.push_back(part);
    };
    if (kind == 2 * std::uint64_t{nodes}) {
        add(0, 1);
        add(nodes - 1, 1);
    } else {
        add(static_cast<std::uint32_t>(kind / 2), 1 + static_cast<std::uint32_t>(kind % 2));
    }
    if (placement.nodes.empty()) return;
    REQUIRE(world.cluster.adopt(OwnerId(number), placement).ok());
    const std::uint64_t cost = number <= 2 ? 1 + choices.below(2) : 1;
    world.victims.push_back({OwnerId(number), static_cast<std::int64_t>(cost), {}});
}

/// Every way to fill so many nodes of two cores with so many jobs, and every request.
std::uint64_t check_all_plans(std::uint32_t nodes, std::uint64_t jobs) {
    const auto idle = *testing::cluster_from_text(fmt::format("{} x (2c)", nodes));
    PreemptionTally tally;
    testing::for_all_choices([&](Choices& choices) {
        PreemptionCase world{idle, {}, {}, {}, {}, {}};
        for (std::uint64_t job = 1; job <= jobs; ++job) add_any_job(choices, world, job);
        const auto asked = 1 + static_cast<std::int64_t>(choices.below(nodes));
        world.request.nodes = Range<Count>::exactly(Count(asked));
        world.request.cpus_per_task =
            Range<Count>::exactly(Count(1 + static_cast<std::int64_t>(choices.below(2))));
        if (jobs < 4 && choices.one_in(2)) world.rules.victims_max = Count(asked);
        check_plan(world, tally, {0, 4});
    });
    CHECK(tally.refusals < tally.plans);
    return tally.plans + tally.refusals;
}

}  // namespace

TEST_CASE("law: plans for all worlds of two nodes and two jobs", "[law][unsanitized]") {
    CHECK(check_all_plans(1, 2) + check_all_plans(2, 2) > 500);
}
TEST_CASE("law: plans for all worlds of up to three nodes and four jobs", "[law][slow]") {
    CHECK(check_all_plans(1, 4) + check_all_plans(2, 3) + check_all_plans(2, 4) +
              check_all_plans(3, 4) >
          30'000);
}
TEST_CASE("law: a plan is the first of all sets that are enough", "[law]") {
    check_plans(test_rounds(300u), 7);
}
TEST_CASE("law: a plan by an expression is the first of all sets that are enough", "[law]") {
    check_plans(test_rounds(200u), 7, true);
}
TEST_CASE("law: a plan is the first of all sets that are enough, 20,000 cases", "[law][slow]") {
    check_plans(17'000, 7);
    check_plans(3'000, 10);
}
TEST_CASE("law: a plan is the first of all sets that are enough, a million cases", "[law][long]") {
    check_plans(1'000'000, 9);
}

namespace {

using detail::EndedSet;
using detail::Positions;
using detail::TrialAnswer;

Positions members_of_mask(std::uint64_t mask) {
    Positions some;
    for (std::size_t i = 0; i < 64; ++i) {
        if ((mask >> i & 1U) != 0) some.push_back(i);
    }
    return some;
}

std::uint64_t mask_of(const Positions& some) {
    std::uint64_t mask = 0;
    for (const std::size_t one : some) mask |= std::uint64_t{1} << one;
    return mask;
}

/// Victims that may end, and which sets of them are enough, by mask.
struct SetCase {
    std::vector<PreemptionPlan::Victim> victims;
    std::vector<bool> is_enough;
    detail::EndLimits limits;
    bool is_monotone = true;
    std::optional<EndedSet> best;
};

std::optional<EndedSet> first_of_all_sets(const SetCase& one_case) {
    std::optional<EndedSet> first;
    for (std::uint64_t mask = 0; mask < one_case.is_enough.size(); ++mask) {
        const EndedSet one(one_case.victims, members_of_mask(mask));
        if (!one_case.is_enough[mask] || !one_case.limits.allow(one)) continue;
        if (one_case.best && !comes_before(one, *one_case.best)) continue;
        if (!first || comes_before(one, *first)) first = one;
    }
    return first;
}

std::optional<EndedSet> set_found_in(const SetCase& one_case) {
    const auto try_ends = [&](const Positions& some) {
        return one_case.is_enough[mask_of(some)] ? TrialAnswer::yes : TrialAnswer::no;
    };
    const detail::SetQuestion question{one_case.victims, one_case.limits, one_case.is_monotone};
    const detail::Trials trials(1);
    detail::SetSearch search(question, trials, try_ends);
    return search.run(members_of_mask(one_case.is_enough.size() - 1), one_case.best,
                      one_case.is_enough.back());
}

SetCase any_set_case(Rng& rng) {
    SetCase one_case;
    const std::uint64_t count = 1 + rng.below(6);
    const std::uint64_t costs = 1 + rng.below(9);
    for (std::uint64_t i = 0; i < count; ++i) {
        one_case.victims.push_back({OwnerId(i), static_cast<std::int64_t>(rng.below(costs)), {}});
    }
    one_case.is_monotone = rng.below(3) != 0;
    one_case.is_enough.resize(std::size_t{1} << count);
    for (std::uint64_t some = rng.below(4); some > 0; --some) {
        const std::uint64_t least = rng.below(one_case.is_enough.size());
        for (std::uint64_t mask = 0; mask < one_case.is_enough.size(); ++mask) {
            const bool has_least = (mask & least) == least;
            if (one_case.is_monotone ? has_least : mask == least) one_case.is_enough[mask] = true;
        }
    }
    if (rng.below(3) == 0) one_case.limits.cost_max = static_cast<std::int64_t>(rng.below(12));
    if (rng.below(3) == 0) one_case.limits.victims_max = rng.below(count + 1);
    if (rng.below(2) == 0) {
        one_case.best =
            EndedSet(one_case.victims, members_of_mask(rng.below(one_case.is_enough.size())));
    }
    return one_case;
}

void check_set_searches(int rounds) {
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    int found = 0;
    for (int round = 0; round < rounds; ++round) {
        INFO("round " << round);
        const SetCase one_case = any_set_case(rng);
        const auto expected = first_of_all_sets(one_case);
        REQUIRE(set_found_in(one_case) == expected);
        found += expected ? 1 : 0;
    }
    CHECK(found > rounds / 6);
}

}  // namespace

TEST_CASE("law: a costly victim hides no cheap ones", "[law]") {
    SetCase one_case;
    for (const std::int64_t cost : {1, 1, 5}) {
        one_case.victims.push_back({OwnerId(one_case.victims.size()), cost, {}});
    }
    one_case.is_enough = {false, false, false, true, false, false, false, true};  // the first two
    one_case.best = EndedSet();
    one_case.best->cost = 3;
    CHECK(set_found_in(one_case) == EndedSet(one_case.victims, {0, 1}));
}

TEST_CASE("law: a search for victims finds the first of all sets", "[law]") {
    check_set_searches(3000);
}
TEST_CASE("law: a search for victims finds the first of all sets, 1,000,000 cases", "[law][long]") {
    check_set_searches(1'000'000);
}

}  // namespace trestle
