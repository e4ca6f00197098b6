// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/usage.hpp"

#include <cstdint>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/codes.hpp"
#include "support/contract.hpp"
#include "support/owner_model.hpp"
#include "support/random_fit.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;
using testing::for_random_choices;

/// 4 cores, 2 domains of 8 bytes, GPU 0 whole, GPU 1 in 4 shares.
NodeShape small_shape() {
    NodeShape shape;
    shape.hardware = plain_cores(4);
    for (std::uint32_t i = 0; i < 2; ++i) {
        shape.memory.push_back({OsIndex(i), MemoryKind::dram, Bytes(8), {}});
        shape.devices.push_back(plain_gpu(i));
    }
    shape.devices[1].shares = Count(4);
    return shape;
}

NodePlacement only_cores(std::initializer_list<CoreId> ids) {
    NodePlacement placement;
    placement.cores = CoreSet::of(ids);
    return placement;
}
NodePlacement only_milli_cpus(std::int64_t milli) {
    NodePlacement placement;
    placement.milli_cpus = MilliCpu(milli);
    return placement;
}
NodePlacement only_memory(MemoryShares shares) {
    NodePlacement placement;
    placement.memory = std::move(shares);
    return placement;
}
NodePlacement only_devices(DeviceShares shares) {
    NodePlacement placement;
    placement.devices = std::move(shares);
    return placement;
}

/// Owner 1 has core 0, 5 bytes of domain 0, GPU 0, one share of GPU 1; owner 2 core 1 and another
/// share.
NodeUsage used_node() {
    NodeUsage usage(small_shape());
    NodePlacement first = only_cores({CoreId(0)});
    first.memory = {{DomainId(0), Bytes(5)}};
    first.devices = {{DeviceId(0), Count(1)}, {DeviceId(1), Count(1)}};
    NodePlacement second = only_cores({CoreId(1)});
    second.devices = {{DeviceId(1), Count(1)}};
    REQUIRE(usage.take(first, OwnerId(1)).ok());
    REQUIRE(usage.take(second, OwnerId(2)).ok());
    return usage;
}

struct UsageRow {
    NodePlacement placement;
    StatusCode code;
    const char* message;
    const char* why;
};

const UsageRow malformed[] = {
    {only_cores({CoreId(0), CoreId(4)}), invalid, "core 4 does not exist",
     "one past the last core"},
    {only_memory({{DomainId(2), Bytes(1)}}), invalid, "memory domain 2",
     "one past the last domain"},
    {only_memory({{DomainId(0), Bytes()}}), invalid, "more than 0 bytes", "nothing is no share"},
    {only_memory({{DomainId(1), Bytes(1)}, {DomainId(0), Bytes(1)}}), invalid, "rising order",
     "out of order"},
    {only_memory({{DomainId(1), Bytes(1)}, {DomainId(1), Bytes(1)}}), invalid, "rising order",
     "twice"},
    {only_devices({{DeviceId(2), Count(1)}}), invalid, "device 2", "one past the last device"},
    {only_devices({{DeviceId(1), Count()}}), invalid, "more than 0 shares", "nothing is no share"},
    {only_devices({{DeviceId(1), Count(1)}, {DeviceId(0), Count(1)}}), invalid, "rising order",
     "out of order"},
    {only_devices({{DeviceId(1), Count(1)}, {DeviceId(1), Count(1)}}), invalid, "rising order",
     "the same device twice"},
};

NodePlacement in_row(std::uint32_t row, std::initializer_list<CoreId> ids) {
    NodePlacement placement = only_cores(ids);
    placement.row = row;
    return placement;
}

/// small_shape(), GPU 0 cut into up to 4 memory slices.
NodeShape sliced_shape() {
    NodeShape shape = small_shape();
    shape.devices[0].slicing = Slicing{small_geometry(), {}, false};
    return shape;
}

NodePlacement only_slices(std::vector<SliceInstance> instances) {
    NodePlacement placement;
    for (SliceInstance& instance : instances) {
        placement.devices.push_back({DeviceId(0), Count(1), std::move(instance)});
    }
    return placement;
}

template <class Action>
void check_node_refused(const UsageRow& row, Action&& action) {
    INFO(row.why);
    NodeUsage usage = used_node();
    const Status status = action(usage);
    CHECK(status.code() == row.code);
    CHECK_THAT(std::string(message(status)), ContainsSubstring(row.message));
    CHECK(usage == used_node());
    CHECK(hash_of(usage) == hash_of(used_node()));
}

}  // namespace

TEST_CASE("NodeUsage: what cannot be taken changes nothing", "[alloc]") {
    const UsageRow rows[] = {
        {only_cores({CoreId(0), CoreId(3)}), refused, "core 0 belongs to owner 1",
         "one of two is taken"},
        {only_milli_cpus(2'001), refused, "2000 thousandths of CPUs are free, not 2001",
         "two cores are left"},
        {only_milli_cpus(std::numeric_limits<std::int64_t>::max()), refused,
         "2000 thousandths of CPUs are free, not 9223372036854775807", "beyond all reason"},
        {only_memory({{DomainId(0), Bytes(4)}}), refused, "memory domain 0 has 3 bytes free, not 4",
         "one byte more than is free"},
        {only_memory({{DomainId(0), Bytes(1)}, {DomainId(1), Bytes(9)}}), refused,
         "memory domain 1", "the second of two is too large"},
        {only_devices({{DeviceId(0), Count(1)}}), refused, "device 0 belongs to owner 1",
         "taken whole"},
        {only_devices({{DeviceId(1), Count(3)}}), refused, "device 1 belongs to owner 1",
         "two shares are left"},
    };
    for (const UsageRow& row : rows) {
        check_node_refused(row,
                           [&](NodeUsage& usage) { return usage.take(row.placement, OwnerId(3)); });
    }
    for (const UsageRow& row : malformed) {
        check_node_refused(row,
                           [&](NodeUsage& usage) { return usage.take(row.placement, OwnerId(3)); });
    }
}

TEST_CASE("NodeUsage: more shares than an idle device has is a wrong argument", "[alloc]") {
    NodeUsage usage(small_shape());
    const Status status = usage.take(only_devices({{DeviceId(1), Count(5)}}), OwnerId(1));
    CHECK(status.code() == invalid);
    CHECK(message(status) == "device 1 has 4 shares, not 5");
}

TEST_CASE("NodeUsage: what one does not have cannot be given back", "[alloc]") {
    const UsageRow rows[] = {
        {only_cores({CoreId(1)}), refused, "core 1 belongs to owner 2, not to 1",
         "somebody else's"},
        {only_cores({CoreId(0), CoreId(1)}), refused, "core 1 belongs to owner 2",
         "half somebody else's"},
        {only_cores({CoreId(3)}), refused, "core 3 is free, owner 1 does not have it", "nobody's"},
        {only_milli_cpus(1), refused, "owner 1 has 0 thousandths of CPUs, not 1", "it has cores"},
        {only_memory({{DomainId(0), Bytes(6)}}), refused,
         "owner 1 has 5 bytes of memory domain 0, not 6", "a byte too many"},
        {only_memory({{DomainId(1), Bytes(1)}}), refused, "owner 1 has 0 bytes of memory domain 1",
         "nothing of that domain"},
        {only_devices({{DeviceId(0), Count(1)}, {DeviceId(1), Count(2)}}), refused,
         "owner 1 has 1 shares of device 1, not 2", "a share too many"},
    };
    for (const UsageRow& row : rows) {
        check_node_refused(
            row, [&](NodeUsage& usage) { return usage.give_back(row.placement, OwnerId(1)); });
    }
    for (const UsageRow& row : malformed) {
        check_node_refused(
            row, [&](NodeUsage& usage) { return usage.give_back(row.placement, OwnerId(1)); });
    }
    const UsageRow foreign{only_devices({{DeviceId(0), Count(1)}}), refused,
                           "device 0 belongs to owner 1, not to 2", "somebody else's device"};
    check_node_refused(
        foreign, [&](NodeUsage& usage) { return usage.give_back(foreign.placement, OwnerId(2)); });
    const UsageRow stranger{only_cores({CoreId(0)}), refused, "core 0 belongs to owner 1, not to 9",
                            "an owner that has nothing"};
    check_node_refused(stranger, [&](NodeUsage& usage) {
        return usage.give_back(stranger.placement, OwnerId(9));
    });
}

TEST_CASE("NodeUsage: giving back twice is refused the second time", "[alloc]") {
    NodeUsage usage(small_shape());
    NodePlacement all = only_cores({CoreId(2)});
    all.memory = {{DomainId(1), Bytes(8)}};
    all.devices = {{DeviceId(1), Count(4)}};
    REQUIRE(usage.take(all, OwnerId(1)).ok());
    REQUIRE(usage.give_back(all, OwnerId(1)).ok());
    CHECK(usage == NodeUsage(small_shape()));
    CHECK(usage.give_back(all, OwnerId(1)).code() == refused);
    CHECK(usage == NodeUsage(small_shape()));
}

TEST_CASE("NodeUsage: nothing can be taken and given back, and leaves no trace", "[alloc]") {
    NodeUsage usage(small_shape());
    REQUIRE(usage.take({}, OwnerId(1)).ok());
    CHECK(usage.is_idle());
    REQUIRE(usage.give_back({}, OwnerId(1)).ok());
    CHECK(usage == NodeUsage(small_shape()));
}

TEST_CASE("NodeUsage: what the system keeps is neither free nor can be taken", "[alloc]") {
    NodeShape shape = small_shape();
    shape.system_cores = CoreSet::of({CoreId(3)});
    shape.memory[1].reserved = Bytes(6);
    NodeUsage usage(shape);
    CHECK(to_text(usage.free_cores()) == "0-2");
    CHECK(to_text(usage.free_cores(1)) == "0-2");
    CHECK(usage.free_memory(DomainId(1)) == Bytes(2));
    const Status status = usage.take(only_cores({CoreId(3)}), OwnerId(1));
    CHECK(status.code() == invalid);
    CHECK(message(status) == "core 3 does not exist, or is the system's");
    CHECK(usage.take(in_row(0, {CoreId(3)}), OwnerId(1)).code() == invalid);
    CHECK(usage.take(only_memory({{DomainId(1), Bytes(3)}}), OwnerId(1)).code() == refused);
    NodePlacement all = only_cores({CoreId(0), CoreId(1), CoreId(2)});
    all.memory = {{DomainId(1), Bytes(2)}};
    REQUIRE(usage.take(all, OwnerId(1)).ok());
    REQUIRE(usage.give_back(all, OwnerId(1)).ok());
    CHECK(usage == NodeUsage(shape));
}

TEST_CASE("NodeUsage: thousandths come from the threads of cores that nobody has", "[alloc]") {
    NodeShape shape = small_shape();
    shape.hardware.cores[3].threads.emplace_back(4);
    shape.system_cores = CoreSet::of({CoreId(0)});
    NodeUsage usage(shape);
    CHECK(usage.free_milli_cpus() == cpus(4));
    REQUIRE(usage.take(only_milli_cpus(1'500), OwnerId(1)).ok());
    REQUIRE(usage.take(only_milli_cpus(400), OwnerId(2)).ok());
    CHECK(usage.free().milli_cpus == MilliCpu(1'900));
    CHECK(usage.free_milli_cpus() == MilliCpu(2'100));
    CHECK(to_text(usage.free_cores()) == "1-3");
    CHECK(usage.holdings()[0].milli_cpus == MilliCpu(1'500));

    CHECK(message(usage.take(only_cores({CoreId(1), CoreId(3)}), OwnerId(3))) ==
          "cores 1,3: 1000 thousandths of CPUs would be left, 1900 are taken");
    CHECK(message(usage.take(in_row(0, {CoreId(1), CoreId(3)}), OwnerId(3))) ==
          "cores 1,3: 1000 thousandths of CPUs would be left, 1900 are taken");
    REQUIRE(usage.take(in_row(0, {CoreId(3)}), OwnerId(3)).ok());
    CHECK(usage.take(only_cores({CoreId(1)}), OwnerId(4)).code() == refused);
    REQUIRE(usage.take(in_row(1, {CoreId(3)}), OwnerId(4)).ok());  // it is pinned already
    CHECK(usage.free_milli_cpus() == MilliCpu(100));

    NodePlacement both = only_cores({CoreId(2)});
    both.milli_cpus = MilliCpu(1);
    CHECK(message(usage.take(both, OwnerId(5))) == "0 thousandths of CPUs are free, not 1");
    REQUIRE(usage.give_back(only_milli_cpus(1'500), OwnerId(1)).ok());
    CHECK(usage.give_back(only_milli_cpus(1'500), OwnerId(1)).code() == refused);
    REQUIRE(usage.take(both, OwnerId(5)).ok());
    REQUIRE(usage.give_back(both, OwnerId(5)).ok());
    REQUIRE(usage.give_back(only_milli_cpus(400), OwnerId(2)).ok());
    REQUIRE(usage.give_back(in_row(0, {CoreId(3)}), OwnerId(3)).ok());
    REQUIRE(usage.give_back(in_row(1, {CoreId(3)}), OwnerId(4)).ok());
    CHECK(usage == NodeUsage(shape));
}

TEST_CASE("NodeUsage: owners in different rows have the same cores", "[alloc]") {
    NodeUsage usage(small_shape());
    REQUIRE(usage.take(in_row(0, {CoreId(0), CoreId(1)}), OwnerId(1)).ok());
    REQUIRE(usage.take(in_row(1, {CoreId(1), CoreId(2)}), OwnerId(2)).ok());
    REQUIRE(usage.take(only_cores({CoreId(3)}), OwnerId(3)).ok());
    CHECK(usage.free_cores().is_empty());
    CHECK(to_text(usage.free_cores(0)) == "2");
    CHECK(to_text(usage.free_cores(1)) == "0");
    CHECK(to_text(usage.free_cores(2)) == "0-2");
    CHECK(usage.owner_of(CoreId(1)) == OwnerId(1));

    CHECK(message(usage.take(in_row(0, {CoreId(1)}), OwnerId(4))) == "core 1 belongs to owner 1");
    CHECK(message(usage.take(in_row(2, {CoreId(3)}), OwnerId(4))) == "core 3 belongs to owner 3");
    CHECK(message(usage.take(only_cores({CoreId(2)}), OwnerId(4))) == "core 2 belongs to owner 2");
    CHECK(usage.give_back(only_cores({CoreId(0)}), OwnerId(1)).code() == refused);
    CHECK(usage.give_back(in_row(1, {CoreId(0)}), OwnerId(1)).code() == refused);

    REQUIRE(usage.give_back(in_row(0, {CoreId(0), CoreId(1)}), OwnerId(1)).ok());
    CHECK(to_text(usage.free_cores()) == "0");  // core 1 is still owner 2's
    REQUIRE(usage.give_back(in_row(1, {CoreId(1), CoreId(2)}), OwnerId(2)).ok());
    REQUIRE(usage.give_back(only_cores({CoreId(3)}), OwnerId(3)).ok());
    CHECK(usage == NodeUsage(small_shape()));
}

TEST_CASE("NodeUsage: one owner in two rows gives each back by itself", "[alloc]") {
    NodeUsage usage(small_shape());
    REQUIRE(usage.take(in_row(1, {CoreId(0)}), OwnerId(1)).ok());
    REQUIRE(usage.take(in_row(0, {CoreId(0), CoreId(1)}), OwnerId(1)).ok());
    REQUIRE(usage.holdings().size() == 1);
    CHECK(usage.holdings()[0].rows ==
          std::vector<RowCores>{{0, CoreSet::range({0, 2})}, {1, CoreSet::range({0, 1})}});
    REQUIRE(usage.give_back(in_row(0, {CoreId(0)}), OwnerId(1)).ok());
    CHECK(to_text(usage.free_cores()) == "2-3");
    CHECK(usage.give_back(in_row(0, {CoreId(0)}), OwnerId(1)).code() == refused);
    REQUIRE(usage.give_back(in_row(1, {CoreId(0)}), OwnerId(1)).ok());
    REQUIRE(usage.give_back(in_row(0, {CoreId(1)}), OwnerId(1)).ok());
    CHECK(usage == NodeUsage(small_shape()));
}

TEST_CASE("NodeUsage: instances of a device exclude each other and its use uncut", "[alloc]") {
    const NodePlacement whole = only_devices({{DeviceId(0), Count(1)}});
    NodeUsage usage(sliced_shape());
    REQUIRE(usage.take(only_slices({{2, 1, "1g"}}), OwnerId(1)).ok());
    REQUIRE(usage.take(only_slices({{0, 2, "2g"}}), OwnerId(2)).ok());
    CHECK(usage.free_shares(DeviceId(0)) == Count(0));
    CHECK(usage.held_slices(DeviceId(0)) == std::vector<SliceInstance>{{0, 2, "2g"}, {2, 1, "1g"}});
    CHECK(usage.held_slices(DeviceId(1)).empty());
    CHECK(usage.owner_of(DeviceId(0)) == OwnerId(1));

    CHECK(message(usage.take(whole, OwnerId(3))) == "device 0 belongs to owner 1");
    CHECK(message(usage.take(only_slices({{1, 1, "1g"}}), OwnerId(3))) ==
          "instance 1g at 1 of device 0 belongs to owner 2");
    CHECK(message(usage.take(only_slices({{3, 1, "1g"}, {2, 1, "1g"}}), OwnerId(3))) ==
          "device 0: expected devices in rising order, each once, or instances side by side");
    CHECK(message(usage.take(only_slices({{2, 2, "2g"}}), OwnerId(1))) ==
          "instance 2g at 2 of device 0 belongs to owner 1");
    CHECK(usage.give_back(only_slices({{0, 2, "2g"}}), OwnerId(1)).code() == refused);
    CHECK(usage.give_back(only_slices({{2, 1, "2g"}}), OwnerId(1)).code() == refused);
    CHECK(usage.give_back(whole, OwnerId(1)).code() == refused);

    REQUIRE(usage.give_back(only_slices({{0, 2, "2g"}}), OwnerId(2)).ok());
    CHECK(usage.free_shares(DeviceId(0)) == Count(0));  // one instance is still held
    REQUIRE(usage.give_back(only_slices({{2, 1, "1g"}}), OwnerId(1)).ok());
    CHECK(usage == NodeUsage(sliced_shape()));
    REQUIRE(usage.take(whole, OwnerId(3)).ok());
    CHECK(message(usage.take(only_slices({{2, 1, "1g"}}), OwnerId(1))) ==
          "instance 1g at 2 of device 0 belongs to owner 3");
}

TEST_CASE("NodeUsage: an instance that the device cannot have is a wrong argument", "[alloc]") {
    struct Row {
        DeviceShare share;
        const char* why;
    };
    const Row rows[] = {
        {{DeviceId(0), Count(1), SliceInstance{4, 1, "1g"}}, "behind the device"},
        {{DeviceId(0), Count(1), SliceInstance{3, 2, "2g"}}, "partly behind the device"},
        {{DeviceId(0), Count(1), SliceInstance{1, 4'294'967'295, "2g"}}, "its end overflows"},
        {{DeviceId(0), Count(1), SliceInstance{0, 0, "1g"}}, "of no size"},
        {{DeviceId(0), Count(2), SliceInstance{0, 1, "1g"}}, "two shares of an instance"},
        {{DeviceId(1), Count(1), SliceInstance{0, 1, "1g"}}, "of a device that is not cut"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        NodeUsage usage(sliced_shape());
        const Status status = usage.take(only_devices({row.share}), OwnerId(1));
        CHECK(status.code() == invalid);
        CHECK_THAT(std::string(message(status)),
                   ContainsSubstring("expected one share of an instance inside"));
        CHECK(usage == NodeUsage(sliced_shape()));
    }
}

TEST_CASE("NodeUsage: what is not consumed is given to any number of owners", "[alloc]") {
    NodeShape shape = small_shape();
    shape.devices[1].is_consumed = false;
    const NodePlacement all = only_devices({{DeviceId(1), Count(4)}});
    NodeUsage usage(shape);
    for (const OwnerId owner : {OwnerId(1), OwnerId(2)}) REQUIRE(usage.take(all, owner).ok());
    CHECK(usage.free_shares(DeviceId(1)) == Count(4));
    CHECK(usage.owner_of(DeviceId(1)) == OwnerId(1));
    CHECK_FALSE(usage.is_idle());
    CHECK(usage.take(only_devices({{DeviceId(1), Count(5)}}), OwnerId(3)).code() == invalid);
    CHECK(message(usage.give_back(all, OwnerId(3))) == "device 1 belongs to owner 1, not to 3");
    for (const OwnerId owner : {OwnerId(1), OwnerId(2)}) REQUIRE(usage.give_back(all, owner).ok());
    CHECK(usage == NodeUsage(shape));
}

TEST_CASE("NodeUsage: asking for a unit that does not exist breaks a contract", "[alloc]") {
    const NodeUsage usage(small_shape());
    CHECK(broken_contract([&] { static_cast<void>(usage.free_memory(DomainId(2))); }) ==
          "the memory domain exists");
    CHECK(broken_contract([&] { static_cast<void>(usage.free_shares(DeviceId(2))); }) ==
          "the device exists");
}

TEST_CASE("NodeUsage: random takes and returns agree with a map from unit to owner",
          "[alloc][law]") {
    constexpr std::uint64_t owners = 4;
    std::uint64_t taken = 0;
    std::uint64_t given = 0;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), 500}, [&](Choices& choices) {
        const NodeShape shape = any_shape(choices);
        NodeShape stranger = any_shape(choices);  // units that may not exist
        NodeUsage usage(shape);
        OwnerModel model(shape);
        for (int step = 0; step < 30; ++step) {
            const OwnerId owner(choices.below(owners));
            NodePlacement part = any_taken(choices, choices.one_in(8) ? stranger : shape);
            if (choices.one_in(3))
                part.row = static_cast<std::uint32_t>(choices.below(OwnerModel::rows));
            if (choices.one_in(16) && part.devices.size() > 1) {
                std::swap(part.devices[0], part.devices[1]);
            }
            const auto& holdings = usage.holdings();
            const bool gives = !holdings.empty() && choices.one_in(2);
            if (gives && choices.one_in(2)) {  // all that somebody has, but for other rows
                const Holding& holding = choices.of(holdings);
                part.row.reset();
                if (!holding.rows.empty() && choices.one_in(2)) {
                    part.row = choices.of(holding.rows).row;
                }
                part.cores = holding.cores_in(part.row);
                part.milli_cpus = holding.milli_cpus;
                part.memory = holding.memory;
                part.devices = holding.devices;
            }
            const NodeUsage before = usage;
            const Status status = gives ? usage.give_back(part, owner) : usage.take(part, owner);
            const StatusCode expected =
                gives ? model.give_back(part, owner) : model.take(part, owner);
            INFO(to_text(shape) << (gives ? " gives " : " takes ") << to_text(part));
            REQUIRE(status.code() == expected);
            if (!status.ok()) REQUIRE(usage == before);
            REQUIRE(model.equals(usage, owners));
            (gives ? given : taken) += status.ok() ? 1u : 0u;
        }
    });
    CHECK(taken > 1'000);
    CHECK(given > 500);
}

TEST_CASE("NodeUsage: give_back after take restores the very value", "[alloc][law]") {
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), 2'000}, [&](Choices& choices) {
        const NodeShape shape = any_shape(choices);
        NodeUsage usage(shape);
        REQUIRE(usage.take(any_taken(choices, shape), OwnerId(1)).ok());
        const NodeUsage before = usage;
        NodePlacement more = any_taken(choices, shape);
        if (choices.one_in(2)) more.row = static_cast<std::uint32_t>(choices.below(2));
        const OwnerId owner(1 + choices.below(2));
        if (!usage.take(more, owner).ok()) return;
        REQUIRE(usage.give_back(more, owner).ok());
        REQUIRE(usage == before);
        REQUIRE(hash_of(usage) == hash_of(before));
    });
}

}  // namespace trestle
