// SPDX-License-Identifier: Apache-2.0
// A plan can be carried out as it stands and is the smallest where it says so: so say all sequences
// of moves. Each move of the other form leaves less in fragments.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "alloc/cluster/place/detail/monotone.hpp"
#include "support/catch.hpp"
#include "support/oracle_compaction.hpp"
#include "support/random_compaction.hpp"
#include "support/random_expression.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/schedule/compaction.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {
namespace {

using testing::for_random_choices;

/// What has been seen of plans.
struct CompactionTally {
    std::vector<std::uint64_t> plans_of = std::vector<std::uint64_t>(8, 0);  ///< so many moves
    std::uint64_t refusals = 0;  ///< though somebody might have moved
    std::uint64_t unsure = 0;    ///< place() gave up on something
    std::uint64_t limited = 0;   ///< plans for a partition that limits what is had of a node
};

bool has_moved(const std::vector<CompactionPlan::Move>& moves, OwnerId owner) {
    return std::any_of(moves.begin(), moves.end(),
                       [&](const CompactionPlan::Move& one) { return one.owner == owner; });
}

/// Makes the moves, each of which is feasible when its turn comes; others stay as they are.
void check_moves(const CompactionOracle& oracle, const CompactionCase& one, Cluster& cluster,
                 const std::vector<CompactionPlan::Move>& moves) {
    for (std::size_t i = 0; i < moves.size(); ++i) {
        const CompactionPlan::Move& move = moves[i];
        REQUIRE(std::count(one.movable.begin(), one.movable.end(), move.owner) == 1);
        REQUIRE_FALSE(
            has_moved({moves.begin(), moves.begin() + static_cast<std::ptrdiff_t>(i)}, move.owner));
        REQUIRE(oracle.is_feasible(cluster, move));
        REQUIRE_FALSE(CompactionOracle::gives_less(cluster, move.to, move.from));
        CompactionOracle::make(cluster, move.owner, move.to);
    }
    for (const Allocation& before : one.cluster.allocations()) {
        if (has_moved(moves, before.owner)) continue;
        REQUIRE(*cluster.find_allocation(before.owner) == before);
    }
}

void check_plan(const CompactionOracle& oracle, const CompactionCase& one,
                const CompactionPlan& plan) {
    Cluster cluster = one.cluster;
    check_moves(oracle, one, cluster, plan.moves);
    REQUIRE(place(cluster, one.request, one.options, one.filter()) == plan.placement);
    REQUIRE(cluster.commit({OwnerId(1000), one.request, plan.placement}).ok());
}

/// What is said with a budget that never ends.
void check_verdict(const CompactionOracle& oracle, const CompactionCase& one,
                   const Verdict<CompactionPlan>& plan, CompactionTally& tally) {
    const bool is_sure = one.options.fit.steps_max == FitOptions().steps_max;
    if (plan) {
        const std::size_t moves = plan->moves.size();
        const auto fewest = oracle.fewest(moves);
        if (is_sure) REQUIRE(plan->is_smallest);
        if (is_sure) REQUIRE(fewest == moves);
        if (plan->is_smallest) REQUIRE((!fewest || *fewest == moves));
        check_plan(oracle, one, *plan);
        ++tally.plans_of[moves];
        tally.unsure += plan->is_smallest ? 0U : 1U;
        const bool is_limited = !detail::is_monotone(one.cluster, one.request);
        tally.limited += is_limited && moves != 0 ? 1U : 0U;
        return;
    }
    const bool has_given_up = plan.refusal().constraint == Constraint::gave_up;
    if (is_sure) REQUIRE_FALSE(has_given_up);
    if (!has_given_up) REQUIRE_FALSE(oracle.fewest(one.movable.size()));
    tally.unsure += has_given_up ? 1U : 0U;
    tally.refusals += has_given_up || one.movable.empty() ? 0U : 1U;
}

/// `has_expressions`: nodes come in the order of an expression, which may leave some out.
void check_compactions(std::uint64_t cases, std::uint64_t owners_max, CompactionTally& tally,
                       bool has_expressions = false) {
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), cases}, [&](Choices& choices) {
        CompactionCase one = any_compaction(choices, owners_max);
        if (has_expressions) one.options.policy = any_score_expression(choices);
        PlaceOptions patient = one.options;
        patient.fit.steps_max = FitOptions().steps_max;
        const CompactionOracle oracle(one.cluster, one.request, one.movable, one.rules.is_live,
                                      one.rules.destinations, patient, one.filter());
        const Cluster before = one.cluster;
        const auto plan = plan_compaction(one.cluster, one.request, one.movable, one.rules,
                                          one.options, one.filter());
        REQUIRE(one.cluster == before);
        check_verdict(oracle, one, plan, tally);
        // With less to go by: no more than it says, and the same each time.
        one.rules.trials_max = choices.below(60);
        if (choices.one_in(3)) one.rules.moves_max = Count(1);
        const auto found = plan_compaction(one.cluster, one.request, one.movable, one.rules,
                                           one.options, one.filter());
        REQUIRE(found == plan_compaction(one.cluster, one.request, one.movable, one.rules,
                                         one.options, one.filter()));
        if (!found) return;
        REQUIRE(plan);
        check_plan(oracle, one, *found);
        if (plan->is_smallest) REQUIRE(found->moves.size() >= plan->moves.size());
        if (found->is_smallest) REQUIRE(found->moves.size() <= plan->moves.size());
        if (one.rules.moves_max) REQUIRE(found->moves.size() <= 1);
    });
}

void check_tally(const CompactionTally& tally, std::uint64_t cases) {
    CAPTURE(tally.plans_of, tally.refusals, tally.unsure, tally.limited);
    CHECK(tally.plans_of[1] > cases / 20);
    CHECK(tally.plans_of[2] > cases / 100);
    CHECK(tally.refusals > cases / 10);
    CHECK(tally.unsure > cases / 100);
    CHECK(tally.limited > cases / 100);
}

/// Fragments as they are defined, node by node and job by job, of whole GPUs that are all alike.
double plain_fragments(const Cluster& cluster, const std::vector<PolicyOptions::TypicalJob>& jobs) {
    double seen = 0;
    for (const PolicyOptions::TypicalJob& job : jobs) seen += static_cast<double>(job.seen.value());
    double sum = 0;
    for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
        if (!is_usable(cluster.class_of(NodeId(i)))) continue;
        const NodeShape& shape = cluster.shape(NodeId(i));
        const CoreSet all = CoreSet::range({0, shape.hardware.core_count()});
        const auto thousandths_of = [&](const CoreSet& cores) {
            return 1000 * static_cast<std::int64_t>(shape.hardware.threads_of(cores).count());
        };
        std::int64_t cpus = thousandths_of(all);
        auto gpus = static_cast<std::int64_t>(shape.devices.size());
        for (const Allocation& held : cluster.allocations()) {
            for (const NodePlacement& part : held.placement.nodes) {
                if (part.node != NodeId(i)) continue;
                cpus -= thousandths_of(part.cores);
                gpus -= static_cast<std::int64_t>(part.devices.size());
            }
        }
        for (const PolicyOptions::TypicalJob& job : jobs) {
            const bool is_of_use = !job.devices.is_zero() && job.types.empty() &&
                                   job.cpus.value() <= cpus && job.devices.value() <= gpus;
            const double part = static_cast<double>(job.seen.value()) / seen;
            if (!is_of_use) sum += part * 1'000'000 * static_cast<double>(gpus);
        }
    }
    return sum;
}

void check_fragments(std::uint64_t cases) {
    std::uint64_t moves = 0;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), cases}, [&](Choices& choices) {
        CompactionCase one = any_compaction(choices, 6);
        if (choices.one_in(2)) one.options.policy = Policy::fgd;
        const PolicyOptions& policy = one.options.policy_options;
        const auto fragments = [&](const Cluster& c) { return *expected_fragments(c, policy); };
        const CompactionOracle oracle(one.cluster, one.request, one.movable, one.rules.is_live,
                                      one.rules.destinations, one.options);
        if (choices.one_in(3)) one.rules.moves_max = Count(2);
        if (choices.one_in(3)) one.rules.trials_max = choices.below(12);
        const Cluster before = one.cluster;
        const auto plan = *plan_defragmentation(one.cluster, one.movable, one.rules, one.options);
        REQUIRE(one.cluster == before);
        REQUIRE(plan == *plan_defragmentation(one.cluster, one.movable, one.rules, one.options));
        REQUIRE(plan.before == fragments(one.cluster));
        REQUIRE(std::abs(static_cast<double>(plan.before) -
                         plain_fragments(one.cluster, *policy.typical_jobs)) < 5);
        if (one.rules.moves_max) REQUIRE(plan.moves.size() <= 2);
        Cluster cluster = one.cluster;
        check_moves(oracle, one, cluster, plan.moves);
        REQUIRE(plan.after == fragments(cluster));
        Cluster step = one.cluster;
        for (const CompactionPlan::Move& move : plan.moves) {
            const std::int64_t last = fragments(step);
            CompactionOracle::make(step, move.owner, move.to);
            REQUIRE(fragments(step) < last);
        }
        moves += plan.moves.size();
        if (!plan.is_settled) return;
        for (const OwnerId owner : one.movable) {
            if (has_moved(plan.moves, owner)) continue;
            const auto to = oracle.preferred(cluster, owner);
            if (!to) continue;
            Cluster after = cluster;
            CompactionOracle::make(after, owner, *to);
            REQUIRE(fragments(after) >= plan.after);
        }
    });
    CHECK(moves > cases / 10);
}

}  // namespace

TEST_CASE("law: plans of moves are the smallest that all sequences of moves know",
          "[law][compaction]") {
    CompactionTally tally;
    check_compactions(100, 3, tally);
    check_tally(tally, 100);
}
TEST_CASE("law: plans of moves by expressions are the smallest that all sequences of moves know",
          "[law][compaction][unsanitized]") {
    CompactionTally tally;
    check_compactions(100, 3, tally, true);
    CHECK(tally.plans_of[1] > 5);
    CHECK(tally.refusals > 10);
}
TEST_CASE("law: plans of moves are the smallest that all sequences of moves know, 4,000 cases",
          "[law][compaction][slow]") {
    CompactionTally tally;
    check_compactions(4'000, 4, tally);
    check_tally(tally, 4'000);
}
TEST_CASE("law: plans of moves are the smallest that all sequences of moves know, a million cases",
          "[law][compaction][long]") {
    CompactionTally tally;
    check_compactions(1'000'000, 5, tally);
    check_tally(tally, 1'000'000);
}

TEST_CASE("law: each move leaves less in fragments", "[law][compaction]") {
    check_fragments(test_rounds(400u));
}
TEST_CASE("law: each move leaves less in fragments, 3,000 cases", "[law][compaction][slow]") {
    check_fragments(3'000);
}
TEST_CASE("law: each move leaves less in fragments, a million cases", "[law][compaction][long]") {
    check_fragments(1'000'000);
}

}  // namespace trestle
