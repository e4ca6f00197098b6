// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/blocks.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/random_fit.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/place.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/cluster_text.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;
using testing::for_random_choices;

NodeShape shape_of(const char* text) {
    const auto node = testing::node_from_text(text);
    INFO(message(node.status()));
    REQUIRE(node.ok());
    return *node->shape;
}

Offer instance(std::int64_t cpus, Bytes memory, std::int64_t gpus, std::int64_t blocks) {
    Offer offer;
    offer.cpus = Count(cpus);
    offer.memory = memory;
    OfferedDevices devices;
    devices.count = Count(gpus);
    if (gpus > 0) offer.devices = {devices};
    offer.blocks = Count(blocks);
    return offer;
}

/// Every core, byte and share once, and parts that differ by at most one in each.
void check_split(const NodeShape& shape, const std::vector<NodePlacement>& parts) {
    NodeUsage usage(shape);
    const CoreSet cores = shape.allocatable_cores();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Status status = usage.take(parts[i], OwnerId(i));
        INFO(message(status));
        REQUIRE(status.ok());
        REQUIRE(parts[i].cores.count() == cores.count() / parts.size());
        REQUIRE(parts[i].devices.size() == shape.devices.size() / parts.size());
    }
    REQUIRE(usage.free_cores().is_empty());
    for (std::uint32_t i = 0; i < shape.memory.size(); ++i) {
        REQUIRE(usage.free_memory(DomainId(i)).is_zero());
        std::vector<Bytes> amounts;
        for (const NodePlacement& part : parts) {
            const auto at =
                std::find_if(part.memory.begin(), part.memory.end(),
                             [&](const MemoryShare& m) { return m.domain == DomainId(i); });
            const CoreSet near = shape.memory[i].cores & cores;
            if (!near.is_empty() && !near.intersects(part.cores)) continue;
            amounts.push_back(at == part.memory.end() ? Bytes() : at->bytes);
        }
        const auto [least, most] = std::minmax_element(amounts.begin(), amounts.end());
        REQUIRE(*most - *least <= Bytes(1));
    }
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
        REQUIRE(usage.free_shares(DeviceId(i)).is_zero() == shape.devices[i].is_consumed);
    }
}

}  // namespace

TEST_CASE("blocks: an offer divides or it says what does not", "[alloc]") {
    struct Row {
        Offer offer;
        const char* expected;  ///< empty: it divides
        const char* why;
    };
    const Row rows[] = {
        {instance(128, tib(2), 8, 8), "", "8 GPUs, 128 CPUs in 8 blocks"},
        {instance(32, gib(1), 8, 4), "", "8 GPUs: 2 a block"},
        {instance(32, gib(1), 4, 4), "", "4 GPUs: 1 a block"},
        {instance(32, gib(1), 5, 4), "5 gpu do not divide into 4 blocks", "5 GPUs"},
        {instance(32, gib(1), 6, 4), "6 gpu do not divide into 4 blocks", "6 GPUs"},
        {instance(32, gib(1), 7, 4), "7 gpu do not divide into 4 blocks", "7 GPUs"},
        {instance(30, gib(1), 8, 4), "30 CPUs do not divide into 4 blocks", "CPUs"},
        {instance(3, Bytes(1), 0, 3), "", "bytes need not divide"},
        {instance(3, Bytes(1), 0, 0), "0 blocks, expected 1 or more", "no blocks at all"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto refusal = check_blocks(row.offer);
        CHECK((refusal ? refusal->reason : "") == row.expected);
        if (refusal) CHECK(refusal->constraint == Constraint::blocks);
    }
}

TEST_CASE("blocks: what some blocks of an offer hold", "[alloc]") {
    const Offer offer = instance(128, tib(2), 8, 8);
    const BlockShare one = share_of(offer, Count(1));
    CHECK(one.cpus == Count(16));
    CHECK(one.memory == gib(256));
    CHECK(one.devices.at(0).count == Count(1));
    CHECK(share_of(offer, Count(8)).memory == offer.memory);

    const BlockShare two_gpus = share_of(instance(32, gib(1), 8, 4), Count(1));
    CHECK(two_gpus.devices.at(0).count == Count(2));
    const Offer odd = instance(2, Bytes(5), 0, 2);
    CHECK(share_of(odd, Count(1)).memory == Bytes(2));
    CHECK(share_of(odd, Count(2)).memory == Bytes(5));
    for (const Count count : {Count(), Count(3)}) {
        CHECK(broken_contract([&] { static_cast<void>(share_of(odd, count)); }) ==
              "the offer has so many blocks");
    }
}

TEST_CASE("split: every unit is in one block, and blocks differ by at most one byte",
          "[alloc][law]") {
    for (const char* text : {"2s16c2t mem=512G gpu:a100-80G:8@nvlink nic:cx7:2", "8c mem=1G",
                             "4s4c numa=2 mem=3 gpu:4", "2s8c mem=7 hbm=3 pmem=5 gpu:8/4 nic:8",
                             "1c", "2s6c mem=1M gpu:6@s1"}) {
        const NodeShape shape = shape_of(text);
        std::uint32_t splits = 0;
        for (std::int64_t blocks = 1; blocks <= 32; ++blocks) {
            INFO(text << " in " << blocks);
            const auto parts = split(shape, Count(blocks));
            bool divides = shape.hardware.core_count() % blocks == 0;
            for (const char* name : {"gpu", "nic"}) {
                const auto count =
                    std::count_if(shape.devices.begin(), shape.devices.end(),
                                  [&](const Device& device) { return device.name == name; });
                divides &= count % blocks == 0;
            }
            REQUIRE(parts.has_value() == divides);
            if (!parts) {
                CHECK(parts.refusal().constraint == Constraint::blocks);
                continue;
            }
            ++splits;
            REQUIRE(parts->size() == static_cast<std::size_t>(blocks));
            check_split(shape, *parts);
        }
        CHECK(splits > 0);
    }
    CHECK_FALSE(split(shape_of("4c"), Count()).has_value());
}

TEST_CASE("split: irregular nodes lose nothing", "[alloc][law]") {
    std::uint64_t splits = 0;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), 3'000}, [&](Choices& choices) {
        const NodeShape shape = any_shape(choices);
        const auto parts = split(shape, Count(static_cast<std::int64_t>(1 + choices.below(4))));
        if (!parts || shape.allocatable_cores().is_empty()) return;
        INFO(to_text(shape));
        check_split(shape, *parts);
        splits += parts->size() > 1 ? 1u : 0u;
    });
    CHECK(splits > 100);
}

TEST_CASE("split: neighbours fall together", "[alloc]") {
    const NodeShape shape = shape_of("2s4c mem=8G gpu:4");
    const auto parts = split(shape, Count(2));
    REQUIRE(parts.has_value());
    CHECK(to_text((*parts)[0].cores) == "0-3");
    CHECK(to_text((*parts)[0].device_set()) == "0-1");
    CHECK((*parts)[0].memory == MemoryShares{{DomainId(0), gib(4)}});
    CHECK((*parts)[1].memory == MemoryShares{{DomainId(1), gib(4)}});
}

TEST_CASE("blocks: of eight blocks seven can be had when a GPU failed", "[alloc]") {
    NodeShape shape = shape_of("2s64c mem=2T gpu:a100-80G:8");
    shape.devices[3].health = Health::failure;
    const auto parts = split(shape, Count(8));
    REQUIRE(parts.has_value());
    std::vector<bool> usable;
    for (const NodePlacement& part : *parts) usable.push_back(is_usable(shape, part));
    CHECK(usable == std::vector<bool>{true, true, true, false, true, true, true, true});
    CHECK(capacity_of(shape).of({"gres", "gpu"}) == Count(7));
    shape.devices[5].is_drained = true;
    CHECK(capacity_of(shape).of({"gres", "gpu"}) == Count(6));
}

TEST_CASE("blocks: what is kept for the system is in no block", "[alloc]") {
    NodeShape shape = shape_of("2s5c mem=8G gpu:4");
    shape.system_cores = CoreSet::of({CoreId(0), CoreId(5)});
    shape.memory[0].reserved = gib(1);
    const auto parts = split(shape, Count(2));
    REQUIRE(parts.has_value());
    CHECK(to_text((*parts)[0].cores) == "1-4");
    CHECK(to_text((*parts)[1].cores) == "6-9");
    CHECK((*parts)[0].total_memory() == gib(3));
    CHECK(capacity_of(shape).of({"cpu", ""}) == Count(8));
    CHECK(capacity_of(shape).of({"mem", ""}) == Count(gib(7).value()));
}

TEST_CASE("blocks: eight 1-GPU jobs share a node of 8, the ninth does not fit", "[alloc]") {
    auto cluster = testing::cluster_from_text("(2s64c mem=2T gpu:a100-80G:8)");
    REQUIRE(cluster.ok());
    Request job;
    job.cpus_per_task = Range<Count>::exactly(Count(16));
    job.memory = Range<Bytes>::exactly(gib(256));
    job.devices = {DeviceRequest{}};
    job.devices[0].memory = Range<Bytes>::exactly(gib(80));
    for (std::uint64_t owner = 1; owner <= 8; ++owner) {
        auto placement = place(*cluster, job);
        INFO("job " << owner << ": " << to_text(placement));
        REQUIRE(placement.has_value());
        REQUIRE(cluster->commit({OwnerId(owner), job, *std::move(placement)}).ok());
    }
    const auto ninth = place(*cluster, job);
    REQUIRE(!ninth.has_value());
    CHECK(ninth.refusal().constraint == Constraint::devices);
    CHECK_THAT(ninth.refusal().reason, ContainsSubstring("asked 1 gpu, 0 free of 8"));
}

}  // namespace trestle
