// SPDX-License-Identifier: Apache-2.0
// Policies of the caller's own: what they are asked, how often, and what becomes of their answers.
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/cluster/place/place_many.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

Request one_cpu() { return {}; }

/// Most left first, and how many states were in question each time.
struct Watched {
    std::vector<std::size_t> batches;

    [[nodiscard]] BatchScoreFunction function() {
        return [this](std::span<const ScoreInput> inputs) {
            batches.push_back(inputs.size());
            std::vector<Score> scores;
            for (const ScoreInput& input : inputs) {
                scores.push_back({static_cast<double>(input.after.milli_cpus), 0});
            }
            return scores;
        };
    }
};

}  // namespace

TEST_CASE("policy function: all states are asked about at once, and only while they are new") {
    Cluster cluster = *testing::cluster_from_text("40 x (1c); 30 x (2c); 2 x (3c)");
    Watched watched;
    Placer placer({}, watched.function());
    const PreparedRequest request(one_cpu());
    using Batches = std::vector<std::size_t>;
    const auto place_and_commit = [&](std::uint64_t owner) {
        const auto placement = placer.place(cluster, request);
        REQUIRE(placement);
        REQUIRE(cluster.commit({OwnerId(owner), request, *placement}).ok());
        return placement->nodes.front().node;
    };
    CHECK(place_and_commit(1) == NodeId(70));
    CHECK(watched.batches == Batches{3});
    CHECK(place_and_commit(2) == NodeId(71));
    CHECK(watched.batches == Batches{3, 1});  // three cores, one of them taken
    CHECK(place_and_commit(3) == NodeId(40));
    CHECK(watched.batches == Batches{3, 1});  // node 71 is now as node 70
    REQUIRE(cluster.release(OwnerId(3)).ok());
    CHECK(place_and_commit(3) == NodeId(40));
    CHECK(watched.batches == Batches{3, 1});
    CHECK(place_and_commit(4) == NodeId(41));
    CHECK(watched.batches == Batches{3, 1, 1});
}

TEST_CASE("policy function: each different part of a job is one question") {
    const Cluster cluster = *testing::cluster_from_text("4 x (2c); 4 x (4c)");
    Watched watched;
    Request request;
    request.nodes = Range<Count>::exactly(Count(3));
    request.tasks = Count(5);  // two parts of two tasks, one of one
    const auto placement = Placer({}, watched.function()).place(cluster, request);
    REQUIRE(placement);
    CHECK(watched.batches == std::vector<std::size_t>{2, 2});
}

TEST_CASE("policy function: a score that is not a number is a no") {
    const Cluster cluster = *testing::cluster_from_text("2 x (1c); (2c); (4c)");
    const auto without = [](std::int64_t milli_cpus) -> ScoreFunction {
        return [milli_cpus](const ScoreInput& input) -> Score {
            if (milli_cpus != 0 && input.before.milli_cpus != milli_cpus) return {1, 0};
            return {0, std::numeric_limits<double>::quiet_NaN()};
        };
    };
    const PreparedRequest request(one_cpu());
    const auto placement = Placer({}, without(1000)).place(cluster, request);
    REQUIRE(placement);
    CHECK(placement->nodes.front().node == NodeId(2));
    const auto nothing = Placer({}, without(0)).place(cluster, request);
    REQUIRE_FALSE(nothing);
    CHECK(nothing.refusal().constraint == Constraint::candidates);
    CHECK(nothing.refusal().reason == "n0 has no score, the caller's policy leaves it out");
    Request two;
    two.nodes = Range<Count>::exactly(Count(3));
    const auto too_few = Placer({}, without(1000)).place(cluster, PreparedRequest(two));
    REQUIRE_FALSE(too_few);
    CHECK(too_few.refusal().reason ==
          "asked 3 nodes, 2 of 4 can take a part; "
          "n0 has no score, the caller's policy leaves it out");
}

TEST_CASE("policy function: infinite scores are first and last") {
    const Cluster cluster = *testing::cluster_from_text("(1c); (2c); (4c)");
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto first = [&](double most) {
        const ScoreFunction function = [most](const ScoreInput& input) -> Score {
            return {input.before.milli_cpus == 4000 ? most : 0, 0};
        };
        return Placer({}, function).place(cluster, one_cpu())->nodes.front().node;
    };
    CHECK(first(infinity) == NodeId(2));
    CHECK(first(-infinity) == NodeId(0));
}

TEST_CASE("policy function: what the caller throws leaves nothing half known") {
    Cluster cluster = *testing::cluster_from_text("2 x (1c); 2 x (2c)");
    bool throws = true;
    const ScoreFunction function = [&](const ScoreInput& input) -> Score {
        if (throws) throw std::runtime_error("not now");
        return {static_cast<double>(input.before.milli_cpus), 0};
    };
    Placer placer({}, function);
    const PreparedRequest request(one_cpu());
    CHECK_THROWS_AS(placer.place(cluster, request), std::runtime_error);
    throws = false;
    CHECK(placer.place(cluster, request)->nodes.front().node == NodeId(2));

    NodeFilter filter;
    filter.predicate = [&](NodeId node) {
        if (throws && node == NodeId(3)) throw std::runtime_error("not now");
        return !throws;
    };
    throws = true;
    CHECK_THROWS_AS(placer.place(cluster, request, filter), std::runtime_error);
    throws = false;
    CHECK(placer.place(cluster, request, filter)->nodes.front().node == NodeId(2));
}

TEST_CASE("Placer: a watch is called for each place, and may end it") {
    Cluster cluster = *testing::cluster_from_text("2 x (2c)");
    Placer placer;
    int calls = 0;
    placer.set_watch([&] {
        if (++calls == 3) throw std::runtime_error("enough");
    });
    const std::vector<JobOrder> jobs{
        {OwnerId(1), one_cpu()}, {OwnerId(2), one_cpu()}, {OwnerId(3), one_cpu()}};
    CHECK_THROWS_AS((void)place_many(cluster, jobs, placer), std::runtime_error);
    CHECK(calls == 3);
    CHECK(cluster.allocation_count() == 2);
    placer.set_watch({});
    CHECK(placer.place(cluster, one_cpu()) == place(cluster, one_cpu()));
    CHECK(calls == 3);
}

TEST_CASE("policy function: a batch of another length is a breach of contract") {
    const Cluster cluster = *testing::cluster_from_text("2 x (1c)");
    const BatchScoreFunction none = [](std::span<const ScoreInput>) {
        return std::vector<Score>();
    };
    Placer placer({}, none);
    CHECK(broken_contract([&] { (void)placer.place(cluster, one_cpu()); }) ==
          "there is a score for each input");
}

}  // namespace trestle
