// SPDX-License-Identifier: Apache-2.0
// JobQueue: what counts as a change between two calls. The law compares the rest with a pass.
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/codes.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/schedule/queue/job_queue.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

QueuedJob job(std::uint64_t owner, std::int64_t nodes, std::int64_t seconds) {
    Request request;
    request.nodes = Range<Count>::exactly(Count(nodes));
    request.exclusivity = Exclusivity::whole_node;
    return {OwnerId(owner), std::move(request), Seconds(seconds)};
}

void give(Timeline& timeline, std::uint64_t owner, const NodeSet& nodes, const Period& period) {
    Allocation allocation{OwnerId(owner), {}, *whole_nodes(timeline.cluster(), nodes)};
    REQUIRE(timeline.reserve(std::move(allocation), period).ok());
}

std::vector<std::uint64_t> owners_of(const std::vector<TimedAllocation>& all) {
    std::vector<std::uint64_t> owners;
    for (const TimedAllocation& one : all) owners.push_back(one.allocation.owner.value());
    return owners;
}

}  // namespace

TEST_CASE("JobQueue: a reservation of the caller's that begins is a change", "[alloc][time]") {
    // Job 1 waits for three nodes until the window ends. Before that begins its nodes are idle, so
    // that job 2, which takes longer, finds none; then job 1 spares node 2.
    for (const bool places : {true, false}) {
        Timeline timeline(*testing::cluster_from_text("5 x (2c)"));
        give(timeline, 8, NodeSet::of({NodeId(0)}), {Instant(0), Instant(100)});
        give(timeline, 9, NodeSet::of({NodeId(3), NodeId(4)}), {Instant(10), Instant(30)});
        JobQueue queue(Discipline::easy(), {places});
        StartFinder finder;
        REQUIRE(queue.add(job(1, 3, 20)).ok());
        REQUIRE(queue.add(job(2, 1, 40)).ok());
        for (const std::int64_t now : {0, 5}) {
            REQUIRE(timeline.advance(Instant(now)).ok());
            CHECK(queue.schedule(timeline, finder)->starts.empty());
        }
        REQUIRE(timeline.advance(Instant(10)).ok());
        CHECK(owners_of(queue.schedule(timeline, finder)->starts) == std::vector<std::uint64_t>{2});
    }
}

TEST_CASE("JobQueue: a node that goes down and a job that ends are changes", "[alloc][time]") {
    Timeline timeline(*testing::cluster_from_text("3 x (2c)"));
    give(timeline, 9, NodeSet::of({NodeId(0)}), {Instant(0), Instant(100)});
    JobQueue queue(Discipline::easy());
    StartFinder finder;
    REQUIRE(queue.add(job(1, 3, 20)).ok());
    REQUIRE(queue.add(job(2, 2, 200)).ok());
    CHECK(queue.schedule(timeline, finder)->starts.empty());
    CHECK(queue.reservations().front().period.first == Instant(100));
    REQUIRE(timeline
                .change_cluster([](Cluster& cluster) {
                    cluster.set_node_state(NodeId(0), NodeState::down);
                    return Status();
                })
                .ok());
    CHECK(owners_of(queue.schedule(timeline, finder)->starts) == std::vector<std::uint64_t>{2});
    CHECK(queue.reservations().empty());
    REQUIRE(queue.add(job(3, 1, 5)).ok());  // what started before was not taken
    CHECK(owners_of(queue.schedule(timeline, finder)->starts) == std::vector<std::uint64_t>{3});
}

TEST_CASE("JobQueue: an owner that has something is refused, and the queue stays",
          "[alloc][time]") {
    Timeline timeline(*testing::cluster_from_text("3 x (2c)"));
    JobQueue queue;
    StartFinder finder;
    REQUIRE(queue.add(job(1, 1, 20)).ok());
    give(timeline, 1, NodeSet::of({NodeId(0)}), {Instant(0), Instant(9)});
    CHECK(queue.schedule(timeline, finder).status().code() == refused);
    REQUIRE(timeline.advance(Instant(9)).ok());
    CHECK(owners_of(queue.schedule(timeline, finder)->starts) == std::vector<std::uint64_t>{1});
    CHECK(queue.size() == 0);
}

TEST_CASE("JobQueue: what is refused, and leaves the queue as it is", "[alloc][time]") {
    Timeline timeline(*testing::cluster_from_text("2 x (2c)"));
    give(timeline, 9, NodeSet::of({NodeId(0), NodeId(1)}), {Instant(0), Instant(100)});
    StartFinder finder;
    SECTION("a duration of 0") {
        JobQueue queue;
        CHECK(queue.add(job(1, 1, 0)).code() == StatusCode::kInvalidArgument);
        CHECK(queue.size() == 0);
    }
    SECTION("a job that the caller has reserved") {
        JobQueue queue(Discipline::conservative());
        REQUIRE(queue.add(job(1, 1, 20)).ok());
        REQUIRE(queue.add(job(2, 1, 20)).ok());
        REQUIRE(queue.schedule(timeline, finder).ok());
        const TimedAllocation reserved = queue.reservations().front();
        REQUIRE(timeline.reserve(reserved.allocation, reserved.period).ok());
        CHECK(queue.schedule(timeline, finder).status().code() == refused);
        REQUIRE(queue.remove(reserved.allocation.owner).ok());
        CHECK(queue.schedule(timeline, finder).ok());
    }
    SECTION("an owner that has something, behind passes that went on") {
        JobQueue queue(Discipline::conservative());
        REQUIRE(queue.add(job(1, 1, 20)).ok());
        REQUIRE(queue.schedule(timeline, finder).ok());
        REQUIRE(queue.add(job(2, 1, 20)).ok());
        REQUIRE(queue.schedule(timeline, finder).ok());
        REQUIRE(queue.add(job(9, 1, 20)).ok());
        CHECK(queue.schedule(timeline, finder).status().code() == refused);
        CHECK(owners_of(queue.reservations()) == std::vector<std::uint64_t>{1, 2});
        REQUIRE(queue.remove(OwnerId(9)).ok());
        CHECK(queue.schedule(timeline, finder).ok());
        CHECK(owners_of(queue.reservations()) == std::vector<std::uint64_t>{1, 2});
    }
    SECTION("an exception of the policy") {
        bool throws = false;
        StartFinder own({}, [&](const ScoreInput&) -> Score {
            if (throws) throw std::runtime_error("no score");
            return {1, 0};
        });
        JobQueue queue(Discipline::conservative());
        REQUIRE(queue.add(job(1, 1, 20)).ok());
        REQUIRE(queue.schedule(timeline, own).ok());
        const auto before = queue.reservations();
        REQUIRE(queue.add(job(2, 2, 30)).ok());
        REQUIRE(timeline.advance(Instant(100)).ok());
        throws = true;
        StartFinder other(
            {}, [&](const ScoreInput&) -> Score { throw std::runtime_error("no score"); });
        CHECK_THROWS_AS((void)queue.schedule(timeline, other), std::runtime_error);
        CHECK(queue.reservations() == before);
        CHECK(queue.size() == 2);
        throws = false;
        CHECK(owners_of(queue.schedule(timeline, own)->starts) == std::vector<std::uint64_t>{1});
    }
}

TEST_CASE("JobQueue: what is held is the job's that waits, on nodes that are there",
          "[alloc][time]") {
    JobQueue::Options options;
    options.keeps_reservations = true;
    JobQueue queue(Discipline::conservative(), options);
    StartFinder finder;
    SECTION("another job with the same owner has no hold") {
        // Both by cores, which is job by job, and by whole nodes, which is by sets.
        const bool is_whole = GENERATE(true, false);
        const auto ask = [&](std::uint64_t owner, std::int64_t nodes, std::int64_t seconds) {
            if (is_whole) return job(owner, nodes, seconds);
            Request request;
            request.nodes = Range<Count>::exactly(Count(nodes));
            request.cpus_per_task = Range<Count>::exactly(Count(2));
            return QueuedJob{OwnerId(owner), std::move(request), Seconds(seconds)};
        };
        Timeline timeline(*testing::cluster_from_text("2 x (2c)"));
        give(timeline, 9, NodeSet::of({NodeId(0), NodeId(1)}), {Instant(0), Instant(100)});
        REQUIRE(queue.add(ask(7, 1, 1'000)).ok());
        REQUIRE(queue.schedule(timeline, finder).ok());
        REQUIRE(queue.remove(OwnerId(7)).ok());
        REQUIRE(queue.add(ask(7, 2, 10)).ok());
        REQUIRE(timeline.set_end(OwnerId(9), Instant(500)).ok());
        const auto pass = queue.schedule(timeline, finder);
        REQUIRE(pass.ok());
        REQUIRE(queue.reservations().size() == 1);
        CHECK(queue.reservations()[0].period == Period{Instant(500), Instant(510)});
        CHECK(queue.reservations()[0].allocation.placement.nodes.size() == 2);
    }
    SECTION("another timeline with fewer nodes ends the hold") {
        Timeline many(*testing::cluster_from_text("200 x (2c)"));
        give(many, 9, NodeSet::range({0, 150}), {Instant(0), Instant(300)});
        give(many, 8, NodeSet::range({150, 200}), {Instant(0), Instant(100)});
        REQUIRE(queue.add(job(7, 3, 10)).ok());
        REQUIRE(queue.schedule(many, finder).ok());
        REQUIRE(queue.reservations().size() == 1);
        Timeline few(*testing::cluster_from_text("10 x (2c)"));
        give(few, 9, NodeSet::range({0, 10}), {Instant(0), Instant(600)});
        const auto pass = queue.schedule(few, finder);
        REQUIRE(pass.ok());
        REQUIRE(queue.reservations().size() == 1);
        CHECK(queue.reservations()[0].period.first == Instant(600));
    }
}

TEST_CASE("JobQueue: a watch that throws leaves the queue as it was", "[alloc][time]") {
    for (const Discipline& discipline :
         {Discipline::strict(), Discipline::easy(), Discipline::conservative(),
          Discipline::lookahead(), Discipline::slack_based()}) {
        Timeline timeline(*testing::cluster_from_text("4 x (2c)"));
        const auto fill = [&](JobQueue& queue) {
            for (unsigned owner = 1; owner <= 12; ++owner) {
                REQUIRE(queue.add(job(owner, 1 + owner % 3, 10 + owner * 7 % 40)).ok());
            }
        };
        JobQueue expected(discipline);
        fill(expected);
        StartFinder usual;
        int questions = 0;
        usual.set_watch([&] { ++questions; });
        const auto decided = expected.schedule(timeline, usual);
        REQUIRE(decided.ok());
        CHECK(questions > 0);
        for (int last = 1; last <= questions; last += questions / test_rounds(questions)) {
            CAPTURE(last);
            JobQueue queue(discipline);
            fill(queue);
            StartFinder finder;
            finder.set_watch([&, calls = 0]() mutable {
                if (++calls == last) throw std::runtime_error("enough");
            });
            CHECK_THROWS_AS((void)queue.schedule(timeline, finder), std::runtime_error);
            CHECK(queue.size() == 12);
            CHECK(queue.reservations().empty());
            finder.set_watch({});
            CHECK(queue.schedule(timeline, finder) == decided);
        }
    }
}

TEST_CASE("JobQueue: a finder that was moved is asked where it is now", "[alloc][time]") {
    Timeline timeline(*testing::cluster_from_text("2 x (2c)"));
    give(timeline, 9, NodeSet::of({NodeId(0), NodeId(1)}), {Instant(0), Instant(100)});
    JobQueue queue(Discipline::conservative());
    auto first = std::make_unique<StartFinder>();
    REQUIRE(queue.add(job(1, 1, 20)).ok());
    REQUIRE(queue.schedule(timeline, *first).ok());
    StartFinder second = std::move(*first);
    first.reset();
    REQUIRE(queue.add(job(2, 2, 20)).ok());
    CHECK(owners_of(queue.schedule(timeline, second)->reservations) ==
          std::vector<std::uint64_t>{2});
}

TEST_CASE("JobQueue: a function that leaves nodes out", "[alloc][time]") {
    // The function takes an idle node for no job of one CPU. Job 3 takes it; then job 4 may.
    Timeline timeline(*testing::cluster_from_text("2 x (4c)"));
    give(timeline, 9, NodeSet::of({NodeId(0)}), {Instant(0), Instant(100)});
    const auto function = [](const ScoreInput& input) -> Score {
        const bool is_small = input.placement.cores.count() == 1;
        const bool is_left_out = input.state.free.is_idle && is_small;
        return {is_left_out ? std::numeric_limits<double>::quiet_NaN() : 1, 0};
    };
    const auto small = [](std::uint64_t owner, std::int64_t cpus) {
        Request request;
        request.cpus_per_task = Range<Count>::exactly(Count(cpus));
        return QueuedJob{OwnerId(owner), std::move(request), Seconds(10)};
    };
    const std::vector<QueuedJob> jobs{job(1, 2, 20), small(2, 1), small(3, 2), small(4, 1)};
    StartFinder finder({}, function);
    JobQueue queue(Discipline::easy());
    for (const QueuedJob& one : jobs) REQUIRE(queue.add(one).ok());
    const auto pass = schedule_pass(timeline, jobs, Discipline::easy(), finder);
    CHECK(owners_of(pass->starts) == std::vector<std::uint64_t>{3, 4});
    CHECK(queue.schedule(timeline, finder)->starts == pass->starts);
}

}  // namespace trestle
