// SPDX-License-Identifier: Apache-2.0
#include "base/sorted_by_node.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/rng.hpp"

using namespace trestle;

TEST_CASE("sorted_by_node: as a stable sort, for few entries and many, in order or not", "[base]") {
    struct Entry {
        NodeId node;
        std::uint32_t number = 0;

        bool operator==(const Entry&) const = default;
    };
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    for (const std::uint32_t node_count : {1u, 40u, 1000u}) {
        for (const std::uint32_t size : {0u, 1u, 2u, 50u, 70u, 3000u}) {
            for (const bool is_in_order : {false, true}) {
                std::vector<Entry> entries;
                for (std::uint32_t i = 0; i < size; ++i) {
                    entries.push_back(
                        {NodeId(static_cast<std::uint32_t>(rng.below(node_count))), i});
                }
                std::vector<Entry> expected = entries;
                std::stable_sort(expected.begin(), expected.end(),
                                 [](const Entry& a, const Entry& b) { return a.node < b.node; });
                if (is_in_order) entries = expected;
                CHECK(detail::sorted_by_node(entries, node_count) == expected);
            }
        }
    }
}
