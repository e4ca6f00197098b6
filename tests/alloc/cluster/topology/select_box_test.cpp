// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/topology/select_box.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/oracle_topology.hpp"
#include "support/seed.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

using testing::Choices;

/// A torus whose nodes are numbered by place from `first` on.
TorusTopology::Torus full_torus(const TorusTopology::Shape& shape, std::uint32_t first = 0) {
    TorusTopology::Torus torus{"t" + std::to_string(first), shape, {}};
    for (std::uint32_t i = 0; i < *shape.volume(); ++i) torus.nodes.emplace_back(NodeId(first + i));
    return torus;
}

TorusIndex torus_index_of(const TorusTopology& topology, const std::set<NodeId>& eligible) {
    TorusIndex index(topology);
    for (const NodeId node : eligible) index.add(node);
    return index;
}

std::set<NodeId> nodes_but(std::uint32_t count, const std::set<std::uint32_t>& taken) {
    std::set<NodeId> nodes;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (taken.count(i) == 0) nodes.insert(NodeId(i));
    }
    return nodes;
}

TEST_CASE("select_box: against what is taken, then lowest", "[alloc][topology]") {
    const TorusTopology flat{"flat", {full_torus({4, 4, 1})}};
    struct Row {
        std::set<std::uint32_t> taken;
        TorusTopology::Shape shape;
        std::uint32_t origin;
        TorusTopology::Shape turned;
        std::uint32_t open_sides;
        const char* why;
    };
    const std::vector<Row> rows = {
        {{}, {2, 2, 1}, 0, {2, 2, 1}, 4, "all alike: the lowest origin"},
        {{}, {4, 2, 1}, 0, {2, 4, 1}, 2, "all the way around there is no side, either way"},
        {{0, 1}, {2, 2, 1}, 4, {2, 2, 1}, 3, "below what is taken"},
        {{2, 3}, {2, 2, 1}, 6, {2, 2, 1}, 3, "the lowest of those"},
        {{0, 1, 4, 5}, {2, 2, 1}, 2, {2, 2, 1}, 2, "closed at both ends, around the torus"},
        {{4, 5, 6, 7, 12, 13, 14, 15}, {1, 2, 1}, 0, {2, 1, 1}, 2, "turned to fit"},
        {{0, 1, 4, 5}, {1, 2, 2}, 2, {2, 2, 1}, 2, "turned out of a plane that is not there"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto found =
            select_box(torus_index_of(flat, nodes_but(16, row.taken)), {row.shape, {}});
        REQUIRE(found);
        CHECK(found->origin == row.origin);
        CHECK(found->shape == row.turned);
        CHECK(found->open_sides == row.open_sides);
    }
}

TEST_CASE("select_box: its nodes, x fastest, around the ends", "[alloc][topology]") {
    const TorusTopology cube{"cube", {full_torus({3, 2, 2})}};
    const TorusIndex index = torus_index_of(cube, nodes_but(12, {1, 4, 7, 10}));
    const auto found = select_box(index, {{2, 2, 1}, {NodeId(6)}});
    REQUIRE(found);
    // x = 2 and 0 around the end; the box goes all around along y or z.
    CHECK(found->nodes.size() == 4);
    CHECK(found->shape == TorusTopology::Shape{1, 2, 2});
    CHECK(found->nodes == std::vector{NodeId(0), NodeId(3), NodeId(6), NodeId(9)});
    const auto wide = select_box(index, {{2, 2, 2}, {}});
    REQUIRE(wide);
    CHECK(wide->origin == 2);
    CHECK(wide->nodes == std::vector{NodeId(2), NodeId(0), NodeId(5), NodeId(3), NodeId(8),
                                     NodeId(6), NodeId(11), NodeId(9)});
}

TEST_CASE("select_box: boxes that are turned down come in order", "[alloc][topology][law]") {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(60u)}, [](Choices& choices) {
        const TorusTopology topology{"two", {full_torus({3, 2, 2}), full_torus({4, 2, 1}, 12)}};
        std::set<NodeId> eligible;
        for (std::uint32_t i = 0; i < 20; ++i) {
            if (!choices.one_in(5)) eligible.insert(NodeId(i));
        }
        using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                               std::uint32_t, std::uint32_t>;
        const TorusIndex index = torus_index_of(topology, eligible);
        std::vector<Key> keys;
        const auto found = select_box(index, {{2, 1, 1}, {}}, [&](const BoxChoice& box) {
            keys.emplace_back(box.open_sides, index.total(box.torus), box.torus, box.origin,
                              box.shape.x, box.shape.y);
            return false;
        });
        REQUIRE_FALSE(found);
        REQUIRE(std::is_sorted(keys.begin(), keys.end()));
        REQUIRE(std::adjacent_find(keys.begin(), keys.end()) == keys.end());
        std::size_t pairs = 0;  // of eligible neighbours, in every direction
        for (const TorusTopology::Shape& box :
             {TorusTopology::Shape{2, 1, 1}, TorusTopology::Shape{1, 2, 1},
              TorusTopology::Shape{1, 1, 2}}) {
            for (std::uint32_t torus = 0; torus < 2; ++torus) {
                const auto origins = detail::origins_of(index.grid(torus), box);
                for (std::uint32_t p = 0; origins && p < *origins->shape().volume(); ++p) {
                    pairs += origins->test(p) ? 1u : 0u;
                }
            }
        }
        REQUIRE(keys.size() == pairs);
    });
}

TEST_CASE("select_box: a no says what can be had", "[alloc][topology]") {
    const TorusTopology topology{"two", {full_torus({4, 4, 1}), full_torus({2, 1, 1}, 16)}};
    const TorusIndex index = torus_index_of(topology, nodes_but(18, {0, 5, 10, 15}));
    const auto reason = [](const TorusIndex& where, const BoxQuestion& question) {
        const auto found = select_box(where, question);
        return found ? "yes" : found.refusal().reason;
    };
    CHECK(reason(index, {{3, 3, 1}, {}}) ==
          "asked a box of 3 x 3 x 1 nodes, one of 2 x 2 x 1 can be had");
    CHECK(reason(index, {{4'000'000'000, 4'000'000'000, 4'000'000'000}, {}}) ==
          "asked a box of 4000000000 x 4000000000 x 4000000000 nodes, one of 1 x 2 x 2 can be had");
    CHECK(reason(index, {{2, 2, 1}, {NodeId(17)}}) ==
          "asked a box of 2 x 2 x 1 nodes, none that can be had serves");
    CHECK(reason(index, {{2, 1, 1}, {NodeId(17)}}) == "yes");
    CHECK(reason(torus_index_of(topology, {}), {{1, 1, 1}, {}}) ==
          "asked a box of 1 x 1 x 1 nodes, no node of a torus can be had");
    CHECK(reason({}, {{2, 1, 1}, {}}) ==
          "asked a box of 2 x 1 x 1 nodes, no node of a torus can be had");
    CHECK(broken_contract([&] {
              static_cast<void>(select_box(index, {{2, 0, 1}, {}}));
          }) == "a box has places");
}

void require_box_as_oracle(const TorusTopology& topology, const std::set<NodeId>& eligible,
                           const TorusTopology::Shape& shape, const std::set<NodeId>& required) {
    const auto expected = testing::oracle_box(topology, eligible, shape, required);
    const auto found = select_box(torus_index_of(topology, eligible),
                                  {shape, std::vector<NodeId>(required.begin(), required.end())});
    REQUIRE(found.has_value() == expected.has_value());
    if (!found) return;
    REQUIRE(found->torus == expected->torus);
    REQUIRE(found->origin == expected->origin);
    REQUIRE(found->shape == expected->shape);
    REQUIRE(found->open_sides == expected->open_sides);
    REQUIRE(std::set<NodeId>(found->nodes.begin(), found->nodes.end()) == expected->nodes);
    REQUIRE(found->nodes.size() == expected->nodes.size());
}

TEST_CASE("select_box: as the oracle on random tori", "[alloc][topology][law]") {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(1500u)}, [](Choices& choices) {
        TorusTopology topology{"tori", {}};
        std::uint32_t count = 0;
        const auto length = [&](std::uint64_t most) {
            return static_cast<std::uint32_t>(1 + choices.below(most));
        };
        for (std::uint64_t n = 1 + choices.below(2); n > 0; --n) {
            topology.toruses.push_back(full_torus({length(5), length(4), length(3)}, count));
            count += static_cast<std::uint32_t>(topology.toruses.back().nodes.size());
        }
        std::set<NodeId> eligible;
        const std::uint64_t taken = 1 + choices.below(8);  // one in so many
        for (TorusTopology::Torus& torus : topology.toruses) {
            for (auto& node : torus.nodes) {
                if (!choices.one_in(taken + 1)) eligible.insert(*node);
                if (choices.one_in(30)) eligible.erase(*node), node.reset();
            }
        }
        const TorusTopology::Shape shape{length(3), length(3), length(2)};
        require_box_as_oracle(topology, eligible, shape, {});
        const auto one = NodeId(static_cast<std::uint32_t>(choices.below(count)));
        require_box_as_oracle(topology, eligible, shape, {one});
        require_box_as_oracle(topology, eligible, shape, {one, NodeId(0)});
    });
}

TEST_CASE("select_box: as the oracle on all small tori", "[alloc][topology][law]") {
    const std::vector<TorusTopology::Shape> shapes = {{3, 3, 1}, {2, 2, 2}, {4, 2, 1}, {9, 1, 1}};
    testing::for_all_choices([&](Choices& choices) {
        const TorusTopology::Shape& all = choices.of(shapes);
        const TorusTopology topology{"t", {full_torus(all)}};
        std::set<NodeId> eligible;
        for (std::uint32_t i = 0; i < *all.volume(); ++i) {
            if (choices.below(2) == 1) eligible.insert(NodeId(i));
        }
        for (const TorusTopology::Shape& box :
             {TorusTopology::Shape{1, 1, 1}, TorusTopology::Shape{2, 1, 1},
              TorusTopology::Shape{3, 1, 1}, TorusTopology::Shape{2, 2, 1}}) {
            require_box_as_oracle(topology, eligible, box, {});
        }
    });
}

TEST_CASE("select_box: rows of more than one word", "[alloc][topology][law]") {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(60u)}, [](Choices& choices) {
        const auto x = static_cast<std::uint32_t>(60 + choices.below(90));
        const TorusTopology topology{"t", {full_torus({x, 2, 1})}};
        std::set<NodeId> eligible;
        for (std::uint32_t i = 0; i < 2 * x; ++i) {
            if (!choices.one_in(40)) eligible.insert(NodeId(i));
        }
        require_box_as_oracle(topology, eligible,
                              {static_cast<std::uint32_t>(1 + choices.below(x)), 1, 1}, {});
        require_box_as_oracle(topology, eligible,
                              {static_cast<std::uint32_t>(1 + choices.below(20)), 2, 1}, {});
    });
}

}  // namespace
}  // namespace trestle
