// SPDX-License-Identifier: Apache-2.0
// Laws of the allocator that concern several of its functions at once.
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/random_fit.hpp"
#include "support/random_place.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/node/fit.hpp"
#include "trestle/alloc/node/fit_cache.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {
namespace {

using testing::for_all_choices;
using testing::for_random_choices;

/// A part of what is taken: what stays when an owner gives the rest back.
NodePlacement any_part(Choices& choices, const NodePlacement& whole) {
    NodePlacement part;
    part.row = whole.row;
    for (const CoreId core : whole.cores) {
        if (choices.one_in(2)) part.cores.insert(core);
    }
    for (const MemoryShare& share : whole.memory) {
        if (choices.one_in(2)) part.memory.push_back(share);
    }
    for (const DeviceShare& share : whole.devices) {
        if (choices.one_in(2)) part.devices.push_back(share);
    }
    return part;
}

/// With less taken a yes stays a yes; a whole node is monotone too, as it needs an idle one.
bool stays_yes(const FitCase& full, const NodePlacement& part) {
    FitCase emptier = full;
    emptier.taken = part;
    if (!fit(full.shape, full.ledger(), full.demand, full.options)) return false;
    const auto answer = fit(emptier.shape, emptier.ledger(), emptier.demand, emptier.options);
    if (!answer) {
        FAIL(to_text(full) << "\nfits, but not when only this is taken: " << to_text(part) << "\n"
                           << to_text(answer));
    }
    return true;
}

/// What a placement gives of a node is there, and can be taken; nothing of it is out of service.
void check_within(const NodeShape& shape, const NodeLedger& ledger,
                  const NodePlacement& placement) {
    REQUIRE(shape.allocatable_cores().contains_all(placement.cores));
    for (const DeviceShare& share : placement.devices) {
        REQUIRE(is_usable(shape.devices[share.device.value()]));
    }
    NodeLedger after = ledger;
    REQUIRE(message(after.take(placement, OwnerId(1'000))) == "");
    REQUIRE(message(after.give_back(placement, OwnerId(1'000))) == "");
    REQUIRE(after == ledger);
}

/// Tasks that are dealt out to packages lie elsewhere when more is free, perhaps too far from what
/// they require. Those of a cyclic distribution or in planes may lie as in a block, where fewer
/// cores may have too little memory near.
bool may_lie_too_far(const NodeDemand& demand) {
    if (demand.distribution == Distribution::block) return !demand.tasks_per_socket.is_zero();
    return demand.distribution == Distribution::fcyclic || !demand.tasks_per_socket.is_zero() ||
           demand.memory_locality == Strictness::require;
}

}  // namespace

TEST_CASE("law: fit is monotone, more free never turns yes into no", "[law]") {
    std::uint64_t yes = 0;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), test_rounds(10'000u)}, [&](Choices& choices) {
        const FitCase one = any_fit_case(choices);
        if (may_lie_too_far(one.demand)) return;
        yes += stays_yes(one, any_part(choices, one.taken)) ? 1u : 0u;
    });
    CHECK(yes > test_rounds(1'000u));
}

TEST_CASE("law: fit is monotone on all small nodes", "[law][slow]") {
    const auto runs = for_all_choices([](Choices& choices) {
        FitCase one;
        one.shape.hardware = plain_cores(3);
        one.shape.memory = {
            {OsIndex(0), MemoryDomain::Kind::dram, Bytes(1), CoreSet::range({0, 2})},
            {OsIndex(1), MemoryDomain::Kind::dram, Bytes(1), CoreSet::range({2, 3})}};
        one.shape.devices = {plain_gpu(0, CoreSet::range({0, 1})), plain_gpu(1)};
        one.taken = any_taken(choices, one.shape);
        one.demand.cpus_per_task = Count(2);
        one.demand.memory = Bytes(static_cast<std::int64_t>(choices.below(3)));
        one.demand.memory_locality = choices.one_in(2) ? Strictness::prefer : Strictness::require;
        one.demand.devices = {{DeviceRequest{}, Range<Count>::exactly(Count(1))}};
        one.demand.devices[0].request.locality =
            choices.one_in(2) ? Strictness::prefer : Strictness::require;
        stays_yes(one, any_part(choices, one.taken));
    });
    CHECK(runs > 10'000);
}

TEST_CASE("law: what fit gives can be taken and given back", "[law]") {
    std::uint64_t fits = 0;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), test_rounds(10'000u)}, [&](Choices& choices) {
        const FitCase one = any_fit_case(choices);
        const NodeLedger ledger = one.ledger();
        const auto placement = fit(one.shape, ledger, one.demand, one.options);
        if (!placement) return;
        ++fits;
        INFO(to_text(one) << " gives " << to_text(*placement));
        check_within(one.shape, ledger, *placement);
    });
    CHECK(fits > test_rounds(2'500u));
}

TEST_CASE("law: remembered answers are those of fit, for any ledger of the shape", "[law]") {
    std::uint64_t remembered = 0;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), test_rounds(1'000u)}, [&](Choices& choices) {
        FitCase one = any_fit_case(choices);
        FitCache cache(one.shape, one.demand, one.options, choices.below(4));
        std::vector<NodeLedger> ledgers = {NodeLedger(one.shape), one.ledger()};
        one.taken = any_part(choices, one.taken);
        ledgers.push_back(one.ledger());
        one.in_row = any_part(choices, one.in_row);
        ledgers.push_back(one.ledger());
        for (int i = 0; i < 8; ++i) {
            const NodeLedger& ledger = choices.of(ledgers);
            const std::size_t size = cache.size();
            const auto& answer = cache.fit(ledger.free());
            remembered += size > 0 && cache.size() == size ? 1u : 0u;
            const auto expected = fit(one.shape, ledger, one.demand, one.options);
            if (answer != expected) {
                FAIL(to_text(one) << "\nremembered: " << to_text(answer)
                                  << "\nworked out: " << to_text(expected));
            }
        }
    });
    CHECK(remembered > test_rounds(1'000u));
}

TEST_CASE("law: a placement is within what is free, and can be committed and released", "[law]") {
    std::uint64_t placed = 0;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), test_rounds(2'000u)}, [&](Choices& choices) {
        const PlaceCase one = any_place_case(choices);
        const auto placement = place(one.cluster, one.request);
        if (!placement) return;
        ++placed;
        for (const NodePlacement& part : placement->nodes) {
            check_within(*one.cluster.node(part.node).shape, one.cluster.ledger(part.node), part);
        }
        const OwnerId owner(1'000);
        Cluster cluster = one.cluster;
        REQUIRE(cluster.commit({owner, one.request, *placement}).ok());
        REQUIRE(cluster != one.cluster);
        const auto again = place(cluster, one.request);
        const bool has_cores = !placement->nodes[0].cores.is_empty();  // no other owner has them
        if (again && has_cores) REQUIRE(again->nodes != placement->nodes);
        REQUIRE(cluster.release(owner).ok());
        REQUIRE(cluster == one.cluster);
        REQUIRE(hash_of(cluster) == hash_of(one.cluster));
    });
    CHECK(placed > test_rounds(150u));
}

TEST_CASE("law: a job that has run leaves room for the same job", "[law]") {
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), test_rounds(500u)}, [&](Choices& choices) {
        PlaceCase one = any_place_case(choices);
        const auto first = place(one.cluster, one.request);
        if (!first) return;
        REQUIRE(one.cluster.commit({OwnerId(1'000), one.request, *first}).ok());
        REQUIRE(one.cluster.release(OwnerId(1'000)).ok());
        REQUIRE(place(one.cluster, one.request) == first);
    });
}

}  // namespace trestle
