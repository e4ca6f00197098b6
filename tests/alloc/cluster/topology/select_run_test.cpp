// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/topology/select_run.hpp"

#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/oracle_topology.hpp"
#include "support/seed.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {
namespace {

using testing::Choices;
using RunPlaces = std::vector<std::uint32_t>;

/// "xx..x" has the places 0, 1 and 4.
RunIndex runs_of(const std::string& text, RunIndex::Ends ends) {
    RunIndex index(static_cast<std::uint32_t>(text.size()), ends);
    for (std::uint32_t i = 0; i < text.size(); ++i) {
        if (text[i] == 'x') index.add(i);
    }
    return index;
}

RunPlaces node_numbers(const std::vector<NodeId>& nodes) {
    RunPlaces places;
    for (const NodeId node : nodes) places.push_back(node.value());
    return places;
}

RingTopology one_ring(std::uint32_t size) {
    RingTopology topology{"rings", {{"ring", {}}}};
    for (std::uint32_t i = 0; i < size; ++i) topology.rings[0].nodes.emplace_back(i);
    return topology;
}

TEST_CASE("select_contiguous: the shortest run that is long enough", "[alloc][topology]") {
    struct Row {
        const char* eligible;
        std::uint32_t nodes;
        std::vector<NodeId> required;
        RunPlaces places;
        const char* why;
    };
    const std::vector<Row> rows = {
        {"xxxx.xx.xxx", 2, {}, {5, 6}, "a run of two"},
        {"xxxx.xx.xxx", 3, {}, {8, 9, 10}, "not the start of the longer one"},
        {"xxx..xx.xxx", 3, {}, {0, 1, 2}, "the lower of two alike"},
        {"xxxx.xx.xxx", 1, {NodeId(2)}, {2}, "where it is required"},
        {"xxxx.xx.xxx", 2, {NodeId(3)}, {2, 3}, "around what is required"},
        {"xxxx.xx.xxx", 3, {NodeId(3), NodeId(2)}, {1, 2, 3}, "around both"},
        {"xx......xxx", 4, {}, {}, "a row has ends"},
        {"xxxx", 4, {}, {0, 1, 2, 3}, "all of them"},
        {"xxxx", 3, {NodeId(0), NodeId(3)}, {}, "too far from each other"},
        {"xxxx", 1, {NodeId(9)}, {}, "there is no such node"},
        {"", 1, {}, {}, "no node at all"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto found = select_contiguous(runs_of(row.eligible, RunIndex::Ends::open),
                                             {row.nodes, row.required});
        CHECK((found ? node_numbers(*found) : RunPlaces{}) == row.places);
    }
    const RunIndex runs = runs_of("xxxx.xx", RunIndex::Ends::open);
    CHECK(select_contiguous(runs, {5, {}}).refusal().reason ==
          "asked 5 nodes in a row, at most 4 follow each other");
    const auto even = [](NodeId first) { return first.value() % 2 == 0; };
    CHECK(node_numbers(*select_contiguous(runs, {2, {}}, even)) == RunPlaces{0, 1});
}

TEST_CASE("select_on_ring: around the end, and on the ring with the best run",
          "[alloc][topology]") {
    RingTopology topology{"rings", {{"a", {}}, {"b", {}}}};
    for (std::uint32_t i = 0; i < 6; ++i) {
        topology.rings[0].nodes.emplace_back(10 + i);
        topology.rings[1].nodes.emplace_back(25 - i);
    }
    RingIndex index(topology);
    for (const std::uint32_t node : {10u, 11u, 14u, 15u, 25u, 24u, 23u}) index.add(NodeId(node));
    index.add(NodeId(99));  // on no ring
    index.remove(NodeId(99));
    const auto choose = [&](std::uint32_t nodes, std::vector<NodeId> required) {
        const auto found = select_on_ring(index, {nodes, std::move(required)});
        return found ? node_numbers(*found) : RunPlaces{};
    };
    CHECK(choose(4, {}) == RunPlaces{14, 15, 10, 11});
    CHECK(choose(2, {}) == RunPlaces{25, 24});
    CHECK(choose(2, {NodeId(10)}) == RunPlaces{15, 10});
    CHECK(choose(2, {NodeId(11), NodeId(24)}).empty());
    CHECK(choose(1, {NodeId(99)}).empty());
    const auto has_23 = [](const std::vector<NodeId>& nodes) {
        return std::find(nodes.begin(), nodes.end(), NodeId(23)) != nodes.end();
    };
    CHECK(node_numbers(*select_on_ring(index, {2, {}}, has_23)) == RunPlaces{24, 23});
    CHECK_FALSE(select_on_ring(index, {4, {}}, has_23));
    CHECK(select_on_ring(index, {5, {}}).refusal().reason ==
          "asked 5 nodes in a row on a ring, at most 4 follow each other");
    CHECK_FALSE(select_on_ring(RingIndex{}, {1, {}}));
}

TEST_CASE("RunIndex: wrong places are broken contracts", "[alloc][topology]") {
    RunIndex index = runs_of("x.", RunIndex::Ends::closed);
    CHECK(broken_contract([&] { index.add(0); }) == "a place is inside and not eligible yet");
    CHECK(broken_contract([&] { index.add(2); }) == "a place is inside and not eligible yet");
    CHECK(broken_contract([&] { index.remove(1); }) == "a place is inside and eligible");
}

/// Every window of a row and a ring with these eligible places, also with required ones.
void require_windows_as_oracle(const std::vector<bool>& eligible, const RunIndex& row,
                               const RingIndex& ring, const std::set<std::uint32_t>& required) {
    std::vector<NodeId> nodes;
    for (const std::uint32_t place : required) nodes.emplace_back(place);
    for (std::uint32_t k = 1; k <= eligible.size() + 1; ++k) {
        const auto in_row = select_contiguous(row, {k, nodes});
        const auto on_row = testing::oracle_window(eligible, false, k, required);
        REQUIRE(in_row.has_value() == on_row.has_value());
        if (in_row) REQUIRE(node_numbers(*in_row) == *on_row);
        const auto around = select_on_ring(ring, {k, nodes});
        const auto on_ring = testing::oracle_window(eligible, true, k, required);
        REQUIRE(around.has_value() == on_ring.has_value());
        if (around) REQUIRE(node_numbers(*around) == *on_ring);
    }
}

TEST_CASE("RunIndex: all small rows and rings as the oracle", "[alloc][topology][law]") {
    testing::for_all_choices([](Choices& choices) {
        const auto size = static_cast<std::uint32_t>(1 + choices.below(7));
        std::vector<bool> eligible;
        RunIndex row(size);
        RingIndex ring(one_ring(size));
        for (std::uint32_t i = 0; i < size; ++i) {
            eligible.push_back(choices.below(2) == 1);
            if (!eligible.back()) continue;
            row.add(i);
            ring.add(NodeId(i));
        }
        require_windows_as_oracle(eligible, row, ring, {});
        for (std::uint32_t i = 0; i < size; ++i) {
            require_windows_as_oracle(eligible, row, ring, {i});
            require_windows_as_oracle(eligible, row, ring, {i, (i + 2) % size});
        }
    });
}

TEST_CASE("RunIndex: kept up to date as the oracle", "[alloc][topology][law]") {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(200u)}, [](Choices& choices) {
        const auto size = static_cast<std::uint32_t>(1 + choices.below(40));
        std::vector<bool> eligible(size, false);
        RunIndex row(size);
        RingIndex ring(one_ring(size));
        for (int i = 0; i < 120; ++i) {
            const auto place = static_cast<std::uint32_t>(choices.below(size));
            if (eligible[place]) {
                row.remove(place);
                ring.remove(NodeId(place));
            } else {
                row.add(place);
                ring.add(NodeId(place));
            }
            eligible[place] = !eligible[place];
            REQUIRE(row.contains(place) == eligible[place]);
        }
        require_windows_as_oracle(eligible, row, ring, {});
        RunIndex anew(size);
        for (std::uint32_t i = 0; i < size; ++i) {
            if (eligible[i]) anew.add(i);
        }
        REQUIRE(row == anew);
        REQUIRE(row.total() ==
                static_cast<std::uint32_t>(std::count(eligible.begin(), eligible.end(), true)));
    });
}

}  // namespace
}  // namespace trestle
