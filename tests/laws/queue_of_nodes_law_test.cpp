// SPDX-License-Identifier: Apache-2.0
// A queue of jobs that want nothing but nodes, on nodes that are alike, decides as a pass over the
// same jobs does.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/schedule/queue/job_queue.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

struct NodeQueueCounts {
    int passes = 0, starts = 0, reservations = 0;
};

/// What happens to a timeline and a queue, at random.
class NodeQueueHistory {
  public:
    NodeQueueHistory(std::mt19937& random, NodeQueueCounts& counts, std::int64_t nodes)
        : random_(random),
          counts_(counts),
          nodes_(nodes),
          timeline_(*testing::cluster_from_text(fmt::format("{} x (2c)", nodes))),
          discipline_(any_discipline()),
          queue_(discipline_),
          unplaced_(discipline_, {false}) {}

    void run(int steps) {
        for (; steps > 0; --steps) {
            switch (below(11)) {
                case 0:
                    advance();
                    break;
                case 1:
                    cancel();
                    break;
                case 2:
                    remove();
                    break;
                case 3:
                    if (below(4) == 0) reserve();
                    break;
                case 4:
                    if (below(6) == 0) disturb();
                    break;
                case 5:
                case 6:
                case 7:
                    schedule();
                    break;
                default:
                    add();
            }
        }
    }

  private:
    std::int64_t below(std::int64_t end) {
        return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
    }
    Discipline any_discipline() {
        Discipline discipline;
        discipline.order =
            enum_names(Discipline::Order())[static_cast<std::size_t>(below(3))].value;
        if (below(3) != 0) discipline.reservations_max = Count(below(4));
        if (below(6) == 0) discipline.horizon = Seconds(below(12));
        discipline.spares_idle = below(3) != 0;
        return discipline;
    }
    std::optional<Seconds> any_duration() {
        if (below(20) == 0) return std::nullopt;
        return Seconds(1 + below(below(3) == 0 ? 60 : 9));
    }
    void add() {
        Request request;
        request.nodes = Range<Count>::exactly(Count(1 + below(1 + below(nodes_ + 1))));
        request.exclusivity = Exclusivity::whole_node;
        if (below(6) == 0) request.time_limit = Seconds(1 + below(9));
        if (below(60) == 0) request.cpus_per_task = Range<Count>::at_least(Count(2));
        const QueuedJob job{OwnerId(100 + added_++), std::move(request), any_duration(),
                            below(3) - 1};
        std::optional<std::uint64_t> place;
        if (below(4) == 0) place = static_cast<std::uint64_t>(below(std::int64_t(added_)));
        REQUIRE(queue_.add(job, place).ok());
        REQUIRE(unplaced_.add(job, place).ok());
    }
    void remove() {
        const auto all = queue_.jobs();
        if (all.empty()) return;
        const OwnerId owner = all[static_cast<std::size_t>(below(std::ssize(all)))].owner;
        REQUIRE(queue_.remove(owner).ok());
        REQUIRE(unplaced_.remove(owner).ok());
    }
    void advance() {
        REQUIRE(timeline_.advance(saturating_add(timeline_.now(), Seconds(below(4)))).ok());
    }
    void cancel() {
        const auto all = timeline_.reservations();
        if (all.empty()) return;
        const auto& one = all[static_cast<std::size_t>(below(std::ssize(all)))];
        if (below(3) == 0) {  // it ends at another time
            const Instant end = saturating_add(timeline_.now(), Seconds(1 + below(30)));
            static_cast<void>(timeline_.set_end(one.allocation.owner, end));
        } else {
            REQUIRE(timeline_.cancel(one.allocation.owner).ok());
        }
    }
    /// Of the caller's own, whole nodes or a core of each.
    void reserve() {
        NodeSet nodes;
        for (std::int64_t i = 1 + below(3); i > 0; --i) {
            nodes.insert(NodeId(static_cast<std::uint32_t>(below(nodes_))));
        }
        Placement placement = *whole_nodes(timeline_.cluster(), nodes);
        if (below(2) == 0) {
            for (NodePlacement& part : placement.nodes) {
                part.cores = CoreSet::of({CoreId(static_cast<std::uint32_t>(below(2)))});
                part.memory.clear();
            }
        }
        const Instant from = saturating_add(timeline_.now(), Seconds(below(12)));
        static_cast<void>(timeline_.reserve(
            {OwnerId(1 + static_cast<std::uint64_t>(below(50))), {}, std::move(placement)},
            period_of(from, any_duration())));
    }
    /// Nodes that differ for a time, another finder, or another timeline.
    void disturb() {
        const std::int64_t what = below(4);
        if (what == 0) finder_ = StartFinder();
        if (what == 1) timeline_ = Timeline(timeline_);
        if (what < 2) return;
        const NodeId node(static_cast<std::uint32_t>(below(nodes_)));
        REQUIRE(timeline_
                    .change_cluster([&](Cluster& cluster) {
                        cluster.set_node_state(node,
                                               what == 2 ? NodeState::up : NodeState::drained);
                        return Status();
                    })
                    .ok());
    }
    void schedule() {
        const auto jobs = queue_.jobs();
        const auto expected = schedule_pass(timeline_, jobs, discipline_);
        REQUIRE(expected.ok());
        const auto before = queue_.reservations();
        const auto pass = queue_.schedule(timeline_, finder_);
        REQUIRE(pass.ok());
        REQUIRE(pass->starts == expected->starts);
        const auto reservations = queue_.reservations();
        REQUIRE(reservations == expected->reservations);
        for (const TimedAllocation& one : reservations) {
            const auto has = [&](const auto& all) {
                return std::find(all.begin(), all.end(), one) != all.end();
            };
            REQUIRE(has(pass->reservations) == !has(before));
        }
        const auto other = unplaced_.schedule(timeline_, other_finder_);
        REQUIRE(other.ok());
        REQUIRE(other->starts == expected->starts);
        const auto unplaced = unplaced_.reservations();
        REQUIRE(unplaced.size() == reservations.size());
        for (std::size_t i = 0; i < unplaced.size(); ++i) {
            REQUIRE(unplaced[i].period == reservations[i].period);
            REQUIRE(unplaced[i].allocation.owner == reservations[i].allocation.owner);
            REQUIRE(unplaced[i].allocation.placement == Placement());
        }
        ++counts_.passes;
        counts_.starts += static_cast<int>(pass->starts.size());
        counts_.reservations += static_cast<int>(reservations.size());
        for (const TimedAllocation& one : pass->starts) {
            if (below(12) == 0) continue;  // it is not taken
            REQUIRE(timeline_.reserve(one.allocation, one.period).ok());
        }
    }

    std::mt19937& random_;
    NodeQueueCounts& counts_;
    std::int64_t nodes_;
    Timeline timeline_;
    Discipline discipline_;
    JobQueue queue_;
    JobQueue unplaced_;
    StartFinder finder_;
    StartFinder other_finder_;
    std::uint64_t added_ = 0;
};

void check_queues_of_nodes(int cases) {
    NodeQueueCounts counts;
    std::mt19937 random(test_seed());
    for (int round = 0; round < cases; ++round) {
        INFO("seed " << test_seed() << " round " << round);
        const bool is_large = round % 16 == 0;
        const auto nodes = static_cast<std::int64_t>(1 + random() % (is_large ? 150 : 7));
        NodeQueueHistory(random, counts, nodes).run(is_large ? 300 : 60);
    }
    CHECK(counts.passes > cases * 10);
    CHECK(counts.starts > cases * 5);
    CHECK(counts.reservations > cases * 10);
}

}  // namespace

TEST_CASE("law: a queue of jobs of whole nodes decides as a pass over its jobs", "[law][time]") {
    check_queues_of_nodes(test_rounds(240));
}
TEST_CASE("law: a queue of jobs of whole nodes decides as a pass over its jobs, 20,000 cases",
          "[law][time][slow]") {
    check_queues_of_nodes(20'000);
}

}  // namespace trestle
