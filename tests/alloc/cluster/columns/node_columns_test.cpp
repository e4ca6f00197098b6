// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/columns/node_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/random_job.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

using testing::Choices;
using testing::cluster_from_text;
using testing::for_random_choices;

std::vector<bool> feasible_nodes(const Cluster& cluster, const Request& request,
                                 const PlaceOptions& options = {}) {
    const auto row = std::make_unique<bool[]>(cluster.node_count());
    const std::span<bool> out(row.get(), cluster.node_count());
    NodeColumns(cluster, options).feasible(request, out);
    return {out.begin(), out.end()};
}
std::vector<double> node_scores(const Cluster& cluster, const Request& request,
                                const PlaceOptions& options = {}) {
    std::vector<double> scores(cluster.node_count());
    NodeColumns(cluster, options).score(request, scores);
    return scores;
}
std::vector<std::int32_t> fit_counts(const Cluster& cluster, const Request& request,
                                     const PlaceOptions& options = {}) {
    std::vector<std::int32_t> counts(cluster.node_count());
    NodeColumns(cluster, options).fit_count(request, counts);
    return counts;
}

Request with_gpus(std::int64_t gpus, std::int64_t cpus = 1) {
    Request request;
    request.cpus_per_task = Range<Count>::exactly(Count(cpus));
    DeviceRequest device;
    device.name = "gpu";
    device.count = Range<Count>::exactly(Count(gpus));
    request.devices.push_back(device);
    return request;
}

TEST_CASE("NodeColumns: nodes with and without what is asked", "[alloc][columns]") {
    Cluster cluster = *cluster_from_text("2 x (1s8c1t mem=64G gpu:a100:4) + 1 x (1s16c1t mem=64G)");
    const Request two = with_gpus(2);
    const auto taken = place(cluster, with_gpus(3), {}, {});
    REQUIRE(taken);
    REQUIRE(cluster.commit({OwnerId(1), with_gpus(3), *taken}).ok());

    CHECK(feasible_nodes(cluster, two) == std::vector<bool>{false, true, false});
    CHECK(fit_counts(cluster, two) == std::vector<std::int32_t>{0, 2, 0});
    CHECK(fit_counts(cluster, with_gpus(1, 3)) == std::vector<std::int32_t>{1, 2, 0});
    CHECK(fit_counts(cluster, Request()) == std::vector<std::int32_t>{7, 8, 16});

    PlaceOptions options;
    options.policy = Policy::best_fit;
    const auto scores = node_scores(cluster, with_gpus(1), options);
    CHECK(scores[0] > scores[1]);
    CHECK(std::isnan(scores[2]));
}

TEST_CASE("NodeColumns: a node that is required and not there", "[alloc][columns]") {
    const Cluster cluster = *cluster_from_text("2 x (1s4c1t mem=4G)");
    Request request;
    request.required_nodes = {"n7"};
    CHECK(feasible_nodes(cluster, request) == std::vector<bool>{false, false});
    request.required_nodes = {cluster.name(NodeId(1))};
    CHECK(feasible_nodes(cluster, request) == std::vector<bool>{false, true});
}

TEST_CASE("NodeColumns: a function that leaves nodes out", "[alloc][columns]") {
    const Cluster cluster = *cluster_from_text("2 x (1s4c1t mem=4G)");
    NodeColumns columns(cluster, {}, [](std::span<const ScoreInput> all) {
        return std::vector<Score>(all.size(), {std::numeric_limits<double>::quiet_NaN(), 0});
    });
    std::array<bool, 2> out{true, true};
    columns.feasible(Request(), out);
    CHECK(out == std::array{false, false});
}

TEST_CASE("NodeColumns: a cluster without nodes has empty columns", "[alloc][columns]") {
    CHECK(feasible_nodes(Cluster(), Request()).empty());
    CHECK(fit_counts(Cluster(), Request()).empty());
}

TEST_CASE("NodeColumns: several nodes are asked by the smallest part of any split",
          "[alloc][columns]") {
    const Cluster cluster = *cluster_from_text("1 x (1s2c1t mem=4G) + 2 x (1s4c1t mem=4G)");
    Request request;
    request.nodes = Range<Count>::exactly(Count(2));
    request.tasks = Count(5);  // from one on a node to four
    CHECK(feasible_nodes(cluster, request) == std::vector<bool>{true, true, true});
    CHECK(fit_counts(cluster, request) == std::vector<std::int32_t>{2, 4, 4});
    request.distribution.split = TaskDistribution::Split::even;  // three and two
    CHECK(feasible_nodes(cluster, request) == std::vector<bool>{false, true, true});
    request.tasks = Count(4);
    CHECK(feasible_nodes(cluster, request) == std::vector<bool>{true, true, true});
    CHECK(fit_counts(cluster, request) == std::vector<std::int32_t>{1, 2, 2});
    request.nodes = Range<Count>::exactly(Count(4));
    CHECK(feasible_nodes(cluster, request) == std::vector<bool>{false, false, false});
}

/// A world, and a question for one node.
struct ColumnCase {
    Cluster cluster;
    Request request;
    PlaceOptions options;
};

ColumnCase any_column_case(Choices& choices) {
    while (true) {
        ColumnCase one{any_job_world(choices, {5, false}), {}, any_place_options(choices)};
        one.request = any_job(choices, one.cluster, {});
        one.request.components.clear();
        one.request.node_counts.clear();
        one.request.nodes = Range<Count>::exactly(Count(1));
        one.options.spare_devices = false;
        if (check(one.request).ok()) return one;
    }
}

Verdict<Placement> place_on(const Cluster& cluster, const ColumnCase& one, NodeId node) {
    NodeSet only;
    only.insert(node);
    return place(cluster, one.request, one.options, {&only, {}});
}

/// By starting one after the other.
std::int32_t counted_one_by_one(const ColumnCase& one, NodeId node) {
    Cluster cluster = one.cluster;
    for (std::int32_t count = 0;; ++count) {
        const auto found = place_on(cluster, one, node);
        if (!found) return count;
        const OwnerId owner(1'000'000 + static_cast<std::uint64_t>(count));
        REQUIRE(cluster.commit({owner, one.request, {found->nodes, {}}}).ok());
    }
}

struct ColumnCounts {
    std::uint64_t yes = 0;
    std::uint64_t no = 0;
    std::uint64_t several = 0;
    std::uint64_t limited = 0;
};

void check_columns_of(const ColumnCase& one, ColumnCounts& counts) {
    const auto feasible = feasible_nodes(one.cluster, one.request, one.options);
    const auto scores = node_scores(one.cluster, one.request, one.options);
    const auto fits = fit_counts(one.cluster, one.request, one.options);
    for (std::uint32_t n = 0; n < one.cluster.node_count(); ++n) {
        const bool expected = place_on(one.cluster, one, NodeId(n)).has_value();
        REQUIRE(feasible[n] == expected);
        REQUIRE(std::isnan(scores[n]) == !expected);
        ++(expected ? counts.yes : counts.no);
        const std::int32_t count = counted_one_by_one(one, NodeId(n));
        REQUIRE(fits[n] == count);
        if (count > 1) ++counts.several;
    }
    if (!one.request.partition.empty()) ++counts.limited;
    const bool is_one_question =
        one.request.feature_sets.empty() && one.request.device_alternatives.empty();
    const auto best = place(one.cluster, one.request, one.options);
    if (!best || !is_one_question || !one.request.required_nodes.empty()) return;
    const std::uint32_t taken = best->nodes.front().node.value();
    // These two compare what they say second, and one draws.
    const NodePolicy& policy = one.options.policy;
    const bool says_all = policy != Policy::pack_nodes && policy != Policy::weight;
    if (policy == Policy::random) return;
    for (std::uint32_t n = 0; n < scores.size(); ++n) {
        if (std::isnan(scores[n])) continue;
        REQUIRE(scores[n] <= scores[taken]);
        if (says_all && n < taken) REQUIRE(scores[n] < scores[taken]);
    }
}

void check_columns(std::uint64_t cases) {
    ColumnCounts counts;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), cases}, [&](Choices& choices) {
        check_columns_of(any_column_case(choices), counts);
    });
    CHECK(counts.yes > cases / 4);
    CHECK(counts.no > cases / 4);
    CHECK(counts.several > cases / 10);
    CHECK(counts.limited > cases / 10);
}

TEST_CASE("law: a column says of each node what place says of it alone", "[alloc][columns][law]") {
    check_columns(400);
}
TEST_CASE("law: a column says of each node what place says of it alone, 20,000 cases",
          "[alloc][columns][law][slow]") {
    check_columns(20'000);
}

}  // namespace
}  // namespace trestle
