// SPDX-License-Identifier: Apache-2.0
#include "trestle/testing/generators.hpp"

#include <cstdint>
#include <set>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/testing/clock.hpp"
#include "trestle/testing/operations.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle::testing {
namespace {

TEST_CASE("generators: what they make is consistent", "[testing][law]") {
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), 500}, [](Choices& choices) {
        REQUIRE(message(check(*any_node(choices).shape)) == "");
        const Request request = any_request(choices);
        INFO(to_text(request));
        REQUIRE(message(check(request)) == "");
        REQUIRE(message(Cluster::create(any_cluster_parts(choices)).status()) == "");
    });
}

TEST_CASE("generators: all small requests are consistent and differ", "[testing][law]") {
    std::set<std::uint64_t> hashes;
    const auto runs = for_all_choices([&](Choices& choices) {
        const Request request = any_request(choices, Bounds::Request::small());
        REQUIRE(message(check(request)) == "");
        hashes.insert(hash_of(request));
    });
    // nodes 1 or 2, tasks absent, 1 or 2 but never below nodes, cpus, memory; devices or none
    CHECK(runs == 2 * 3 * 2 * 3 * (1 + 2 * 2));
    CHECK(hashes.size() == (3 + 2) * 2 * 3 * (1 + 2 * 2));
}

TEST_CASE("generators: all small clusters can be gone through", "[testing][law]") {
    std::uint64_t with_switches = 0;
    const auto runs = for_all_choices([&](Choices& choices) {
        const Cluster cluster = any_cluster(choices, Bounds::Cluster::small());
        REQUIRE(cluster.node_count() >= 1);
        with_switches += cluster.parts().network.trees.empty() ? 0u : 1u;
    });
    CHECK(with_switches * 2 == runs);
}

TEST_CASE("operations: a history played again gives the same cluster", "[testing][law]") {
    std::size_t most_allocations = 0;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), 100}, [&](Choices& choices) {
        const Cluster idle = any_cluster(choices);
        Bounds::History bounds;
        bounds.nodes = idle.node_count();
        const auto operations = any_operations(choices, bounds);
        Cluster first = idle;
        Cluster second = idle;
        for (const Operation& operation : operations) {
            play(first, operation);
            most_allocations = std::max(most_allocations, first.allocations().size());
        }
        for (const Operation& operation : operations) play(second, operation);
        REQUIRE(first == second);
        while (!first.allocations().empty()) {
            REQUIRE(first.release(first.allocations().front().owner).ok());
        }
        for (std::uint32_t i = 0; i < first.node_count(); ++i) {
            first.set_node_state(NodeId(i), NodeState::up);
        }
        REQUIRE(first == idle);
    });
    CHECK(most_allocations >= 2);
}

TEST_CASE("ManualClock: time passes only when told", "[testing]") {
    ManualClock clock;
    CHECK(clock.now() == Microseconds());
    clock.advance(milliseconds(1'500));
    clock.advance_to(seconds(2));
    CHECK(clock.now() == Microseconds(2'000'000));
}

}  // namespace
}  // namespace trestle::testing
