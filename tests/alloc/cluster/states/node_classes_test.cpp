// SPDX-License-Identifier: Apache-2.0
// Classes of nodes are found as a list that is read from its beginning finds them.
#include "alloc/cluster/states/node_classes.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

/// One of few, so that many are equal. Equal shapes are one object or two.
NodeClass any_class(Rng& rng, const std::vector<Node>& nodes) {
    const Node& node = nodes[rng.below(nodes.size())];
    NodeClass one;
    one.shape = rng.below(2) == 0 ? node.shape : Shared<NodeShape>(NodeShape(*node.shape));
    if (rng.below(2) == 0) one.features = {"fast"};
    one.weight = 1 + static_cast<std::uint32_t>(rng.below(2));
    one.state = rng.below(2) == 0 ? NodeState::up : NodeState::drained;
    one.health = rng.below(3) == 0 ? Health::warning : Health::healthy;
    if (rng.below(2) == 0) one.partitions = {static_cast<std::uint32_t>(rng.below(2))};
    return one;
}

std::optional<ClassId> plain_find(const std::vector<NodeClass>& all, const NodeClass& value) {
    for (std::uint32_t i = 0; i < all.size(); ++i) {
        if (all[i] == value) return ClassId(i);
    }
    return std::nullopt;
}

}  // namespace

TEST_CASE("NodeClasses: a class has the number of its first entry, and equal shapes are one object",
          "[alloc][cluster]") {
    std::vector<Node> nodes;
    for (const char* const text : {"4c", "4c mem=8G", "2s4c gpu:2", "2s4c gpu:4", "4c mem=9G"}) {
        nodes.push_back(*testing::node_from_text(text));
    }
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    std::uint64_t known = 0;
    for (unsigned round = 0; round < test_rounds(40u); ++round) {
        NodeClasses classes;
        std::vector<NodeClass> plain;
        for (int i = 0; i < 200; ++i) {
            const NodeClass value = any_class(rng, nodes);
            const auto expected = plain_find(plain, value);
            REQUIRE(classes.find(value) == expected);
            if (rng.below(4) == 0) continue;
            if (expected) ++known;
            if (!expected) plain.push_back(value);
            if (rng.below(8) == 0) classes = NodeClasses(classes);
            REQUIRE(classes.intern(value) == *plain_find(plain, value));
            REQUIRE(classes.size() == plain.size());
        }
        for (std::uint32_t a = 0; a < classes.size(); ++a) {
            REQUIRE(classes[ClassId(a)] == plain[a]);
            for (std::uint32_t b = 0; b < a; ++b) {
                const auto& one = classes[ClassId(a)].shape;
                const auto& other = classes[ClassId(b)].shape;
                REQUIRE(one.is_same_object(other) == (one == other));
            }
        }
    }
    CHECK(known > test_rounds(40u));
}

}  // namespace trestle
