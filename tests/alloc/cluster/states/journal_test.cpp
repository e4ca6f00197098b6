// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/states/journal.hpp"

#include <cstdint>
#include <optional>
#include <vector>

#include "support/catch.hpp"

namespace trestle {
namespace {

using Nodes = std::vector<std::uint32_t>;

std::optional<Nodes> nodes_since(const Journal& journal, const JournalPosition& position) {
    const auto nodes = journal.since(position);
    if (!nodes) return std::nullopt;
    Nodes numbers;
    for (const NodeId node : *nodes) numbers.push_back(node.value());
    return numbers;
}

}  // namespace

TEST_CASE("Journal: what changed after a position is listed in order", "[alloc]") {
    Journal journal;
    const JournalPosition start = journal.position();
    CHECK(nodes_since(journal, start) == Nodes{});
    journal.add(NodeId(3));
    const JournalPosition middle = journal.position();
    journal.add(NodeId(1));
    journal.add(NodeId(3));
    CHECK(nodes_since(journal, start) == Nodes{3, 1, 3});
    CHECK(nodes_since(journal, middle) == Nodes{1, 3});
    CHECK(nodes_since(journal, journal.position()) == Nodes{});
}

TEST_CASE("Journal: positions of others, of none and from before a restart are not known",
          "[alloc]") {
    Journal journal;
    const JournalPosition before = journal.position();
    CHECK(nodes_since(journal, JournalPosition()) == std::nullopt);
    CHECK(nodes_since(journal, Journal().position()) == std::nullopt);
    journal.restart();
    CHECK(nodes_since(journal, before) == std::nullopt);
}

TEST_CASE("Journal: a copy knows what was before it parted, and nothing of what came then",
          "[alloc]") {
    Journal journal;
    const JournalPosition start = journal.position();
    journal.add(NodeId(1));
    const Journal unchanged = journal;
    Journal copy = journal;
    copy.add(NodeId(2));
    const JournalPosition in_copy = copy.position();
    journal.add(NodeId(3));
    const JournalPosition in_original = journal.position();
    CHECK(nodes_since(unchanged, start) == Nodes{1});
    CHECK(nodes_since(copy, start) == Nodes{1, 2});
    CHECK(nodes_since(journal, start) == Nodes{1, 3});
    CHECK(nodes_since(journal, in_copy) == std::nullopt);
    CHECK(nodes_since(copy, in_original) == std::nullopt);
    CHECK(nodes_since(unchanged, in_original) == std::nullopt);
    // And a copy of the copy, and what it was copied from.
    Journal third = copy;
    copy.add(NodeId(4));
    third.add(NodeId(5));
    CHECK(nodes_since(third, start) == Nodes{1, 2, 5});
    CHECK(nodes_since(third, in_copy) == Nodes{5});
    CHECK(nodes_since(copy, in_copy) == Nodes{4});
}

TEST_CASE("Journal: what is long ago is forgotten", "[alloc]") {
    Journal journal;
    const JournalPosition start = journal.position();
    for (std::uint32_t i = 0; i < 70'000; ++i) journal.add(NodeId(i % 10));
    CHECK(nodes_since(journal, start) == std::nullopt);
    const JournalPosition late = journal.position();
    Journal copy = journal;
    for (std::uint32_t i = 0; i < 20; ++i) {  // a copy each time, as a server makes them
        const Journal snapshot = copy;
        copy.add(NodeId(i));
        CHECK(nodes_since(snapshot, snapshot.position()) == Nodes{});
    }
    CHECK(nodes_since(copy, late) == std::nullopt);
    CHECK(nodes_since(journal, late) == Nodes{});
}

}  // namespace trestle
