// SPDX-License-Identifier: Apache-2.0
// Groups of a job that share nodes: random small worlds against an oracle that tries every way.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/oracle_place.hpp"
#include "support/random_job.hpp"
#include "support/seed.hpp"
#include "support/uneven_jobs.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {

namespace {

/// A group that asks for little: small nodes have room for two.
Request any_modest_group(testing::Choices& choices) {
    Request request;
    request.tasks = Count(1 + static_cast<std::int64_t>(choices.below(2)));
    if (choices.one_in(3)) request.memory = Range<Bytes>::at_least(mib(512));
    if (choices.one_in(3)) {
        request.devices = {DeviceRequest()};
        if (choices.one_in(2)) request.devices[0].shares = Count(1);
        if (choices.one_in(2)) request.devices[0].locality = Strictness::require;
    }
    if (choices.one_in(4)) {
        request.cpus_per_task = Range<Count>::at_most(Count(0));
        request.milli_cpus = MilliCpu(500);
    }
    if (choices.one_in(6)) request.partition = choices.one_in(2) ? "day" : "night";
    if (choices.one_in(8)) request.required_nodes = {"n0"};
    if (choices.one_in(8)) request.excluded_nodes = {"n0"};
    return request;
}

/// A group of one or two nodes.
Request any_small_group(testing::Choices& choices, const Cluster& cluster, bool is_split) {
    const bool is_modest = !choices.one_in(4);
    Request request = is_modest ? any_modest_group(choices) : detail::any_group(choices, cluster);
    if (is_split && !is_modest) detail::split_somehow(choices, request);
    request.nodes = Range<Count>::between(Count(1), Count(choices.one_in(3) ? 2 : 1));
    if (choices.one_in(3)) request.nodes.min = request.nodes.max;
    request.node_counts.clear();
    if (request.tasks && Count(3) < *request.tasks) request.tasks = Count(3);
    if (choices.one_in(16)) request.exclusivity = Exclusivity::whole_node;
    return request;
}

Request any_sharing_job(testing::Choices& choices, const Cluster& cluster) {
    const bool is_split = choices.one_in(3);
    Request request = any_small_group(choices, cluster, is_split);
    for (auto n = 1 + choices.below(2); n > 0; --n) {
        request.components.push_back(any_small_group(choices, cluster, is_split));
    }
    request.component_nodes = Request::ComponentNodes::shared;
    if (choices.one_in(8)) request.feature_counts = {{detail::any_expression(choices), Count(1)}};
    return request;
}

/// What is wrong with a placement, as far as the oracle can judge: of one demand for devices.
std::string fault_of(const PlaceOracle& oracle, const Request& request, const Placement& given) {
    const bool has_two = request.devices.size() > 1 ||
                         std::any_of(request.components.begin(), request.components.end(),
                                     [](const Request& one) { return one.devices.size() > 1; });
    return has_two ? "" : oracle.wrong_with(given);
}

bool shares_node(const Placement& placement) {
    std::set<NodeId> nodes;
    for (const NodePlacement& part : placement.nodes) {
        if (!nodes.insert(part.node).second) return true;
    }
    return false;
}

struct SharedTally {
    std::uint64_t asked = 0;
    std::uint64_t placed = 0;
    std::uint64_t shared = 0;
    std::uint64_t gave_up = 0;
};

}  // namespace

TEST_CASE("shared: random worlds, the answer of the oracle", "[alloc][law]") {
    INFO("seed " << test_seed());
    SharedTally tally;
    testing::for_random_choices({test_seed(), test_rounds(3'000U)}, [&](testing::Choices& choices) {
        const Cluster cluster = any_job_world(choices, {3, false});
        const Request request = any_sharing_job(choices, cluster);
        if (!check(request).ok()) return;
        const PlaceOptions options = any_place_options(choices);
        const PlaceOracle oracle(cluster, request, options);
        const auto expected = oracle.best();
        const auto answer = place(cluster, request, options);
        ++tally.asked;
        INFO(world_text(cluster, request) << "\nanswer " << to_text(answer) << "\nexpected "
                                          << (expected ? to_text(*expected) : "none"));
        if (!answer && answer.refusal().constraint == Constraint::gave_up) {
            ++tally.gave_up;
            REQUIRE(!expected);  // with the orders that both try, there is none
            return;
        }
        REQUIRE(answer.has_value() == expected.has_value());
        if (!answer) return;
        REQUIRE(*answer == *expected);
        REQUIRE(fault_of(oracle, request, *answer) == "");
        ++tally.placed;
        tally.shared += shares_node(*answer) ? 1U : 0U;
        Cluster after = cluster;
        const OwnerId owner(1'000);
        REQUIRE(after.commit({owner, request, *answer}).ok());
        REQUIRE(after.release(owner).ok());
        REQUIRE(after == cluster);
    });
    CHECK(tally.placed > tally.asked / 8);
    CHECK(tally.shared > tally.placed / 5);
    CHECK(tally.gave_up < tally.asked / 20);
}

TEST_CASE("shared: networks bind the nodes of all groups together", "[alloc][law]") {
    INFO("seed " << test_seed());
    SharedTally tally;
    testing::for_random_choices({test_seed(), test_rounds(1'000U)}, [&](testing::Choices& choices) {
        const Cluster cluster = any_job_world(choices, {4, true});
        Request request = any_sharing_job(choices, cluster);
        request.topology = testing::any_topology_request(choices, 2);
        if (!check(request).ok()) return;
        const PlaceOracle oracle(cluster, request);
        const auto answer = place(cluster, request);
        ++tally.asked;
        INFO(world_text(cluster, request) << "\nanswer " << to_text(answer));
        if (!answer && answer.refusal().constraint == Constraint::gave_up) {
            ++tally.gave_up;
            return;
        }
        REQUIRE(answer.has_value() == oracle.has_placement());
        if (!answer) return;
        REQUIRE(fault_of(oracle, request, *answer) == "");
        ++tally.placed;
        tally.shared += shares_node(*answer) ? 1U : 0U;
    });
    CHECK(tally.placed > tally.asked / 20);
    CHECK(tally.shared > tally.placed / 10);
    CHECK(tally.gave_up < tally.asked / 4);
}

TEST_CASE("shared: a small budget gives up, and never says a wrong no", "[alloc][law]") {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(1'000U)}, [&](testing::Choices& choices) {
        const Cluster cluster = any_job_world(choices, {3, false});
        const Request request = any_sharing_job(choices, cluster);
        if (!check(request).ok()) return;
        PlaceOptions few;
        few.fit.steps_max = 1 + choices.below(choices.one_in(2) ? 20 : 300);
        const auto answer = place(cluster, request, few);
        if (!answer && answer.refusal().constraint == Constraint::gave_up) return;
        INFO(world_text(cluster, request)
             << "\nsteps " << few.fit.steps_max << "\nanswer " << to_text(answer));
        const PlaceOracle oracle(cluster, request);
        REQUIRE(answer.has_value() == oracle.has_placement());
        if (answer) REQUIRE(fault_of(oracle, request, *answer) == "");
    });
}

TEST_CASE("shared: a placer answers as place() does", "[alloc][law]") {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(300U)}, [&](testing::Choices& choices) {
        Cluster cluster = any_job_world(choices, {3, false});
        const Request request = any_sharing_job(choices, cluster);
        if (!check(request).ok()) return;
        const PlaceOptions options = any_place_options(choices);
        Placer placer(options);
        for (std::uint64_t job = 1'000; job < 1'004; ++job) {
            const auto answer = placer.place(cluster, request);
            REQUIRE(answer == place(cluster, request, options));
            if (!answer) break;
            REQUIRE(cluster.commit({OwnerId(job), request, *answer}).ok());
        }
    });
}

}  // namespace trestle
