// SPDX-License-Identifier: Apache-2.0
// A queue that keeps reservations decides as the plain oracle does, and no job starts later than it
// was said before.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/oracle_held.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/schedule/queue/job_queue.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

struct HeldCounts {
    int passes = 0, around = 0, earlier = 0, starts = 0;
};

class HeldHistory {
  public:
    HeldHistory(std::mt19937& random, HeldCounts& counts, std::int64_t nodes, bool shares_nodes)
        : random_(random),
          counts_(counts),
          nodes_(nodes),
          shares_nodes_(shares_nodes),
          timeline_(*testing::cluster_from_text(fmt::format("{} x (2c)", nodes))),
          discipline_(any_discipline()),
          oracle_(discipline_),
          queue_(discipline_, {true, true, true}),
          terse_(discipline_, {false, false, true}) {}

    void run(int steps) {
        for (; steps > 0; --steps) {
            switch (below(9)) {
                case 0:
                case 1:
                    advance();
                    break;
                case 2:
                case 3:
                    end_one();
                    break;
                case 4:
                    disturb();
                    break;
                case 5:
                    add();
                    add();
                    break;
                default:
                    break;
            }
            schedule();
        }
    }

  private:
    std::int64_t below(std::int64_t end) {
        return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
    }
    Discipline any_discipline() {
        Discipline discipline = Discipline::conservative();
        if (below(3) != 0) discipline.order = Discipline::Order::by_priority;
        if (below(6) == 0) discipline.horizon = Seconds(1 + below(20));
        if (below(8) == 0) discipline.depth = Count(1 + below(6));
        discipline.spares_idle = below(3) != 0;
        return discipline;
    }
    void add() {
        Request request;
        request.nodes = Range<Count>::exactly(Count(1 + below(nodes_)));
        if (shares_nodes_ && below(2) == 0) {
            request.cpus_per_task = Range<Count>::exactly(Count(1 + below(2)));
        } else {
            request.exclusivity = Exclusivity::whole_node;
        }
        const Seconds duration(1 + below(below(3) == 0 ? 40 : 9));
        const QueuedJob job{OwnerId(100 + added_++), std::move(request), duration, below(3)};
        REQUIRE(queue_.add(job).ok());
        REQUIRE(terse_.add(job).ok());
    }
    /// To the next moment at which something was said to happen, or less.
    void advance() {
        Instant to = saturating_add(timeline_.now(), Seconds(1 + below(9)));
        for (const auto& [owner, one] : oracle_.held()) to = std::min(to, one.period.first);
        REQUIRE(timeline_.advance(std::max(to, timeline_.now())).ok());
    }
    /// Earlier than it said.
    void end_one() {
        const auto all = timeline_.reservations();
        if (all.empty()) return;
        const auto at = static_cast<std::size_t>(below(std::ssize(all)));
        REQUIRE(timeline_.cancel(all[at].allocation.owner).ok());
    }
    void disturb() {
        const std::int64_t what = below(5);
        const auto all = queue_.jobs();
        if (what == 0 && !all.empty()) {
            const OwnerId owner = all[static_cast<std::size_t>(below(std::ssize(all)))].owner;
            REQUIRE(queue_.remove(owner).ok());
            REQUIRE(terse_.remove(owner).ok());
            said_.erase(owner);
        }
        if (what == 1) timeline_ = Timeline(timeline_);
        if (what == 2) {
            oracle_.forget();
            queue_.forget_reservations();
            terse_.forget_reservations();
            said_.clear();
        }
        if (what == 3) {  // a node goes for a time; or comes back
            const NodeId node(static_cast<std::uint32_t>(below(nodes_)));
            REQUIRE(timeline_
                        .change_cluster([&](Cluster& cluster) {
                            cluster.set_node_state(
                                node, below(3) == 0 ? NodeState::drained : NodeState::up);
                            return Status();
                        })
                        .ok());
            said_.clear();
        }
        if (what == 4) {  // of the caller's own, perhaps where a job has its reservation
            const auto node = static_cast<std::uint32_t>(below(nodes_));
            const Instant from = saturating_add(timeline_.now(), Seconds(below(12)));
            Placement placement = *whole_nodes(timeline_.cluster(), NodeSet::of({NodeId(node)}));
            static_cast<void>(timeline_.reserve(
                {OwnerId(1 + static_cast<std::uint64_t>(below(50))), {}, placement},
                period_of(from, Seconds(1 + below(9)))));
            said_.clear();
        }
    }
    void schedule() {
        const auto jobs = queue_.jobs();
        const auto before = std::exchange(last_, {});
        const auto expected = oracle_.pass(timeline_, jobs);
        const auto pass = queue_.schedule(timeline_, finder_);
        REQUIRE(pass.ok());
        REQUIRE(pass->starts == expected.starts);
        REQUIRE(queue_.reservations() == expected.reservations);
        REQUIRE(pass->wake_at.has_value() ==
                (expected.is_around && !expected.reservations.empty()));
        const auto terse = terse_.schedule(timeline_, terse_finder_);
        REQUIRE(terse.ok());
        REQUIRE(terse->starts == expected.starts);
        for (const TimedAllocation& one : terse->reservations) {
            REQUIRE(one.allocation.placement.nodes.empty());
        }
        std::size_t reported = 0;
        for (const TimedAllocation& one : expected.reservations) {
            const OwnerId owner = one.allocation.owner;
            const auto has = [&](const auto& all, const auto& is_it) {
                return std::any_of(all.begin(), all.end(), is_it);
            };
            const auto was = before.find(owner);
            const bool is_same = was != before.end() && was->second == one;
            REQUIRE(has(pass->reservations, [&](const auto& some) { return some == one; }) ==
                    !is_same);
            const bool is_told = has(terse->reservations, [&](const auto& some) {
                return some.allocation.owner == owner && some.period == one.period;
            });
            REQUIRE(is_told == (was == before.end()));
            reported += is_told;
            const auto said = said_.find(owner);
            if (said != said_.end() && !discipline_.depth && !discipline_.horizon) {
                REQUIRE(one.period.first <= said->second);
                counts_.earlier += one.period.first < said->second;
            }
            said_[owner] = one.period.first;
            last_.emplace(owner, one);
            if (pass->wake_at) REQUIRE(*pass->wake_at <= one.period.first);
        }
        REQUIRE(terse->reservations.size() == reported);
        ++counts_.passes;
        counts_.around += expected.is_around;
        counts_.starts += static_cast<int>(pass->starts.size());
        for (const TimedAllocation& one : pass->starts) {
            REQUIRE(timeline_.reserve(one.allocation, one.period).ok());
        }
    }

    std::mt19937& random_;
    HeldCounts& counts_;
    std::int64_t nodes_;
    bool shares_nodes_;
    Timeline timeline_;
    Discipline discipline_;
    HeldReservationsOracle oracle_;
    JobQueue queue_;
    JobQueue terse_;
    StartFinder finder_;
    StartFinder terse_finder_;
    std::map<OwnerId, Instant> said_;
    std::map<OwnerId, TimedAllocation> last_;  ///< reservations of the last call
    std::uint64_t added_ = 0;
};

void check_held(int cases) {
    HeldCounts counts;
    std::mt19937 random(test_seed());
    for (int round = 0; round < cases; ++round) {
        INFO("seed " << test_seed() << " round " << round);
        const auto nodes = static_cast<std::int64_t>(2 + random() % (round % 16 == 0 ? 90 : 6));
        HeldHistory(random, counts, nodes, round % 3 == 0).run(60);
    }
    CHECK(counts.around > cases * 2);
    CHECK(counts.earlier > cases);
    CHECK(counts.starts > cases * 5);
}

}  // namespace

TEST_CASE("law: a queue that keeps reservations decides as the plain oracle", "[law][time]") {
    check_held(test_rounds(240));
}
TEST_CASE("law: a queue that keeps reservations decides as the plain oracle, 10,000 cases",
          "[law][time][slow]") {
    check_held(10'000);
}

}  // namespace trestle
