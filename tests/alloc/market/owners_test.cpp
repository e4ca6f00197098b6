// SPDX-License-Identifier: Apache-2.0
// Blocks of instances have owners, and what a share is follows from them.
#include "trestle/alloc/market/owners.hpp"
#include "alloc/market/block_parts.hpp"
#include "trestle/alloc/market/node_offer.hpp"
#include "trestle/alloc/market/split.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

using testing::Choices;
using testing::for_random_choices;

NodeShape machine(const std::string& text) {
    const auto node = testing::node_from_text(text);
    INFO(message(node.status()));
    REQUIRE(node.ok());
    return *node->shape;
}

/// Called `a`, looked at.
Instance instance_of(const std::string& text, std::int64_t blocks) {
    Instance instance;
    instance.name = "a";
    instance.offer.availability_zones = {"eu-west-1a"};
    instance.runtime = "shim";
    const Status status = look_at(instance, machine(text), Count(blocks));
    INFO(message(status));
    REQUIRE(status.ok());
    REQUIRE(check(instance).ok());
    return instance;
}

BlockSet blocks(std::initializer_list<std::uint32_t> ids) {
    BlockSet set;
    for (const std::uint32_t id : ids) set.insert(BlockId(id));
    return set;
}

std::string said_by(const Status& status) { return std::string(message(status)); }

}  // namespace

TEST_CASE("blocks: an instance that was looked at knows its machine", "[alloc]") {
    const Instance instance = instance_of("2s64c mem=2T disk=4T arch=arm gpu:a100-80G:8", 8);
    CHECK(instance.offer.cpus == Count(128));
    CHECK(instance.offer.memory == tib(2));
    CHECK(instance.offer.disk == tib(4));
    CHECK(instance.offer.architecture == Architecture::arm);
    CHECK(instance.offer.blocks == Count(8));
    REQUIRE(instance.offer.devices.size() == 1);
    CHECK(instance.offer.devices[0].model == "A100");
    CHECK(instance.offer.devices[0].count == Count(8));
    CHECK(instance.offer.devices[0].memory == gib(80));
    CHECK(offer_of(machine("1c")).disk == std::nullopt);
}

TEST_CASE("blocks: the offer's words for GPUs stay where the counts agree", "[alloc]") {
    Instance instance;
    instance.name = "a";
    instance.offer.devices = {Offer::Devices{"gpu", "nvidia", "A100X", gib(80), Count(8), {}}};
    REQUIRE(look_at(instance, machine("2s64c mem=2T gpu:a100-80G:8")).ok());
    CHECK(instance.offer.devices[0].model == "A100X");
    REQUIRE(look_at(instance, machine("2s64c mem=2T gpu:a100-80G:4 gpu:v100-32G:4")).ok());
    REQUIRE(instance.offer.devices.size() == 2);
    CHECK(instance.offer.devices[1].model == "V100");
}

TEST_CASE("blocks: a machine that does not divide changes nothing", "[alloc]") {
    Instance instance = instance_of("2s4c mem=8G gpu:8", 8);
    REQUIRE(take_blocks(instance, blocks({2}), OwnerId(7)).ok());
    const Instance before = instance;
    CHECK(said_by(look_at(instance, machine("2s4c mem=8G gpu:6"))) ==
          "instance a: 6 gpu do not divide into 8 blocks; 2 is the most that everything divides "
          "into");
    CHECK(said_by(look_at(instance, machine("2s4c mem=8G gpu:8"), Count(4))) ==
          "instance a: owner 7 has a block, it cannot be cut anew");
    NodeShape broken = machine("1c");
    broken.hardware.cores[0].threads.clear();
    CHECK(look_at(instance, broken).code() == StatusCode::kInvalidArgument);
    CHECK(instance == before);
    REQUIRE(look_at(instance, machine("2s8c mem=8G gpu:8")).ok());
    CHECK(instance.blocks.blocks_of(OwnerId(7)) == blocks({2}));
    REQUIRE(give_back_blocks(instance, blocks({2}), OwnerId(7)).ok());
    CHECK(look_at(instance, machine("2s8c mem=8G gpu:8"), Count(4)).ok());
    CHECK(instance.blocks.count() == Count(4));
}

TEST_CASE("blocks: an instance is checked", "[alloc]") {
    const Instance good = instance_of("4c mem=4G", 4);
    struct Row {
        void (*change)(Instance&);
        const char* expected;
    };
    const Row rows[] = {
        {[](Instance& i) { i.name.clear(); }, "instance: it has no name"},
        {[](Instance& i) { i.blocks.owners.pop_back(); },
         "instance a: 3 blocks have owners or none, its offer has 4"},
        {[](Instance& i) { i.blocks.owners.clear(); },
         "instance a: 0 blocks have owners or none, its offer has 4"},
        {[](Instance& i) { i.offer.blocks = Count(2); },
         "instance a: 4 blocks have owners or none, its offer has 2"},
        {[](Instance& i) { i.shape.reset(); },
         "instance a: expected a shape and how it is cut, or neither"},
        {[](Instance& i) { i.blocks.split.reset(); },
         "instance a: expected a shape and how it is cut, or neither"},
        {[](Instance& i) { i.blocks.split->blocks.pop_back(); },
         "instance a: 3 blocks are described, expected 4"},
        {[](Instance& i) { i.blocks.split->blocks[1].cores.insert(CoreId(4)); },
         "instance a: a block has core 4, which does not exist"},
        {[](Instance& i) {
             i.blocks.split->blocks[1].memory.push_back({DomainId(1), Bytes(1)});
         },
         "instance a: a block has memory of domain 1, which does not exist"},
        {[](Instance& i) { i.blocks.split->rest.devices.push_back({DeviceId(0)}); },
         "instance a: a block has device 0, which does not exist"},
        {[](Instance& i) {
             NodeShape shape = **i.shape;
             shape.hardware.cores[1].threads.clear();
             i.shape = Shared<NodeShape>(shape);
         },
         "instance a: core 1: it has no hardware thread"},
    };
    for (const Row& row : rows) {
        Instance instance = good;
        row.change(instance);
        CHECK(said_by(check(instance)) == row.expected);
    }
}

TEST_CASE("blocks: taking twice, giving back twice or for another is an error", "[alloc]") {
    Instance instance = instance_of("2s4c mem=8G gpu:8", 8);
    REQUIRE(take_blocks(instance, blocks({0, 1}), OwnerId(1)).ok());
    REQUIRE(take_blocks(instance, blocks({3}), OwnerId(2)).ok());
    const Instance before = instance;
    struct Row {
        Status (*act)(Instance&, const BlockSet&, OwnerId);
        BlockSet blocks;
        OwnerId owner;
        StatusCode code;
        const char* expected;
    };
    const Row rows[] = {
        {&take_blocks, blocks({1, 2}), OwnerId(3), StatusCode::kFailedPrecondition,
         "instance a: block 1 belongs to owner 1"},
        {&take_blocks, blocks({1}), OwnerId(1), StatusCode::kFailedPrecondition,
         "instance a: block 1 belongs to owner 1"},
        {&take_blocks, blocks({7, 8}), OwnerId(3), StatusCode::kInvalidArgument,
         "instance a: block 8 does not exist, it has 8"},
        {&take_blocks, {}, OwnerId(3), StatusCode::kInvalidArgument, "instance a: no block named"},
        {&give_back_blocks, blocks({0, 3}), OwnerId(1), StatusCode::kFailedPrecondition,
         "instance a: block 3 belongs to owner 2, not to 1"},
        {&give_back_blocks, blocks({0, 5}), OwnerId(1), StatusCode::kFailedPrecondition,
         "instance a: block 5 is free, owner 1 does not have it"},
        {&give_back_blocks, blocks({9}), OwnerId(1), StatusCode::kInvalidArgument,
         "instance a: block 9 does not exist, it has 8"},
        {&give_back_blocks,
         {},
         OwnerId(1),
         StatusCode::kInvalidArgument,
         "instance a: no block named"},
    };
    for (const Row& row : rows) {
        const Status status = row.act(instance, row.blocks, row.owner);
        CHECK(said_by(status) == row.expected);
        CHECK(status.code() == row.code);
        CHECK(instance == before);
    }
    REQUIRE(give_back_blocks(instance, blocks({0}), OwnerId(1)).ok());
    CHECK(said_by(give_back_blocks(instance, blocks({0}), OwnerId(1))) ==
          "instance a: block 0 is free, owner 1 does not have it");
    CHECK(instance.blocks.blocks_of(OwnerId(1)) == blocks({1}));
    CHECK(instance.blocks.free() == blocks({0, 2, 4, 5, 6, 7}));
    CHECK_FALSE(instance.blocks.is_idle());
}

TEST_CASE("blocks: of eight blocks seven can be had when a GPU failed", "[alloc]") {
    NodeShape shape = machine("2s64c mem=2T gpu:a100-80G:8");
    shape.devices[3].health = Health::failure;
    Instance instance;
    instance.name = "a";
    REQUIRE(look_at(instance, shape, Count(8)).ok());
    CHECK(to_text(usable_blocks(instance)) == "0-2,4-7");
    CHECK(said_by(take_blocks(instance, blocks({3}), OwnerId(1))) ==
          "instance a: block 3 has a failed or drained device");
    const auto four = choose_blocks(instance, Count(4));
    REQUIRE(four.has_value());
    CHECK(to_text(*four) == "4-7");
    const auto eight = choose_blocks(instance, Count(8));
    REQUIRE_FALSE(eight.has_value());
    CHECK(to_text(eight.refusal()) == "blocks: 7 of 8 blocks are free, not 8");
    CHECK(capacity_of(shape).of({"gres", "gpu"}) == Count(7));
}

TEST_CASE("blocks: eight 1-GPU jobs share a host of 8, the ninth does not fit", "[alloc]") {
    Instance instance = instance_of("2s64c mem=2T gpu:a100-80G:8", 8);
    PuSet threads;
    DeviceSet devices;
    Bytes memory;
    for (std::uint64_t owner = 1; owner <= 8; ++owner) {
        const auto chosen = choose_blocks(instance, Count(1));
        REQUIRE(chosen.has_value());
        REQUIRE(take_blocks(instance, *chosen, OwnerId(owner)).ok());
        const Instance::Share share = share_of(instance, *chosen);
        CHECK(share.cpus == Count(16));
        CHECK(share.memory == gib(256));
        CHECK(share.threads.count() == 16);
        CHECK_FALSE(threads.intersects(share.threads));
        CHECK_FALSE(devices.intersects(share.placement->device_set()));
        threads |= share.threads;
        devices |= share.placement->device_set();
        memory += share.placement->total_memory();
    }
    CHECK((threads.count() == 128 && devices.count() == 8 && memory == tib(2)));
    CHECK_FALSE(choose_blocks(instance, Count(1)).has_value());
}

TEST_CASE("blocks: a share keeps architecture, zones and runtime; all blocks have the rest",
          "[alloc]") {
    const Instance instance = instance_of("2s8c2t mem=11B disk=1T arch=arm gpu:2 nic:3", 2);
    const Instance::Share half = share_of(instance, blocks({1}));
    CHECK(half.instance == "a");
    CHECK(half.architecture == Architecture::arm);
    CHECK(half.availability_zones == std::vector<std::string>{"eu-west-1a"});
    CHECK(half.runtime == "shim");
    CHECK(half.disk == tib(1));
    CHECK_FALSE(half.is_whole());
    CHECK(half.cpus == Count(16));
    CHECK(half.threads.count() == 16);
    CHECK(half.memory == Bytes(5));
    CHECK(half.placement->total_memory() == Bytes(5));
    CHECK(half.placement->devices.size() == 2);
    const Instance::Share whole = share_of(instance, blocks({0, 1}));
    CHECK(whole.is_whole());
    CHECK(whole.memory == Bytes(11));
    CHECK(whole.placement->total_memory() == Bytes(11));
    CHECK(whole.placement->devices.size() == 5);
    CHECK(whole.threads.count() == 32);
    CHECK(broken_contract([&] { static_cast<void>(share_of(instance, blocks({2}))); }) ==
          "the blocks are the instance's");
    CHECK(broken_contract([&] {
              static_cast<void>(placement_of(*instance.blocks.split, blocks({2})));
          }) == "the blocks are the host's");
}

TEST_CASE("blocks: a machine that was not inspected is known by numbers", "[alloc]") {
    Instance instance;
    instance.name = "a";
    instance.offer.cpus = Count(8);
    instance.offer.memory = gib(32);
    instance.offer.blocks = Count(4);
    instance.blocks = HostBlocks::unseen(Count(4));
    REQUIRE(check(instance).ok());
    const auto two = choose_blocks(instance, Count(2));
    REQUIRE(two.has_value());
    CHECK(to_text(*two) == "0-1");
    const Instance::Share share = share_of(instance, *two);
    CHECK((share.cpus == Count(4) && share.memory == gib(16)));
    CHECK_FALSE(share.placement.has_value());
    CHECK(share.threads.is_empty());
    CHECK(broken_contract([] { static_cast<void>(HostBlocks::unseen(Count())); }) ==
          "a host has one block or more, and not too many for a set");
}

TEST_CASE("blocks: limits of all shares and the reserve never exceed the host", "[alloc][law]") {
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), test_rounds(300u)}, [&](Choices& choices) {
        const std::vector<std::string> hosts{
            "2s4c mem=1001B gpu:8", "2s6c2t mem=77B hbm=9B gpu:6 nic:4", "12c mem=1000B system=0-3",
            "4s4c numa=2 mem=13B gpu:16"};
        NodeShape shape = machine(choices.of(hosts));
        shape.memory[0].reserved = Bytes(choices.in<std::int64_t>({0, 3}));
        Instance instance;
        instance.name = "a";
        REQUIRE(look_at(instance, shape, even_blocks(shape)).ok());
        std::map<std::uint64_t, BlockSet> model;  // who should have what
        for (std::uint64_t step = 0; step < 40; ++step) {
            const std::uint64_t owner = choices.below(4);
            if (choices.below(2) == 0) {
                const auto chosen =
                    choose_blocks(instance, Count(choices.in<std::int64_t>({1, 5})));
                if (!chosen) continue;
                REQUIRE(take_blocks(instance, *chosen, OwnerId(owner)).ok());
                model[owner] |= *chosen;
            } else if (!model[owner].is_empty()) {
                const BlockSet some = model[owner].first_k(1);
                REQUIRE(give_back_blocks(instance, some, OwnerId(owner)).ok());
                model[owner] -= some;
            }
        }
        Count cpus(instance.blocks.split->reserve.cores.count());
        Bytes memory = instance.blocks.split->reserve.memory.empty()
                           ? Bytes()
                           : instance.blocks.split->reserve.memory[0].bytes;
        DeviceSet devices;
        for (const auto& [owner, mine] : model) {
            REQUIRE(instance.blocks.blocks_of(OwnerId(owner)) == mine);
            if (mine.is_empty()) continue;
            const Instance::Share share = share_of(instance, mine);
            cpus += share.cpus;
            memory += share.memory;
            REQUIRE(share.placement->total_memory() == share.memory);
            REQUIRE_FALSE(devices.intersects(share.placement->device_set()));
            devices |= share.placement->device_set();
        }
        REQUIRE(cpus <= shape.cpu_count());
        REQUIRE(memory <= shape.total_memory());
    });
}

}  // namespace trestle
