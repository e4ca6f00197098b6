// SPDX-License-Identifier: Apache-2.0
// fit() on devices that can be cut into instances. What a single device can give is settled in
// slices_test.cpp; here it stands beside everything else.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/oracle_fit.hpp"
#include "support/random_fit.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/node/fit.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/model/slice_geometry.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {
namespace {

using testing::Choices;

/// `cards` GPUs that can be cut, two cores for each.
[[nodiscard]] NodeShape cut_node(std::uint32_t cards, std::string_view geometry = "a100-40gb") {
    NodeShape shape;
    for (std::uint32_t i = 0; i < 2 * cards; ++i) {
        shape.hardware.cores.push_back({{OsIndex(i)}});
    }
    shape.memory.push_back(
        {OsIndex(0), MemoryDomain::Kind::dram, gib(64), CoreSet::range({0, 2 * cards})});
    for (std::uint32_t i = 0; i < cards; ++i) {
        Device gpu;
        gpu.name = "gpu";
        gpu.index = i;
        gpu.slicing = Slicing{*find_slice_geometry(geometry), {}, false};
        shape.devices.push_back(gpu);
    }
    return shape;
}

/// `3g.20gb@4` on that device.
[[nodiscard]] Slicing::Instance instance(const Device& device, const std::string& text) {
    const auto at = text.find('@');
    const SliceGeometry::Profile* profile = device.slicing->geometry.find(text.substr(0, at));
    REQUIRE(profile != nullptr);
    return {static_cast<std::uint32_t>(std::stoul(text.substr(at + 1))), profile->memory_slices,
            profile->name};
}

/// What is taken of a device, or exists on it: `whole`, `2 shares`, or instances.
struct Cut {
    std::uint32_t device;
    std::vector<std::string> instances;
};

void set_existing(NodeShape& shape, const std::vector<Cut>& cuts) {
    for (const Cut& cut : cuts) {
        Device& device = shape.devices[cut.device];
        for (const std::string& text : cut.instances) {
            device.slicing->instances.push_back(instance(device, text));
        }
        REQUIRE(check(*device.slicing).ok());
    }
}

[[nodiscard]] NodeLedger usage_of(const NodeShape& shape, const std::vector<Cut>& held) {
    NodeLedger ledger(shape);
    for (const Cut& cut : held) {
        NodePlacement taken;
        for (const std::string& text : cut.instances) {
            taken.devices.push_back(
                {DeviceId(cut.device), Count(1), instance(shape.devices[cut.device], text)});
        }
        REQUIRE(ledger.take(taken, OwnerId(1)).ok());
    }
    return ledger;
}

[[nodiscard]] NodeDemand::Device instances_of(const std::string& profile, std::int64_t count) {
    NodeDemand::Device demand;
    demand.request.slice = profile;
    demand.request.count = Range<Count>::exactly(Count(count));
    demand.count = demand.request.count;
    return demand;
}

[[nodiscard]] NodeDemand demand_of(const std::vector<NodeDemand::Device>& devices) {
    NodeDemand demand;
    demand.devices = devices;
    return demand;
}

/// `0:3g.20gb@4 1:whole 2:2`: instances, whole devices and shares by device.
[[nodiscard]] std::string text(const Verdict<NodePlacement>& answer, const NodeShape& shape) {
    if (!answer) return "no: " + std::string(to_text(answer.refusal().constraint));
    std::string result;
    for (const DeviceShare& share : answer->devices) {
        result += (result.empty() ? "" : " ") + std::to_string(share.device.value()) + ":";
        if (share.slice) {
            result += share.slice->profile + "@" + std::to_string(share.slice->start);
        } else if (share.shares == shape.devices[share.device.value()].shares) {
            result += "whole";
        } else {
            result += std::to_string(share.shares.value());
        }
    }
    return result;
}

TEST_CASE("fit: instances that exist, that others left room for, that are made",
          "[alloc][golden]") {
    struct Row {
        std::vector<Cut> existing;
        std::vector<Cut> held;
        std::vector<NodeDemand::Device> wanted;
        const char* given;
        const char* why;
    };
    const Row rows[] = {
        {{}, {}, {instances_of("3g.20gb", 1)}, "0:3g.20gb@4", "made on the lowest card"},
        {{{1, {"3g.20gb@0"}}},
         {},
         {instances_of("3g.20gb", 1)},
         "1:3g.20gb@0",
         "the one that exists, though it lies worse"},
        {{{1, {"3g.20gb@0"}}},
         {{0, {"1g.5gb@6"}}},
         {instances_of("3g.20gb", 1)},
         "0:3g.20gb@0",
         "a card in use goes before an untouched one"},
        {{{1, {"3g.20gb@0"}}},
         {{0, {"1g.5gb@0"}}, {1, {"3g.20gb@0"}}},
         {instances_of("3g.20gb", 1)},
         "0:3g.20gb@4",
         "what exists is held, both cards are in use: where less is lost"},
        {{},
         {{0, {"1g.5gb@0"}}, {1, {"1g.5gb@6"}}},
         {instances_of("1g.5gb", 1)},
         "0:1g.5gb@1",
         "the card whose large profiles are gone already"},
        {{}, {}, {instances_of("3g.20gb", 2)}, "0:3g.20gb@0 0:3g.20gb@4", "one card opened"},
        {{},
         {},
         {instances_of("3g.20gb", 3)},
         "0:3g.20gb@0 0:3g.20gb@4 1:3g.20gb@4",
         "as few cards as will do"},
        {{},
         {},
         {instances_of("3g.20gb", 1), instances_of("4g.20gb", 1)},
         "0:4g.20gb@0 0:3g.20gb@4",
         "two demands, one card"},
        {{},
         {},
         {instances_of("3g.20gb", 2), instances_of("4g.20gb", 1)},
         "0:4g.20gb@0 0:3g.20gb@4 1:3g.20gb@4",
         "the third goes to a second card"},
        {{},
         {},
         {instances_of("1g.5gb", 2), instances_of("1g.5gb", 1)},
         "0:1g.5gb@4 0:1g.5gb@5 0:1g.5gb@6",
         "two demands of one profile"},
        {{},
         {{0, {"3g.20gb@0"}}, {1, {"3g.20gb@0"}}},
         {instances_of("4g.20gb", 1)},
         "no: devices",
         "half of each card is free, and 4g does not fit into either"},
        {{}, {}, {instances_of("5g.25gb", 1)}, "no: devices", "no such profile"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        NodeShape shape = cut_node(2);
        set_existing(shape, row.existing);
        const NodeLedger ledger = usage_of(shape, row.held);
        const auto answer = fit(shape, ledger, demand_of(row.wanted));
        CHECK(text(answer, shape) == row.given);
        if (answer) CHECK(NodeLedger(ledger).take(*answer, OwnerId(2)).ok());
    }
}

TEST_CASE("fit: whole use, shares and instances of one device shut each other out", "[alloc]") {
    enum class Use { nothing, whole, shares, instance };
    struct Row {
        Use held;
        bool gives_whole;
        bool gives_shares;
        bool gives_instance;
        const char* why;
    };
    const Row rows[] = {
        {Use::nothing, true, true, true, "anything of an idle card"},
        {Use::whole, false, false, false, "nothing of a card in use as a whole"},
        {Use::shares, false, true, false, "shares beside shares"},
        {Use::instance, false, false, true, "instances beside instances"},
    };
    NodeShape shape = cut_node(1);
    shape.devices[0].shares = Count(4);
    const auto demand_for = [](Use use) {
        NodeDemand::Device demand;
        if (use == Use::shares) demand.request.shares = Count(2);
        if (use == Use::instance) demand.request.slice = "2g.10gb";
        demand.count = demand.request.count;
        return demand_of({demand});
    };
    for (const Row& row : rows) {
        INFO(row.why);
        NodeLedger ledger(shape);
        if (row.held != Use::nothing) {
            const auto first = fit(shape, ledger, demand_for(row.held));
            REQUIRE(first.has_value());
            NodePlacement device_only;
            device_only.devices = first->devices;
            REQUIRE(ledger.take(device_only, OwnerId(1)).ok());
        }
        CHECK(fit(shape, ledger, demand_for(Use::whole)).has_value() == row.gives_whole);
        CHECK(fit(shape, ledger, demand_for(Use::shares)).has_value() == row.gives_shares);
        CHECK(fit(shape, ledger, demand_for(Use::instance)).has_value() == row.gives_instance);
    }
}

TEST_CASE("fit: one device answers one request whole or in instances, not both", "[alloc]") {
    NodeDemand::Device whole;
    whole.count = whole.request.count;
    const NodeDemand both = demand_of({whole, instances_of("1g.5gb", 1)});
    const NodeShape one = cut_node(1);
    CHECK_FALSE(fit(one, NodeLedger(one), both).has_value());
    const NodeShape two = cut_node(2);
    CHECK(text(fit(two, NodeLedger(two), both), two) == "0:whole 1:1g.5gb@6");
}

TEST_CASE("fit: fixed slicing gives what exists and nothing else", "[alloc]") {
    NodeShape shape = cut_node(2);
    set_existing(shape, {{0, {"4g.20gb@0", "2g.10gb@4"}}, {1, {"3g.20gb@0", "3g.20gb@4"}}});
    for (Device& device : shape.devices) device.slicing->is_fixed = true;
    const NodeLedger idle(shape);
    NodeDemand::Device whole;
    whole.count = whole.request.count;
    CHECK_FALSE(fit(shape, idle, demand_of({whole})).has_value());
    CHECK_FALSE(fit(shape, idle, demand_of({instances_of("1g.5gb", 1)})).has_value());
    CHECK_FALSE(fit(shape, idle, demand_of({instances_of("2g.10gb", 2)})).has_value());
    CHECK(text(fit(shape, idle, demand_of({instances_of("2g.10gb", 1)})), shape) == "0:2g.10gb@4");
    CHECK(text(fit(shape, idle, demand_of({instances_of("3g.20gb", 2)})), shape) ==
          "1:3g.20gb@0 1:3g.20gb@4");
    shape.devices[1].slicing->instances.clear();
    CHECK(text(fit(shape, NodeLedger(shape), demand_of({whole})), shape) == "1:whole");
}

TEST_CASE("fit: a failed card gives no instances, one with a warning gives them last", "[alloc]") {
    NodeShape shape = cut_node(3);
    shape.devices[0].health = Health::failure;
    shape.devices[1].health = Health::warning;
    const auto given = [&](std::int64_t count, FitOptions::WarningUse warning) {
        FitOptions options;
        options.warning = warning;
        const NodeDemand demand = demand_of({instances_of("3g.20gb", count)});
        return text(fit(shape, NodeLedger(shape), demand, options), shape);
    };
    CHECK(given(1, FitOptions::WarningUse::last) == "2:3g.20gb@4");
    CHECK(given(3, FitOptions::WarningUse::last) == "1:3g.20gb@4 2:3g.20gb@0 2:3g.20gb@4");
    CHECK(given(1, FitOptions::WarningUse::alike) == "1:3g.20gb@4");
    CHECK(given(3, FitOptions::WarningUse::never) == "no: devices");
    CHECK(given(5, FitOptions::WarningUse::alike) == "no: devices");
}

TEST_CASE("fit: memory of instances counts, not of the card", "[alloc]") {
    const NodeShape shape = cut_node(2);
    NodeDemand::Device demand = instances_of("3g.20gb", 1);
    demand.count = Range<Count>::at_least(Count(1));
    demand.request.total_memory = Range<Bytes>::at_least(gib(50));
    CHECK(text(fit(shape, NodeLedger(shape), demand_of({demand})), shape) ==
          "0:3g.20gb@0 0:3g.20gb@4 1:3g.20gb@4");
    demand.request.total_memory = Range<Bytes>::at_least(gib(79));
    CHECK_FALSE(fit(shape, NodeLedger(shape), demand_of({demand})).has_value());
}

TEST_CASE("fit: one small instance after the other fills every card to the last", "[alloc]") {
    const NodeShape shape = cut_node(3);
    NodeLedger ledger(shape);
    NodeDemand demand = demand_of({instances_of("1g.5gb", 1)});
    demand.cpus_per_task = Count(0);
    std::vector<std::int64_t> used_cards;
    for (std::uint64_t owner = 0;; ++owner) {
        const auto answer = fit(shape, ledger, demand);
        if (!answer) break;
        REQUIRE(ledger.take(*answer, OwnerId(owner)).ok());
        std::int64_t used = 0;
        for (std::uint32_t i = 0; i < 3; ++i) {
            used += ledger.held_slices(DeviceId(i)).empty() ? 0 : 1;
        }
        used_cards.push_back(used);
    }
    REQUIRE(used_cards.size() == 21);
    CHECK(used_cards[6] == 1);
    CHECK(used_cards[7] == 2);
    CHECK(used_cards[13] == 2);
    CHECK(used_cards[14] == 3);
}

/// Instances side by side, each profile at each of its starts with a chance of 1 in 4.
[[nodiscard]] std::vector<Slicing::Instance> any_instances(const SliceGeometry& geometry,
                                                           Choices& choices) {
    const Slicing slicing{geometry, {}, false};
    std::vector<Slicing::Instance> layout;
    for (const SliceGeometry::Profile& profile : geometry.profiles) {
        for (const std::uint32_t start : profile.starts) {
            const Slicing::Instance one{start, profile.memory_slices, profile.name};
            const bool is_beside =
                std::none_of(layout.begin(), layout.end(), [&](const Slicing::Instance& other) {
                    return other.start < one.end() && one.start < other.end();
                });
            const bool is_allowed = instances_possible(slicing, layout, profile.name) > 0;
            if (!is_beside || !is_allowed || !choices.one_in(4)) continue;
            layout.push_back(one);
            std::sort(layout.begin(), layout.end());
        }
    }
    return layout;
}

/// Eight cards: what exists and what of it is held, at random.
struct Eight {
    NodeShape shape = cut_node(8);
    NodePlacement held;

    explicit Eight(Choices& choices) {
        for (std::uint32_t i = 0; i < 8; ++i) {
            Slicing& slicing = *shape.devices[i].slicing;
            slicing.instances = any_instances(slicing.geometry, choices);
            slicing.is_fixed = choices.one_in(8);
            for (const Slicing::Instance& one : slicing.instances) {
                if (choices.one_in(2)) held.devices.push_back({DeviceId(i), Count(1), one});
            }
        }
    }

    [[nodiscard]] NodeLedger ledger() const {
        NodeLedger ledger(shape);
        REQUIRE(ledger.take(held, OwnerId(1)).ok());
        return ledger;
    }
};

TEST_CASE("fit: eight cards of mixed layouts within the default budget", "[alloc]") {
    const std::uint64_t seed = test_seed();
    INFO("seed " << seed);
    Choices choices(seed);
    int fits = 0;
    for (int i = 0; i < 40; ++i) {
        const Eight cards(choices);
        const NodeLedger ledger = cards.ledger();
        std::vector<NodeDemand::Device> wanted;
        for (auto left = choices.in<int>({1, 4}); left > 0; --left) {
            const auto& profiles = cards.shape.devices[0].slicing->geometry.profiles;
            wanted.push_back(
                instances_of(choices.of(profiles).name, choices.in<std::int64_t>({1, 4})));
        }
        NodeDemand demand = demand_of(wanted);
        const auto answer = fit(cards.shape, ledger, demand);
        INFO("demand " << to_text(demand) << "\nanswer " << to_text(answer));
        if (!answer) {
            CHECK(answer.refusal().constraint != Constraint::gave_up);
            continue;
        }
        ++fits;
        CHECK(NodeLedger(ledger).take(*answer, OwnerId(2)).ok());
    }
    CHECK(fits > 10);
}

/// Eight cards on two sockets, each near to its half of the cores, all linked alike.
[[nodiscard]] NodeShape two_sockets() {
    NodeShape shape = cut_node(8);
    for (std::uint32_t p = 0; p < 2; ++p) {
        const CoreSet cores = CoreSet::range({8 * p, 8 * p + 8});
        shape.hardware.groups.push_back({HardwareLevel::package, OsIndex(p), cores});
        for (std::uint32_t i = 0; i < 4; ++i) shape.devices[4 * p + i].cores = cores;
    }
    for (std::uint32_t a = 0; a < 8; ++a) {
        for (std::uint32_t b = a + 1; b < 8; ++b) {
            shape.links.push_back({DeviceId(a), DeviceId(b), 12});
        }
    }
    return shape;
}

TEST_CASE("fit: eight cards filled to the last, or asked for one instance more", "[alloc]") {
    struct Row {
        std::vector<NodeDemand::Device> wanted;
        bool fits;
        const char* why;
    };
    const Row rows[] = {
        {{instances_of("1g.5gb", 56)}, true, "seven on each"},
        {{instances_of("1g.5gb", 57)}, false, "57 asked, 56 there"},
        {{instances_of("4g.20gb", 8), instances_of("3g.20gb", 8)}, true, "both on each"},
        {{instances_of("4g.20gb", 8), instances_of("3g.20gb", 9)},
         false,
         "16 of the second would fit alone"},
        {{instances_of("2g.10gb", 24), instances_of("1g.5gb", 8)}, true, "three and one on each"},
        {{instances_of("2g.10gb", 24), instances_of("1g.5gb", 9)}, false, "one more"},
        {{instances_of("3g.20gb", 5), instances_of("2g.10gb", 5), instances_of("1g.5gb", 5)},
         true,
         "three profiles on a part of the cards"},
    };
    for (const NodeShape& shape : {cut_node(8), two_sockets()}) {
        REQUIRE(check(shape).ok());
        for (const Row& row : rows) {
            INFO(row.why << ", " << shape.links.size() << " links");
            const auto answer = fit(shape, NodeLedger(shape), demand_of(row.wanted));
            CHECK(answer.has_value() == row.fits);
            if (!answer) CHECK(answer.refusal().constraint == Constraint::devices);
            if (answer) CHECK(NodeLedger(shape).take(*answer, OwnerId(1)).ok());
        }
    }
}

TEST_CASE("fit: the cards near the cores, though others would do with fewer changes", "[alloc]") {
    NodeShape shape = two_sockets();
    set_existing(shape, {{0, {"3g.20gb@4"}}});
    NodeLedger ledger(shape);
    NodePlacement lower_half;
    lower_half.cores = CoreSet::range({0, 8});
    REQUIRE(ledger.take(lower_half, OwnerId(1)).ok());
    CHECK(text(fit(shape, ledger, demand_of({instances_of("3g.20gb", 1)})), shape) ==
          "4:3g.20gb@4");
    NodeDemand::Device anywhere = instances_of("3g.20gb", 1);
    anywhere.request.locality = Strictness::ignore;
    CHECK(text(fit(shape, ledger, demand_of({anywhere})), shape) == "0:3g.20gb@4");
}

TEST_CASE("fit: equal ways through one card or two go by the whole list of devices", "[alloc]") {
    NodeShape shape = cut_node(2);
    set_existing(shape, {{0, {"1g.5gb@0", "1g.5gb@1", "1g.5gb@2"}},
                         {1, {"1g.5gb@0", "1g.5gb@1", "1g.5gb@2"}}});
    for (Device& device : shape.devices) device.slicing->is_fixed = true;
    Device nic;
    nic.name = "nic";
    shape.devices.push_back(nic);
    const NodeLedger ledger = usage_of(shape, {{0, {"1g.5gb@2"}}, {1, {"1g.5gb@2"}}});
    const NodeDemand::Device two = instances_of("1g.5gb", 2);
    CHECK(text(fit(shape, ledger, demand_of({two})), shape) == "0:1g.5gb@0 0:1g.5gb@1");
    NodeDemand::Device one_nic;
    one_nic.request.name = "nic";
    one_nic.count = one_nic.request.count;
    // 0, 1, 2 goes before 0, 2.
    CHECK(text(fit(shape, ledger, demand_of({two, one_nic})), shape) ==
          "0:1g.5gb@0 1:1g.5gb@0 2:whole");
}

/// Two or three cards on two cores, cut and held and linked anyhow, and demands of all kinds.
[[nodiscard]] FitCase any_cards(Choices& choices) {
    FitCase one;
    one.shape.hardware = plain_cores(2);
    const bool are_near = choices.one_in(2);
    const bool reserve = choices.one_in(6);
    const auto cards = choices.in<std::uint32_t>({2, 4});
    for (std::uint32_t i = 0; i < cards; ++i) {
        if (i > 0 && choices.one_in(2)) {
            one.shape.devices.push_back(one.shape.devices.back());
            one.shape.devices.back().index = i;
            continue;
        }
        const CoreSet core = CoreSet::of({CoreId(choices.in<std::uint32_t>({0, 2}))});
        Device device = plain_gpu(i, are_near && choices.one_in(2) ? core : CoreSet());
        if (reserve && choices.one_in(2)) device.reserved_cores = core;
        if (choices.one_in(3)) device.switches = {choices.in<std::uint32_t>({0, 2})};
        if (choices.one_in(8)) device.health = Health::warning;
        if (!choices.one_in(6)) device.slicing = Slicing{small_geometry(), {}, choices.one_in(6)};
        if (device.slicing && choices.one_in(2)) {
            device.slicing->instances = detail::any_instances(choices, small_geometry());
        }
        one.shape.devices.push_back(device);
    }
    if (choices.one_in(2)) detail::add_links(choices, one.shape);
    for (std::uint32_t i = 0; i < cards; ++i) {
        if (!choices.one_in(2)) continue;
        detail::take_some(choices, one.shape.devices[i], DeviceId(i), one.taken);
    }
    one.demand.cpus_per_task = Count(choices.in<std::int64_t>({0, 2}));
    for (auto left = choices.in<int>({1, 4}); left > 0; --left) {
        const std::vector<std::string> profiles{"", "1g", "1g", "1g+me", "2g", "3g"};
        NodeDemand::Device demand =
            instances_of(choices.of(profiles), choices.in<std::int64_t>({1, 3}));
        if (choices.one_in(4)) demand.count = detail::any_range(choices);
        if (choices.one_in(3)) demand.request.locality = Strictness::ignore;
        if (choices.one_in(6)) demand.request.device_locality = Strictness::prefer;
        one.demand.devices.push_back(demand);
    }
    return one;
}

TEST_CASE("fit: cards and demands for instances at random", "[alloc][law][slow]") {
    const std::uint64_t seed = test_seed();
    INFO("seed " << seed);
    Choices choices(seed);
    int fits = 0;
    constexpr int all = 1'000;
    for (int i = 0; i < all; ++i) {
        const FitCase one = any_cards(choices);
        const NodeLedger ledger = one.ledger();
        const auto answer = fit(one.shape, ledger, one.demand);
        const auto expected = oracle_fit(one.shape, ledger, one.demand);
        if (expected) ++fits;
        const bool is_right = answer.has_value() == expected.has_value() &&
                              (!answer || *answer == *expected) &&
                              (answer || answer.refusal().constraint != Constraint::gave_up);
        if (is_right) continue;
        FAIL(to_text(one) << "\nfit:    " << to_text(answer)
                          << "\noracle: " << (expected ? to_text(*expected) : "none"));
    }
    CHECK(fits > all / 10);
    CHECK(fits < all);
}

}  // namespace
}  // namespace trestle
