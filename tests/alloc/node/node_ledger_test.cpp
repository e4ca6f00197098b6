// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/node_ledger.hpp"

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
        shape.memory.push_back({OsIndex(i), MemoryDomain::Kind::dram, Bytes(8), {}});
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
NodePlacement only_memory(SmallVector<MemoryShare> shares) {
    NodePlacement placement;
    placement.memory = std::move(shares);
    return placement;
}
NodePlacement only_devices(SmallVector<DeviceShare> shares) {
    NodePlacement placement;
    placement.devices = std::move(shares);
    return placement;
}

/// Owner 1 has core 0, 5 bytes of domain 0, GPU 0, one share of GPU 1; owner 2 core 1 and another
/// share.
NodeLedger used_node() {
    NodeLedger ledger(small_shape());
    NodePlacement first = only_cores({CoreId(0)});
    first.memory = {{DomainId(0), Bytes(5)}};
    first.devices = {{DeviceId(0), Count(1)}, {DeviceId(1), Count(1)}};
    NodePlacement second = only_cores({CoreId(1)});
    second.devices = {{DeviceId(1), Count(1)}};
    REQUIRE(ledger.take(first, OwnerId(1)).ok());
    REQUIRE(ledger.take(second, OwnerId(2)).ok());
    return ledger;
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

NodePlacement only_slices(std::vector<Slicing::Instance> instances) {
    NodePlacement placement;
    for (Slicing::Instance& instance : instances) {
        placement.devices.push_back({DeviceId(0), Count(1), std::move(instance)});
    }
    return placement;
}

template <class Action>
void check_node_refused(const UsageRow& row, Action&& action) {
    INFO(row.why);
    NodeLedger ledger = used_node();
    const Status status = action(ledger);
    CHECK(status.code() == row.code);
    CHECK_THAT(std::string(message(status)), ContainsSubstring(row.message));
    CHECK(ledger == used_node());
    CHECK(hash_of(ledger) == hash_of(used_node()));
}

}  // namespace

TEST_CASE("NodeLedger: what cannot be taken changes nothing", "[alloc]") {
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
        check_node_refused(
            row, [&](NodeLedger& ledger) { return ledger.take(row.placement, OwnerId(3)); });
    }
    for (const UsageRow& row : malformed) {
        check_node_refused(
            row, [&](NodeLedger& ledger) { return ledger.take(row.placement, OwnerId(3)); });
    }
}

TEST_CASE("NodeLedger: more shares than an idle device has is a wrong argument", "[alloc]") {
    NodeLedger ledger(small_shape());
    const Status status = ledger.take(only_devices({{DeviceId(1), Count(5)}}), OwnerId(1));
    CHECK(status.code() == invalid);
    CHECK(message(status) == "device 1 has 4 shares, not 5");
}

TEST_CASE("NodeLedger: what one does not have cannot be given back", "[alloc]") {
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
            row, [&](NodeLedger& ledger) { return ledger.give_back(row.placement, OwnerId(1)); });
    }
    for (const UsageRow& row : malformed) {
        check_node_refused(
            row, [&](NodeLedger& ledger) { return ledger.give_back(row.placement, OwnerId(1)); });
    }
    const UsageRow foreign{only_devices({{DeviceId(0), Count(1)}}), refused,
                           "device 0 belongs to owner 1, not to 2", "somebody else's device"};
    check_node_refused(foreign, [&](NodeLedger& ledger) {
        return ledger.give_back(foreign.placement, OwnerId(2));
    });
    const UsageRow stranger{only_cores({CoreId(0)}), refused, "core 0 belongs to owner 1, not to 9",
                            "an owner that has nothing"};
    check_node_refused(stranger, [&](NodeLedger& ledger) {
        return ledger.give_back(stranger.placement, OwnerId(9));
    });
}

TEST_CASE("NodeLedger: giving back twice is refused the second time", "[alloc]") {
    NodeLedger ledger(small_shape());
    NodePlacement all = only_cores({CoreId(2)});
    all.memory = {{DomainId(1), Bytes(8)}};
    all.devices = {{DeviceId(1), Count(4)}};
    REQUIRE(ledger.take(all, OwnerId(1)).ok());
    REQUIRE(ledger.give_back(all, OwnerId(1)).ok());
    CHECK(ledger == NodeLedger(small_shape()));
    CHECK(ledger.give_back(all, OwnerId(1)).code() == refused);
    CHECK(ledger == NodeLedger(small_shape()));
}

TEST_CASE("NodeLedger: nothing can be taken and given back, and leaves no trace", "[alloc]") {
    NodeLedger ledger(small_shape());
    REQUIRE(ledger.take({}, OwnerId(1)).ok());
    CHECK(ledger.is_idle());
    REQUIRE(ledger.give_back({}, OwnerId(1)).ok());
    CHECK(ledger == NodeLedger(small_shape()));
}

TEST_CASE("NodeLedger: what the system keeps is neither free nor can be taken", "[alloc]") {
    NodeShape shape = small_shape();
    shape.system_cores = CoreSet::of({CoreId(3)});
    shape.memory[1].reserved = Bytes(6);
    NodeLedger ledger(shape);
    CHECK(to_text(ledger.free_cores()) == "0-2");
    CHECK(to_text(ledger.free_cores(1)) == "0-2");
    CHECK(ledger.free_memory(DomainId(1)) == Bytes(2));
    const Status status = ledger.take(only_cores({CoreId(3)}), OwnerId(1));
    CHECK(status.code() == invalid);
    CHECK(message(status) == "core 3 does not exist, or is the system's");
    CHECK(ledger.take(in_row(0, {CoreId(3)}), OwnerId(1)).code() == invalid);
    CHECK(ledger.take(only_memory({{DomainId(1), Bytes(3)}}), OwnerId(1)).code() == refused);
    NodePlacement all = only_cores({CoreId(0), CoreId(1), CoreId(2)});
    all.memory = {{DomainId(1), Bytes(2)}};
    REQUIRE(ledger.take(all, OwnerId(1)).ok());
    REQUIRE(ledger.give_back(all, OwnerId(1)).ok());
    CHECK(ledger == NodeLedger(shape));
}

TEST_CASE("NodeLedger: thousandths come from the threads of cores without owner", "[alloc]") {
    NodeShape shape = small_shape();
    shape.hardware.cores[3].threads.emplace_back(4);
    shape.system_cores = CoreSet::of({CoreId(0)});
    NodeLedger ledger(shape);
    CHECK(ledger.free_milli_cpus() == cpus(4));
    REQUIRE(ledger.take(only_milli_cpus(1'500), OwnerId(1)).ok());
    REQUIRE(ledger.take(only_milli_cpus(400), OwnerId(2)).ok());
    CHECK(ledger.free().held_milli_cpus == MilliCpu(1'900));
    CHECK(ledger.free_milli_cpus() == MilliCpu(2'100));
    CHECK(to_text(ledger.free_cores()) == "1-3");
    CHECK(ledger.holdings()[0].milli_cpus == MilliCpu(1'500));

    CHECK(message(ledger.take(only_cores({CoreId(1), CoreId(3)}), OwnerId(3))) ==
          "cores 1,3: 1000 thousandths of CPUs would be left, 1900 are taken");
    CHECK(message(ledger.take(in_row(0, {CoreId(1), CoreId(3)}), OwnerId(3))) ==
          "cores 1,3: 1000 thousandths of CPUs would be left, 1900 are taken");
    REQUIRE(ledger.take(in_row(0, {CoreId(3)}), OwnerId(3)).ok());
    CHECK(ledger.take(only_cores({CoreId(1)}), OwnerId(4)).code() == refused);
    REQUIRE(ledger.take(in_row(1, {CoreId(3)}), OwnerId(4)).ok());  // it is pinned already
    CHECK(ledger.free_milli_cpus() == MilliCpu(100));

    NodePlacement both = only_cores({CoreId(2)});
    both.milli_cpus = MilliCpu(1);
    CHECK(message(ledger.take(both, OwnerId(5))) == "0 thousandths of CPUs are free, not 1");
    REQUIRE(ledger.give_back(only_milli_cpus(1'500), OwnerId(1)).ok());
    CHECK(ledger.give_back(only_milli_cpus(1'500), OwnerId(1)).code() == refused);
    REQUIRE(ledger.take(both, OwnerId(5)).ok());
    REQUIRE(ledger.give_back(both, OwnerId(5)).ok());
    REQUIRE(ledger.give_back(only_milli_cpus(400), OwnerId(2)).ok());
    REQUIRE(ledger.give_back(in_row(0, {CoreId(3)}), OwnerId(3)).ok());
    REQUIRE(ledger.give_back(in_row(1, {CoreId(3)}), OwnerId(4)).ok());
    CHECK(ledger == NodeLedger(shape));
}

TEST_CASE("NodeLedger: owners in different rows have the same cores", "[alloc]") {
    NodeLedger ledger(small_shape());
    REQUIRE(ledger.take(in_row(0, {CoreId(0), CoreId(1)}), OwnerId(1)).ok());
    REQUIRE(ledger.take(in_row(1, {CoreId(1), CoreId(2)}), OwnerId(2)).ok());
    REQUIRE(ledger.take(only_cores({CoreId(3)}), OwnerId(3)).ok());
    CHECK(ledger.free_cores().is_empty());
    CHECK(to_text(ledger.free_cores(0)) == "2");
    CHECK(to_text(ledger.free_cores(1)) == "0");
    CHECK(to_text(ledger.free_cores(2)) == "0-2");
    CHECK(ledger.owner_of(CoreId(1)) == OwnerId(1));

    CHECK(message(ledger.take(in_row(0, {CoreId(1)}), OwnerId(4))) == "core 1 belongs to owner 1");
    CHECK(message(ledger.take(in_row(2, {CoreId(3)}), OwnerId(4))) == "core 3 belongs to owner 3");
    CHECK(message(ledger.take(only_cores({CoreId(2)}), OwnerId(4))) == "core 2 belongs to owner 2");
    CHECK(ledger.give_back(only_cores({CoreId(0)}), OwnerId(1)).code() == refused);
    CHECK(ledger.give_back(in_row(1, {CoreId(0)}), OwnerId(1)).code() == refused);

    REQUIRE(ledger.give_back(in_row(0, {CoreId(0), CoreId(1)}), OwnerId(1)).ok());
    CHECK(to_text(ledger.free_cores()) == "0");  // core 1 is still owner 2's
    REQUIRE(ledger.give_back(in_row(1, {CoreId(1), CoreId(2)}), OwnerId(2)).ok());
    REQUIRE(ledger.give_back(only_cores({CoreId(3)}), OwnerId(3)).ok());
    CHECK(ledger == NodeLedger(small_shape()));
}

TEST_CASE("NodeLedger: one owner in two rows gives each back by itself", "[alloc]") {
    NodeLedger ledger(small_shape());
    REQUIRE(ledger.take(in_row(1, {CoreId(0)}), OwnerId(1)).ok());
    REQUIRE(ledger.take(in_row(0, {CoreId(0), CoreId(1)}), OwnerId(1)).ok());
    REQUIRE(ledger.holdings().size() == 1);
    CHECK(ledger.holdings()[0].rows ==
          std::vector<Holding::Row>{{0, CoreSet::range({0, 2})}, {1, CoreSet::range({0, 1})}});
    REQUIRE(ledger.give_back(in_row(0, {CoreId(0)}), OwnerId(1)).ok());
    CHECK(to_text(ledger.free_cores()) == "2-3");
    CHECK(ledger.give_back(in_row(0, {CoreId(0)}), OwnerId(1)).code() == refused);
    REQUIRE(ledger.give_back(in_row(1, {CoreId(0)}), OwnerId(1)).ok());
    REQUIRE(ledger.give_back(in_row(0, {CoreId(1)}), OwnerId(1)).ok());
    CHECK(ledger == NodeLedger(small_shape()));
}

TEST_CASE("NodeLedger: instances of a device exclude each other and its use uncut", "[alloc]") {
    const NodePlacement whole = only_devices({{DeviceId(0), Count(1)}});
    NodeLedger ledger(sliced_shape());
    REQUIRE(ledger.take(only_slices({{2, 1, "1g"}}), OwnerId(1)).ok());
    REQUIRE(ledger.take(only_slices({{0, 2, "2g"}}), OwnerId(2)).ok());
    CHECK(ledger.free_shares(DeviceId(0)) == Count(0));
    CHECK(ledger.held_slices(DeviceId(0)) ==
          std::vector<Slicing::Instance>{{0, 2, "2g"}, {2, 1, "1g"}});
    CHECK(ledger.held_slices(DeviceId(1)).empty());
    CHECK(ledger.owner_of(DeviceId(0)) == OwnerId(1));

    CHECK(message(ledger.take(whole, OwnerId(3))) == "device 0 belongs to owner 1");
    CHECK(message(ledger.take(only_slices({{1, 1, "1g"}}), OwnerId(3))) ==
          "instance 1g at 1 of device 0 belongs to owner 2");
    CHECK(message(ledger.take(only_slices({{3, 1, "1g"}, {2, 1, "1g"}}), OwnerId(3))) ==
          "device 0: expected devices in rising order, each once, or instances side by side");
    CHECK(message(ledger.take(only_slices({{2, 2, "2g"}}), OwnerId(1))) ==
          "instance 2g at 2 of device 0 belongs to owner 1");
    CHECK(ledger.give_back(only_slices({{0, 2, "2g"}}), OwnerId(1)).code() == refused);
    CHECK(ledger.give_back(only_slices({{2, 1, "2g"}}), OwnerId(1)).code() == refused);
    CHECK(ledger.give_back(whole, OwnerId(1)).code() == refused);

    REQUIRE(ledger.give_back(only_slices({{0, 2, "2g"}}), OwnerId(2)).ok());
    CHECK(ledger.free_shares(DeviceId(0)) == Count(0));  // one instance is still held
    REQUIRE(ledger.give_back(only_slices({{2, 1, "1g"}}), OwnerId(1)).ok());
    CHECK(ledger == NodeLedger(sliced_shape()));
    REQUIRE(ledger.take(whole, OwnerId(3)).ok());
    CHECK(message(ledger.take(only_slices({{2, 1, "1g"}}), OwnerId(1))) ==
          "instance 1g at 2 of device 0 belongs to owner 3");
}

TEST_CASE("NodeLedger: an instance that the device cannot have is a wrong argument", "[alloc]") {
    struct Row {
        DeviceShare share;
        const char* why;
    };
    const Row rows[] = {
        {{DeviceId(0), Count(1), Slicing::Instance{4, 1, "1g"}}, "behind the device"},
        {{DeviceId(0), Count(1), Slicing::Instance{3, 2, "2g"}}, "partly behind the device"},
        {{DeviceId(0), Count(1), Slicing::Instance{1, 4'294'967'295, "2g"}}, "its end overflows"},
        {{DeviceId(0), Count(1), Slicing::Instance{0, 0, "1g"}}, "of no size"},
        {{DeviceId(0), Count(2), Slicing::Instance{0, 1, "1g"}}, "two shares of an instance"},
        {{DeviceId(1), Count(1), Slicing::Instance{0, 1, "1g"}}, "of a device that is not cut"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        NodeLedger ledger(sliced_shape());
        const Status status = ledger.take(only_devices({row.share}), OwnerId(1));
        CHECK(status.code() == invalid);
        CHECK_THAT(std::string(message(status)),
                   ContainsSubstring("expected one share of an instance inside"));
        CHECK(ledger == NodeLedger(sliced_shape()));
    }
}

TEST_CASE("NodeLedger: what is not consumed is given to any number of owners", "[alloc]") {
    NodeShape shape = small_shape();
    shape.devices[1].is_consumed = false;
    const NodePlacement all = only_devices({{DeviceId(1), Count(4)}});
    NodeLedger ledger(shape);
    for (const OwnerId owner : {OwnerId(1), OwnerId(2)}) REQUIRE(ledger.take(all, owner).ok());
    CHECK(ledger.free_shares(DeviceId(1)) == Count(4));
    CHECK(ledger.owner_of(DeviceId(1)) == OwnerId(1));
    CHECK_FALSE(ledger.is_idle());
    CHECK(ledger.take(only_devices({{DeviceId(1), Count(5)}}), OwnerId(3)).code() == invalid);
    CHECK(message(ledger.give_back(all, OwnerId(3))) == "device 1 belongs to owner 1, not to 3");
    for (const OwnerId owner : {OwnerId(1), OwnerId(2)}) REQUIRE(ledger.give_back(all, owner).ok());
    CHECK(ledger == NodeLedger(shape));
}

TEST_CASE("NodeLedger: asking for a unit that does not exist breaks a contract", "[alloc]") {
    const NodeLedger ledger(small_shape());
    CHECK(broken_contract([&] { static_cast<void>(ledger.free_memory(DomainId(2))); }) ==
          "the memory domain exists");
    CHECK(broken_contract([&] { static_cast<void>(ledger.free_shares(DeviceId(2))); }) ==
          "the device exists");
}

TEST_CASE("NodeLedger: random takes and returns agree with a map from unit to owner",
          "[alloc][law]") {
    constexpr std::uint64_t owners = 4;
    std::uint64_t taken = 0;
    std::uint64_t given = 0;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), test_rounds(500u)}, [&](Choices& choices) {
        const NodeShape shape = any_shape(choices);
        NodeShape stranger = any_shape(choices);  // units that may not exist
        NodeLedger ledger(shape);
        OwnerModel model(shape);
        for (int step = 0; step < 30; ++step) {
            const OwnerId owner(choices.below(owners));
            NodePlacement part = any_taken(choices, choices.one_in(8) ? stranger : shape);
            if (choices.one_in(3))
                part.row = static_cast<std::uint32_t>(choices.below(OwnerModel::rows));
            if (choices.one_in(16) && part.devices.size() > 1) {
                std::swap(part.devices[0], part.devices[1]);
            }
            const auto& holdings = ledger.holdings();
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
            const NodeLedger before = ledger;
            const Status status = gives ? ledger.give_back(part, owner) : ledger.take(part, owner);
            const StatusCode expected =
                gives ? model.give_back(part, owner) : model.take(part, owner);
            INFO(to_text(shape) << (gives ? " gives " : " takes ") << to_text(part));
            REQUIRE(status.code() == expected);
            if (!status.ok()) REQUIRE(ledger == before);
            REQUIRE(model.equals(ledger, owners));
            (gives ? given : taken) += status.ok() ? 1u : 0u;
        }
    });
    CHECK(taken > test_rounds(1'000u));
    CHECK(given > test_rounds(500u));
}

TEST_CASE("NodeLedger: give_back after take restores the very value", "[alloc][law]") {
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), test_rounds(2'000u)}, [&](Choices& choices) {
        const NodeShape shape = any_shape(choices);
        NodeLedger ledger(shape);
        REQUIRE(ledger.take(any_taken(choices, shape), OwnerId(1)).ok());
        const NodeLedger before = ledger;
        NodePlacement more = any_taken(choices, shape);
        if (choices.one_in(2)) more.row = static_cast<std::uint32_t>(choices.below(2));
        const OwnerId owner(1 + choices.below(2));
        if (!ledger.take(more, owner).ok()) return;
        REQUIRE(ledger.give_back(more, owner).ok());
        REQUIRE(ledger == before);
        REQUIRE(hash_of(ledger) == hash_of(before));
    });
}

}  // namespace trestle
