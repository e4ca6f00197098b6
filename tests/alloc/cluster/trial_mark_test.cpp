// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/trial_mark.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

/// A core of a node comes or goes, or a node is drained or comes back.
void change_something(Cluster& cluster, Rng& rng) {
    const OwnerId owner(rng.below(6));
    const NodeId node(static_cast<std::uint32_t>(rng.below(3)));
    if (rng.below(8) == 0) {
        const bool is_up = cluster.node(node).state == NodeState::up;
        cluster.set_node_state(node, is_up ? NodeState::drained : NodeState::up);
    } else if (cluster.find_allocation(owner)) {
        CHECK(cluster.release(owner).ok());
    } else {
        NodePlacement part;
        part.node = node;
        part.cores = CoreSet::of({CoreId(static_cast<std::uint32_t>(rng.below(4)))});
        (void)cluster.adopt(owner, {{part}, {}});
    }
}

}  // namespace

TEST_CASE("Trial: rolled back to a mark the cluster is what it was there", "[alloc][law]") {
    Rng rng(test_seed());
    for (int round = 0; round < 300; ++round) {
        Cluster cluster = *testing::cluster_from_text("3 x (4c)");
        for (int i = 0; i < 3; ++i) change_something(cluster, rng);
        const Cluster before = cluster;
        {
            Cluster::Trial trial = cluster.trial();
            std::vector<std::pair<TrialMark, Cluster>> marks;
            for (int step = 0; step < 30; ++step) {
                const auto what = rng.below(4);
                if (what == 0) {
                    marks.emplace_back(trial.mark(), cluster);
                } else if (what == 1 && !marks.empty()) {
                    const auto at = static_cast<std::size_t>(rng.below(marks.size()));
                    trial.rollback(marks[at].first);
                    REQUIRE(cluster == marks[at].second);
                    if (at + 1 < marks.size()) {
                        CHECK_FALSE(
                            broken_contract([&] { trial.rollback(marks[at + 1].first); }).empty());
                    }
                    marks.resize(at + 1);
                } else {
                    const Cluster::Trial inner = cluster.trial();
                    change_something(cluster, rng);
                }
                change_something(cluster, rng);
            }
            if (!marks.empty()) {
                trial.undo();
                CHECK(cluster == before);
                CHECK_FALSE(broken_contract([&] { trial.rollback(marks[0].first); }).empty());
                static_cast<void>(trial.mark());
                CHECK_FALSE(broken_contract([&] { trial.rollback(marks[0].first); }).empty());
            }
            CHECK_FALSE(broken_contract([&] { trial.rollback({}); }).empty());
        }
        REQUIRE(cluster == before);
    }
}

TEST_CASE("Timeline::Trial: rolled back to a mark the timeline is what it was there",
          "[alloc][time]") {
    Timeline timeline(*testing::cluster_from_text("2 x (4c)"));
    const auto reserve = [&](std::uint64_t owner, std::int64_t from) {
        NodePlacement part;
        part.cores = CoreSet::range({0, 4});
        return timeline
            .reserve({OwnerId(owner), {}, {{part}, {}}}, {Instant(from), Instant(from + 10)})
            .ok();
    };
    Timeline::Trial trial(timeline);
    REQUIRE(reserve(1, 0));
    const TrialMark mark = trial.mark();
    const Timeline there = timeline;
    REQUIRE(reserve(2, 10));
    const TrialMark later = trial.mark();
    REQUIRE(timeline.advance(Instant(5)).ok());
    for (int twice = 0; twice < 2; ++twice) {
        trial.rollback(mark);
        CHECK(timeline == there);
        REQUIRE(reserve(3, 20));
    }
    CHECK_FALSE(broken_contract([&] { trial.rollback(later); }).empty());
    trial.undo();
    static_cast<void>(trial.mark());
    CHECK_FALSE(broken_contract([&] { trial.rollback(mark); }).empty());
}

}  // namespace trestle
