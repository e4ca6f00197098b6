// SPDX-License-Identifier: Apache-2.0
#include "support/network_generators.hpp"

#include <set>

#include "model/topologies.hpp"
#include "model/topology/levels.hpp"
#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle::testing {
namespace {

TEST_CASE("any_network: consistent, of each kind, over the nodes there are", "[testing]") {
    std::set<TopologyKind> kinds;
    std::set<std::uint32_t> heights;
    std::size_t complete = 0;
    std::size_t partial = 0;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), 500}, [&](Choices& choices) {
        const auto node_count = static_cast<std::uint32_t>(choices.below(20));
        const Network network = any_network(choices, node_count);
        REQUIRE(message(check(network)) == "");
        for_each_topology(network, [&](TopologyId id, const auto& topology) {
            kinds.insert(id.kind);
            const NodeSet nodes = nodes_of(topology);
            REQUIRE((nodes.is_empty() || nodes.last()->value() < node_count));
            ++(nodes.count() == node_count ? complete : partial);
        });
        for (const TreeTopology& tree : network.trees) {
            for (const std::uint32_t height : heights_of(tree)) heights.insert(height);
        }
    });
    CHECK(kinds.size() == 4);
    CHECK(heights == std::set<std::uint32_t>{0, 1, 2, 3});
    CHECK(complete > 100);
    CHECK(partial > 100);
}

TEST_CASE("any_topology_request: what makes sense for the nodes", "[testing]") {
    INFO("seed " << test_seed());
    std::set<std::size_t> asked;
    for_random_choices({test_seed(), 500}, [&](Choices& choices) {
        const auto nodes = static_cast<std::uint32_t>(1 + choices.below(12));
        const TopologyRequest request = any_topology_request(choices, nodes);
        REQUIRE(message(check(request, Range<Count>::exactly(Count(nodes)))) == "");
        const bool things[] = {request.switches_max.has_value(),
                               request.level.has_value(),
                               request.segment_size.has_value(),
                               request.shape.has_value(),
                               request.is_on_ring,
                               request.is_contiguous,
                               !request.topology.empty()};
        for (std::size_t i = 0; i < std::size(things); ++i) {
            if (things[i]) asked.insert(i);
        }
    });
    CHECK(asked.size() == 7);
}

}  // namespace
}  // namespace trestle::testing
