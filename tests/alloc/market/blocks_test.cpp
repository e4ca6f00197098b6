// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/market/blocks.hpp"

#include <cstdint>

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;

Offer instance(std::int64_t cpus, Bytes memory, std::int64_t gpus, std::int64_t blocks) {
    Offer offer;
    offer.cpus = Count(cpus);
    offer.memory = memory;
    Offer::Devices devices;
    devices.count = Count(gpus);
    if (gpus > 0) offer.devices = {devices};
    offer.blocks = Count(blocks);
    return offer;
}

Offer with_nics(Offer offer, std::int64_t nics) {
    Offer::Devices devices;
    devices.name = "nic";
    devices.count = Count(nics);
    offer.devices.push_back(devices);
    return offer;
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
        {with_nics(instance(32, gib(1), 8, 8), 1), "", "NICs need not divide"},
        {with_nics(instance(32, gib(1), 6, 4), 4), "6 gpu do not divide into 4 blocks", "GPUs do"},
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

    const Offer nics = with_nics(instance(128, tib(2), 8, 8), 12);
    CHECK(even_blocks(nics) == Count(8));
    CHECK(share_of(nics, Count(2)).devices.at(1).count == Count(2));
    CHECK(share_of(nics, Count(8)).devices.at(1).count == Count(12));
    CHECK(share_of(with_nics(offer, 1), Count(7)).devices.size() == 1);

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
    CHECK_THAT(ninth.refusal().reason,
               ContainsSubstring("asked 1 gpu with 80GiB of memory, 0 of 8 are free"));
}

}  // namespace trestle
