// SPDX-License-Identifier: Apache-2.0
// A plan can be carried out as it stands and is the smallest where it says so: so say all sequences
// of moves. Each move of the other form leaves less in fragments.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "support/catch.hpp"
#include "support/oracle_compaction.hpp"
#include "support/random_compaction.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/compaction.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {
namespace {

using testing::for_random_choices;

/// What has been seen of plans.
struct CompactionTally {
    std::vector<std::uint64_t> plans_of = std::vector<std::uint64_t>(8, 0);  ///< so many moves
    std::uint64_t refusals = 0;
};

/// Makes the moves, each of which is feasible when its turn comes; others stay as they are.
void check_moves(const CompactionOracle& oracle, const CompactionCase& one, Cluster& cluster,
                 const std::vector<Move>& moves) {
    std::vector<OwnerId> moved;
    for (const Move& move : moves) {
        REQUIRE(std::count(one.movable.begin(), one.movable.end(), move.owner) == 1);
        REQUIRE(std::count(moved.begin(), moved.end(), move.owner) == 0);
        moved.push_back(move.owner);
        REQUIRE(oracle.is_feasible(cluster, move));
        REQUIRE_FALSE(CompactionOracle::gives_less(cluster, move.to, move.from));
        CompactionOracle::make(cluster, move.owner, move.to);
    }
    for (const Allocation& before : one.cluster.allocations()) {
        if (std::count(moved.begin(), moved.end(), before.owner) != 0) continue;
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

void check_compactions(std::uint64_t cases, std::uint64_t owners_max, CompactionTally& tally) {
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), cases}, [&](Choices& choices) {
        CompactionCase one = any_compaction(choices, owners_max);
        const CompactionOracle oracle(one.cluster, one.request, one.movable, one.rules.is_live,
                                      one.rules.destinations, one.options, one.filter());
        const Cluster before = one.cluster;
        const auto plan = *plan_compaction(one.cluster, one.request, one.movable, one.rules,
                                           one.options, one.filter());
        REQUIRE(one.cluster == before);
        const std::size_t looked_at = plan ? plan->moves.size() : owners_max;
        const auto fewest = oracle.fewest(std::min<std::size_t>(looked_at, 3));
        if (plan) {
            REQUIRE(plan->is_smallest);
            REQUIRE((plan->moves.size() > 3 ? !fewest : fewest == plan->moves.size()));
            check_plan(oracle, one, *plan);
            ++tally.plans_of[plan->moves.size()];
        } else {
            REQUIRE_FALSE(fewest);
            REQUIRE(plan.refusal().constraint != Constraint::gave_up);
            ++tally.refusals;
        }
        // With less to go by: no more than it says, and the same each time.
        one.rules.trials_max = choices.below(60);
        if (choices.one_in(3)) one.rules.moves_max = Count(1);
        const auto found = *plan_compaction(one.cluster, one.request, one.movable, one.rules,
                                            one.options, one.filter());
        REQUIRE(found == *plan_compaction(one.cluster, one.request, one.movable, one.rules,
                                          one.options, one.filter()));
        if (!found) return;
        REQUIRE(plan);
        check_plan(oracle, one, *found);
        REQUIRE(found->moves.size() >= plan->moves.size());
        if (found->is_smallest) REQUIRE(found->moves.size() == plan->moves.size());
        if (one.rules.moves_max) REQUIRE(found->moves.size() <= 1);
    });
}

void check_tally(const CompactionTally& tally, std::uint64_t cases) {
    CAPTURE(tally.plans_of, tally.refusals);
    CHECK(tally.plans_of[1] > cases / 10);
    CHECK(tally.plans_of[2] > cases / 100);
    CHECK(tally.refusals > cases / 10);
}

}  // namespace

TEST_CASE("law: plans of moves are the smallest that all sequences of moves know",
          "[law][compaction]") {
    CompactionTally tally;
    check_compactions(150, 3, tally);
    check_tally(tally, 150);
}
TEST_CASE("law: plans of moves are the smallest that all sequences of moves know, 20,000 cases",
          "[law][compaction][slow]") {
    CompactionTally tally;
    check_compactions(17'000, 4, tally);
    check_tally(tally, 20'000);
}

}  // namespace trestle
