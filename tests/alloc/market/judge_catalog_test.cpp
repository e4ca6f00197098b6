// SPDX-License-Identifier: Apache-2.0
// CatalogJudge names the test that explain_offer names, of every offer of random catalogs.
#include "alloc/market/judge_catalog.hpp"
#include "trestle/alloc/market/match.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/random_offers.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {
namespace {

using testing::OfferWorld;

std::optional<OfferRefusal::Test> test_of(const std::optional<OfferRefusal>& refusal) {
    if (!refusal) return std::nullopt;
    return refusal->test;
}

/// Also what the columns of a catalog alone do not judge.
Request any_request(OfferWorld& world) {
    Request request = world.request();
    if (world.one_in(6)) request.device_alternatives.push_back(world.request().devices);
    if (world.one_in(6)) request.memory_per = Per::device;
    if (world.one_in(6)) request.cpus_per_device = Count(world.below(4));
    return request;
}

}  // namespace

TEST_CASE("CatalogJudge: each offer fails the test that explain_offer names", "[alloc][law]") {
    INFO("seed " << test_seed());
    OfferWorld world(test_seed() + 3);
    std::array<bool, enum_names(OfferRefusal::Test{}).size()> seen{};
    std::size_t fits = 0;
    for (std::uint64_t run = 0; run < test_rounds(4000u); ++run) {
        std::vector<Offer> offers = world.offers(20);
        for (Offer& offer : offers) {
            if (world.one_in(5)) offer.devices.push_back(world.devices());
        }
        const Catalog catalog = Catalog::read(offers).catalog;
        const Request request = any_request(world);
        const OfferFilter filter = world.filter();
        INFO("run " << run << "\n" << to_text(request) << "\n" << to_text(filter));
        const CatalogJudge judge(catalog, request, filter);
        for (std::uint32_t i = 0; i < catalog.size(); ++i) {
            const auto said = judge(i);
            REQUIRE(said == test_of(explain_offer(catalog[i], request, filter)));
            if (said) seen[static_cast<std::size_t>(*said)] = true;
            if (!said) ++fits;
        }
    }
    CHECK(fits > test_rounds(100u));
    for (const auto& [test, name] : enum_names(OfferRefusal::Test{})) {
        INFO(name);
        CHECK(seen[static_cast<std::size_t>(test)]);
    }
}

TEST_CASE("CatalogJudge: a position beyond the catalog is refused", "[alloc]") {
    const CatalogJudge judge({}, {}, {});
    CHECK(broken_contract([&] { static_cast<void>(judge(0)); }) ==
          "the catalog has so many offers");
}

}  // namespace trestle
