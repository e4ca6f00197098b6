// SPDX-License-Identifier: Apache-2.0
// A split loses nothing, its blocks are equal, and neighbours fall together.
#include "trestle/alloc/market/split.hpp"
#include "alloc/market/block_parts.hpp"
#include "trestle/alloc/market/node_offer.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "alloc/market/detail/device_groups.hpp"
#include "support/catch.hpp"
#include "support/oracle_blocks.hpp"
#include "support/random_fit.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/market/owners.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

using testing::for_random_choices;

NodeShape host_shape(const std::string& text) {
    const auto node = testing::node_from_text(text);
    INFO(message(node.status()));
    REQUIRE(node.ok());
    return *node->shape;
}

Bytes bytes_of(const NodePlacement& part, DomainId domain) {
    Bytes sum;
    for (const MemoryShare& share : part.memory) {
        if (share.domain == domain) sum += share.bytes;
    }
    return sum;
}

/// Blocks, rest and reserve are the machine: each core, byte and consumed device once.
void check_conserved(const NodeShape& shape, const HostBlocks::Split& split) {
    std::vector<NodePlacement> parts = split.blocks;
    parts.push_back(split.rest);
    parts.push_back(split.reserve);
    CoreSet cores;
    std::vector<int> owners(shape.devices.size());
    for (const NodePlacement& part : parts) {
        REQUIRE_FALSE(cores.intersects(part.cores));
        cores |= part.cores;
        REQUIRE(std::is_sorted(part.memory.begin(), part.memory.end()));
        REQUIRE(std::is_sorted(part.devices.begin(), part.devices.end()));
        for (const DeviceShare& share : part.devices) {
            ++owners[share.device.value()];
            REQUIRE(share.shares == shape.devices[share.device.value()].shares);
        }
    }
    REQUIRE(cores == shape.hardware.all_cores());
    for (std::size_t i = 0; i < owners.size(); ++i) {
        const auto all = static_cast<int>(split.blocks.size());
        REQUIRE(owners[i] == (shape.devices[i].is_consumed ? 1 : all));
    }
    for (std::uint32_t i = 0; i < shape.memory.size(); ++i) {
        Bytes sum;
        for (const NodePlacement& part : parts) sum += bytes_of(part, DomainId(i));
        REQUIRE(sum == shape.memory[i].capacity);
    }
}

/// Equal blocks, and a rest of fewer bytes a pool and devices a kind than there are blocks.
void check_equal(const NodeShape& shape, const HostBlocks::Split& split) {
    const auto ordinary = [&](const NodePlacement& part) {
        Bytes sum;
        for (const MemoryShare& share : part.memory) {
            if (shape.memory[share.domain.value()].is_ordinary()) sum += share.bytes;
        }
        return sum;
    };
    const auto kinds = [&](const NodePlacement& part) {
        std::vector<std::string> words;
        for (const DeviceShare& share : part.devices) {
            const Device& device = shape.devices[share.device.value()];
            words.push_back(device.name + device.type + to_text(device.memory));
        }
        std::sort(words.begin(), words.end());
        return words;
    };
    const NodePlacement& first = split.blocks.front();
    for (const NodePlacement& block : split.blocks) {
        REQUIRE(shape.hardware.threads_of(block.cores).count() ==
                shape.hardware.threads_of(first.cores).count());
        REQUIRE(ordinary(block) == ordinary(first));
        REQUIRE(kinds(block) == kinds(first));
    }
    const auto count = static_cast<std::int64_t>(split.blocks.size());
    REQUIRE(ordinary(split.rest) < Bytes(count));
    REQUIRE(split.rest.cores.is_empty());
    for (const DeviceShare& share : split.rest.devices) {
        REQUIRE(shape.devices[share.device.value()].name != "gpu");
    }
}

}  // namespace

TEST_CASE("split: blocks, rest and reserve are the host, and blocks are equal", "[alloc][law]") {
    for (const char* text :
         {"2s16c2t mem=512G gpu:a100-80G:8@nvlink nic:cx7:2", "8c mem=1G",
          "4s4c numa=2 mem=3B gpu:4", "2s8c mem=7B hbm=3B pmem=5B gpu:8/4 nic:8", "1c",
          "2s6c mem=1M gpu:6@s1", "2s5c mem=100B gpu:a100-80G:4 gpu:v100-32G:2 system=0,5"}) {
        const NodeShape shape = host_shape(text);
        std::int64_t most = 0;
        for (std::int64_t blocks = 1; blocks <= 40; ++blocks) {
            INFO(text << " in " << blocks);
            const auto parts = split(shape, Count(blocks));
            if (!parts) continue;
            most = blocks;
            REQUIRE(parts->blocks.size() == static_cast<std::size_t>(blocks));
            check_conserved(shape, *parts);
            check_equal(shape, *parts);
            const auto gpus =
                std::count_if(shape.devices.begin(), shape.devices.end(),
                              [](const Device& device) { return device.name == "gpu"; });
            if (gpus > 0) CHECK(blocks <= gpus);
        }
        CHECK(even_blocks(shape) == Count(most));
        CHECK(split(shape) == split(shape, Count(most)));
    }
}

TEST_CASE("split: irregular hosts lose nothing, and auto is the largest split", "[alloc][law]") {
    std::uint64_t splits = 0;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), test_rounds(2'000u)}, [&](Choices& choices) {
        NodeShape shape = any_shape(choices);
        for (MemoryDomain& domain : shape.memory) {
            domain.reserved = Bytes(choices.in<std::int64_t>({0, domain.capacity.value() + 1}));
        }
        if (shape.allocatable_cores().is_empty()) return;
        INFO(to_text(shape));
        const Count most = even_blocks(shape);
        for (std::int64_t blocks = 1; blocks <= most.value() + 3; ++blocks) {
            const auto parts = split(shape, Count(blocks));
            REQUIRE(parts.has_value() == (most.value() % blocks == 0));
            if (!parts) continue;
            check_conserved(shape, *parts);
            check_equal(shape, *parts);
            splits += blocks > 1 ? 1u : 0u;
        }
    });
    CHECK(splits > test_rounds(100u));
}

TEST_CASE("split: an offer and the host behind it have the same shares", "[alloc][law]") {
    for (const char* text :
         {"2s16c2t mem=512G gpu:a100-80G:8", "3c mem=1000B", "2s9c mem=77B gpu:6"}) {
        const NodeShape shape = host_shape(text);
        Offer offer = offer_of(shape);
        for (std::int64_t blocks = 1; blocks <= 18; ++blocks) {
            const auto parts = split(shape, Count(blocks));
            if (!parts) continue;
            offer.blocks = Count(blocks);
            REQUIRE_FALSE(check_blocks(offer).has_value());
            for (std::uint32_t k = 1; k <= blocks; ++k) {
                INFO(text << ": " << k << " of " << blocks);
                const auto has = placement_of(*parts, BlockSet::range({0, k}));
                const BlockShare share = share_of(offer, Count(k));
                CHECK(Count(shape.hardware.threads_of(has.cores).count()) == share.cpus);
                CHECK(has.total_memory() == share.memory);
                const Count gpus = share.devices.empty() ? Count() : share.devices[0].count;
                CHECK(Count(static_cast<std::int64_t>(has.devices.size())) == gpus);
            }
        }
    }
}

TEST_CASE("split: cores of two kinds are dealt kind by kind", "[alloc]") {
    NodeShape shape = host_shape("12c mem=4G");
    for (std::uint32_t i = 0; i < 4; ++i) {  // four fast cores with two threads
        shape.hardware.cores[i].threads.push_back(OsIndex(100 + i));
        shape.hardware.cores[i].kind = 1;
    }
    CHECK(even_blocks(shape) == Count(4));
    const auto parts = split(shape, Count(4));
    REQUIRE(parts.has_value());
    CHECK(to_text(parts->blocks[0].cores) == "0,4-5");
    CHECK(to_text(parts->blocks[3].cores) == "3,10-11");
    const auto eight = split(shape, Count(8));
    REQUIRE_FALSE(eight.has_value());
    CHECK(eight.refusal().reason ==
          "4 cores with 2 CPUs each do not divide into 8 blocks; 4 is the most that everything "
          "divides into");
}

TEST_CASE("split: neighbours fall together", "[alloc]") {
    const NodeShape shape = host_shape("2s4c mem=8G gpu:4");
    const auto parts = split(shape, Count(2));
    REQUIRE(parts.has_value());
    CHECK(to_text(parts->blocks[0].cores) == "0-3");
    CHECK(to_text(parts->blocks[0].device_set()) == "0-1");
    CHECK(parts->blocks[0].memory == SmallVector<MemoryShare>{{DomainId(0), gib(4)}});
    CHECK(parts->blocks[1].memory == SmallVector<MemoryShare>{{DomainId(1), gib(4)}});
}

TEST_CASE("split: a domain with less memory borrows from its neighbour", "[alloc]") {
    NodeShape shape = host_shape("2s4c mem=8G");
    shape.memory[0].reserved = gib(2);
    const auto parts = split(shape, Count(2));
    REQUIRE(parts.has_value());
    CHECK(parts->blocks[0].memory ==
          SmallVector<MemoryShare>{{DomainId(0), gib(2)}, {DomainId(1), gib(1)}});
    CHECK(parts->blocks[1].memory == SmallVector<MemoryShare>{{DomainId(1), gib(3)}});
    CHECK(parts->reserve.memory == SmallVector<MemoryShare>{{DomainId(0), gib(2)}});
}

TEST_CASE("split: GPUs of a block are the linked ones", "[alloc]") {
    NodeShape shape = host_shape("1s8c mem=8G gpu:4");
    shape.links = {{DeviceId(0), DeviceId(2), 4}, {DeviceId(1), DeviceId(3), 4}};
    const auto parts = split(shape, Count(2));
    REQUIRE(parts.has_value());
    CHECK(to_text(parts->blocks[0].device_set()) == "0,2");
    CHECK(to_text(parts->blocks[1].device_set()) == "1,3");
}

TEST_CASE("split: groups of devices are as good as the best of all ways", "[alloc][law]") {
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), test_rounds(400u)}, [&](Choices& choices) {
        const auto size = 1 + static_cast<std::size_t>(choices.below(4));
        const auto groups = 1 + static_cast<std::size_t>(choices.below(size > 2 ? 2 : 4));
        NodeShape shape;
        shape.hardware = plain_cores(2);
        std::vector<DeviceId> devices;
        for (std::uint32_t i = 0; i < size * groups; ++i) {
            const CoreId near(static_cast<std::uint32_t>(choices.below(2)));
            shape.devices.push_back(plain_gpu(i, CoreSet::of({near})));
            devices.push_back(DeviceId(i));
        }
        for (std::uint32_t a = 0; a < devices.size(); ++a) {
            for (std::uint32_t b = a + 1; b < devices.size(); ++b) {
                const auto strength = static_cast<std::uint32_t>(choices.below(4));
                if (strength > 0) shape.links.push_back({DeviceId(a), DeviceId(b), strength});
            }
        }
        const auto grouped = detail::group_devices(shape, devices, size);
        REQUIRE(std::is_permutation(grouped.begin(), grouped.end(), devices.begin()));
        std::pair<std::uint64_t, std::uint64_t> score{0, 0};
        for (std::size_t at = 0; at < grouped.size(); at += size) {
            const auto first = grouped.begin() + static_cast<std::ptrdiff_t>(at);
            const auto one =
                oracle_grouping(shape, {first, first + static_cast<std::ptrdiff_t>(size)}, size);
            score.first += one.first;
            score.second += one.second;
        }
        REQUIRE(score == oracle_grouping(shape, devices, size));
    });
}

TEST_CASE("split: more devices than can be searched keep their order", "[alloc]") {
    const NodeShape shape = host_shape("2s16c mem=8G gpu:32@nvlink");
    const auto parts = split(shape, Count(16));
    REQUIRE(parts.has_value());
    CHECK(to_text(parts->blocks[15].device_set()) == "30-31");
}

}  // namespace trestle
