// SPDX-License-Identifier: Apache-2.0
// The blocks that a job gets are the best of all choices.
#include "alloc/market/choose.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/oracle_blocks.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/market/split.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

using testing::Choices;
using testing::for_all_choices;
using testing::for_random_choices;

NodeShape node_shape(const std::string& text) {
    const auto node = testing::node_from_text(text);
    INFO(message(node.status()));
    REQUIRE(node.ok());
    return *node->shape;
}

/// Some of the blocks.
BlockSet any_blocks(Choices& choices, std::size_t count) {
    BlockSet blocks;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (choices.below(3) != 0) blocks.insert(BlockId(i));
    }
    return blocks;
}

/// Sockets and NUMA domains that cores do not divide evenly into, and links between any GPUs.
NodeShape any_host(Choices& choices) {
    const std::vector<std::string> hardware{"2s4c", "8c", "4s3c", "2s6c numa=3", "3s4c", "2s5c"};
    const std::string text =
        choices.of(hardware) + " mem=1G gpu:" + std::to_string(2 + 2 * choices.below(5));
    NodeShape shape = node_shape(text);
    for (std::uint32_t a = 0; a < shape.devices.size(); ++a) {
        for (std::uint32_t b = a + 1; b < shape.devices.size(); ++b) {
            if (choices.below(3) != 0) continue;
            const auto strength = static_cast<std::uint32_t>(1 + choices.below(3));
            shape.links.push_back({DeviceId(a), DeviceId(b), strength});
        }
    }
    return shape;
}

void check_choice(const NodeShape& shape, const HostBlocks::Split& split, const BlockSet& free) {
    for (std::uint32_t count = 1; count <= free.count(); ++count) {
        INFO(to_text(shape) << "\n" << count << " of " << to_text(free));
        REQUIRE(to_text(choose_blocks(shape, split, free, Count(count))) ==
                to_text(oracle_choose_blocks(shape, split, free, count)));
    }
}

}  // namespace

TEST_CASE("blocks: the choice is the best of all, for every set of free blocks",
          "[alloc][law][unsanitized]") {
    for (const char* text : {"2s4c mem=1G gpu:8@nvlink-pairs", "2s4c mem=1G", "4s4c numa=2 gpu:8",
                             "2s8c gpu:8@nvlink*3"}) {
        const NodeShape shape = node_shape(text);
        const auto parts = split(shape, Count(8));
        REQUIRE(parts.has_value());
        for_all_choices([&](Choices& choices) {
            BlockSet free;
            for (std::uint32_t i = 0; i < 8; ++i) {
                if (choices.below(2) == 1) free.insert(BlockId(i));
            }
            check_choice(shape, *parts, free);
        });
    }
}

TEST_CASE("blocks: the choice is the best of all on irregular hosts", "[alloc][law]") {
    std::uint64_t choices_of_some = 0;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), test_rounds(400u)}, [&](Choices& choices) {
        const NodeShape shape = any_host(choices);
        const auto parts = split(shape);
        REQUIRE(parts.has_value());
        const BlockSet free = any_blocks(choices, parts->blocks.size());
        check_choice(shape, *parts, free);
        choices_of_some += free.count() > 2 ? 1u : 0u;
    });
    CHECK(choices_of_some > test_rounds(50u));
}

TEST_CASE("blocks: a host that is too large for every choice has one all the same", "[alloc]") {
    INFO("seed " << test_seed());
    for_random_choices({test_seed() + 2, 1}, [&](Choices& choices) {
        NodeShape shape = node_shape("2s64c mem=1G gpu:128");
        for (std::uint32_t a = 0; a < 128; ++a) {
            for (std::uint32_t b = a + 1; b < 128; ++b) {
                const auto strength = static_cast<std::uint32_t>(choices.below(7));
                if (strength > 0) shape.links.push_back({DeviceId(a), DeviceId(b), strength});
            }
        }
        const auto parts = split(shape);
        REQUIRE(parts.has_value());
        REQUIRE(parts->blocks.size() == 128);
        const BlockSet free = BlockSet::range({0, 127});
        for (const std::uint32_t count : {2u, 64u}) {
            const BlockSet chosen = choose_blocks(shape, *parts, free, Count(count));
            REQUIRE(chosen.count() == count);
            REQUIRE(free.contains_all(chosen));
        }
    });
    NodeShape many = node_shape("2s1024c mem=1G nic:2");
    many.links = {{DeviceId(0), DeviceId(1), 3}};
    const auto parts = split(many, Count(2048));
    REQUIRE(parts.has_value());
    CHECK(choose_blocks(many, *parts, BlockSet::range({1, 2048}), Count(3)).count() == 3);
}

TEST_CASE("blocks: without a look at the links the lowest are taken", "[alloc]") {
    const NodeShape shape = node_shape("2s4c mem=1G gpu:8@nvlink-pairs");
    const auto parts = split(shape, Count(8));
    REQUIRE(parts.has_value());
    const BlockSet free = BlockSet::range({1, 8});
    const detail::BlockNeighbours host(shape, *parts, free);
    CHECK(detail::BlockChoice(host, 2, detail::StepBudget{}).best() == BlockSet::range({1, 3}));
    CHECK(detail::BlockChoice(host, 2, detail::StepBudget{1'000'000}).best() !=
          BlockSet::range({1, 3}));
}

TEST_CASE("blocks: which blocks a job gets", "[alloc]") {
    struct Row {
        const char* node;
        std::uint32_t blocks;
        BlockSet taken;
        std::uint32_t count;
        const char* expected;
        const char* why;
    };
    const auto set = [](std::initializer_list<std::uint32_t> ids) {
        BlockSet blocks;
        for (const std::uint32_t id : ids) blocks.insert(BlockId(id));
        return blocks;
    };
    const char* const pairs = "2s4c mem=8G gpu:8@nvlink-pairs";
    const Row rows[] = {
        {"2s4c mem=8G gpu:8", 8, set({}), 1, "0", "the lowest of equal ones"},
        {"2s4c mem=8G gpu:8", 8, set({5}), 1, "4", "where fewer are free, the whole half stays"},
        {"2s4c mem=8G gpu:8", 8, set({0, 5, 6}), 2, "4,7", "two of a socket that has just two"},
        {"2s4c mem=8G gpu:8", 8, set({0, 1, 2}), 2, "4-5", "not one here and one there"},
        {"2s4c mem=8G gpu:8", 8, set({0, 1, 4}), 3, "5-7", "three of a socket"},
        {"2s4c mem=8G gpu:8", 8, set({0, 1, 4, 5}), 3, "2-3,6", "no socket has three"},
        {"2s4c mem=8G gpu:8", 8, set({}), 8, "0-7", "all of them"},
        {pairs, 8, set({0}), 2, "2-3", "a linked pair, not 1 and 2"},
        {pairs, 8, set({0}), 1, "1", "the one without its pair, in the fuller socket"},
        {pairs, 8, set({0, 1, 2}), 2, "4-5", "a pair in the emptier socket before none"},
        {"128c mem=8G", 128, set({0, 1}), 64, "2-65", "128 blocks are no matter"},
        {"8s16c mem=8T", 128, set({0}), 16, "16-31", "a whole socket"},
        {"8s16c mem=8T", 128, set({0}), 15, "1-15", "what is left of one"},
    };
    for (const Row& row : rows) {
        INFO(row.node << " without " << to_text(row.taken) << ": " << row.why);
        const NodeShape shape = node_shape(row.node);
        const auto parts = split(shape, Count(row.blocks));
        REQUIRE(parts.has_value());
        const BlockSet free = row.taken.complement({0, row.blocks});
        CHECK(to_text(choose_blocks(shape, *parts, free, Count(row.count))) == row.expected);
    }
}

TEST_CASE("blocks: a choice of none, of too many or of strangers is a broken contract", "[alloc]") {
    const NodeShape shape = node_shape("4c");
    const auto parts = split(shape);
    REQUIRE(parts.has_value());
    const auto choose = [&](const BlockSet& free, std::int64_t count) {
        return broken_contract(
            [&] { static_cast<void>(choose_blocks(shape, *parts, free, Count(count))); });
    };
    CHECK(choose(BlockSet::range({0, 4}), 0) == "so many blocks are free");
    CHECK(choose(BlockSet::range({0, 2}), 3) == "so many blocks are free");
    CHECK(choose(BlockSet::range({3, 6}), 2) == "the blocks are the host's");
}

}  // namespace trestle
