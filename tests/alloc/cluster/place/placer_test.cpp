// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/place/placer.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "alloc/cluster/states/node_states.hpp"
#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

void take_memory(Cluster& cluster, OwnerId owner, std::uint32_t node, Bytes bytes) {
    NodePlacement part;
    part.node = NodeId(node);
    part.memory = {{DomainId(0), bytes}};
    REQUIRE(cluster.adopt(owner, {{part}}).ok());
}

PreparedRequest nearly_a_tebibyte() {
    Request request;
    request.memory = Range<Bytes>::at_least(gib(1023));
    return PreparedRequest(std::move(request));
}

/// Lets both nodes go from state to state, node 1 first, until they are in the state of that number
/// again, with ever more memory taken: a byte, two bytes.
void come_back_to(Cluster& cluster, StateId number) {
    for (std::int64_t bytes = 1; bytes < 5000; ++bytes) {
        take_memory(cluster, OwnerId(1), 1, Bytes(bytes));
        take_memory(cluster, OwnerId(0), 0, Bytes(bytes));
        if (cluster.states().of(NodeId(0)) == number) return;
        REQUIRE(cluster.release(OwnerId(0)).ok());
        REQUIRE(cluster.release(OwnerId(1)).ok());
    }
    FAIL("the number was not used again");
}

}  // namespace

TEST_CASE("Placer: a node that comes back to a number may be in another state", "[alloc]") {
    Cluster cluster = *testing::cluster_from_text("2 x (4c mem=1T)");
    Placer placer;
    const PreparedRequest request = nearly_a_tebibyte();
    // Not one where idle nodes are: these come back, too.
    take_memory(cluster, OwnerId(0), 0, gib(2));
    take_memory(cluster, OwnerId(1), 1, gib(2));
    const StateId number = cluster.states().of(NodeId(0));
    REQUIRE(cluster.states().of(NodeId(1)) == number);
    CHECK_FALSE(placer.place(cluster, request));
    REQUIRE(cluster.release(OwnerId(0)).ok());
    REQUIRE(cluster.release(OwnerId(1)).ok());
    come_back_to(cluster, number);
    const auto found = placer.place(cluster, request);
    REQUIRE(found);
    CHECK(found->nodes.front().node == NodeId(0));
}

TEST_CASE("Placer: nodes that left and came back are where they were", "[alloc]") {
    Cluster cluster = *testing::cluster_from_text("3 x (4c mem=1T)");
    Placer placer;
    const PreparedRequest request = nearly_a_tebibyte();
    take_memory(cluster, OwnerId(0), 0, gib(2));
    for (const std::uint32_t gone : {1u, 2u, 1u}) {
        CHECK(placer.place(cluster, request)->nodes.front().node == NodeId(1));
        take_memory(cluster, OwnerId(9), gone, gib(2));
        REQUIRE(cluster.release(OwnerId(9)).ok());
    }
    take_memory(cluster, OwnerId(9), 1, gib(2));
    CHECK(placer.place(cluster, request)->nodes.front().node == NodeId(2));
}

TEST_CASE("Placer: requests that are asked about in turn agree with place()", "[alloc][law]") {
    Rng rng(test_seed());
    Cluster cluster = *testing::cluster_from_text("4 x (4c mem=1T)");
    Placer placer;
    std::vector<PreparedRequest> requests;
    for (const std::int64_t left : {1024, 1023, 1022}) {
        Request request;
        request.memory = Range<Bytes>::at_least(gib(left));
        requests.emplace_back(std::move(request));
    }
    for (int round = 0; round < 3000; ++round) {
        for (std::uint64_t change = rng.below(6); change != 0; --change) {
            const auto node = static_cast<std::uint32_t>(rng.below(4));
            const OwnerId owner(node);
            if (cluster.find_allocation(owner) != nullptr) {
                REQUIRE(cluster.release(owner).ok());
            } else {
                take_memory(cluster, owner, node, gib(1 + static_cast<std::int64_t>(rng.below(4))));
            }
        }
        const PreparedRequest& request = requests[static_cast<std::size_t>(rng.below(3))];
        REQUIRE(placer.place(cluster, request) == place(cluster, *request));
    }
}

}  // namespace trestle
