// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/market/match_catalog.hpp"
#include "trestle/alloc/market/match.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "alloc/market/offers/catalog_columns.hpp"
#include "support/catch.hpp"
#include "support/oracle_offers.hpp"
#include "support/random_offers.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {
namespace {

using testing::OfferWorld;
using testing::PlainMatch;

/// The answer of the catalog in rows of the list, as the oracle gives it.
std::vector<PlainMatch> rows_of(const Catalog& catalog, const std::vector<CatalogMatch>& matches) {
    std::vector<PlainMatch> rows;
    for (const CatalogMatch& match : matches) {
        rows.push_back({catalog.columns().row[match.offer], std::int64_t{match.blocks}});
    }
    return rows;
}

std::string text_of(const std::vector<PlainMatch>& rows) {
    std::string text;
    for (const PlainMatch& row : rows) text += fmt::format("{}:{} ", row.row, row.blocks);
    return text;
}

/// Several demands, alternatives, amounts per device: what the columns alone do not judge.
Request odd_request(OfferWorld& world) {
    Request request = world.request();
    const std::int64_t way = world.below(4);
    if (way == 0) request.device_alternatives.push_back(world.request().devices);
    if (way == 1) request.memory_per = Per::device;
    if (way == 2) request.cpus_per_device = Count(world.below(4));
    if (way == 3 && !request.devices.empty()) request.devices.push_back(request.devices.front());
    return request;
}

}  // namespace

TEST_CASE("match_offers: the fast search says what the plain one says", "[alloc][law]") {
    INFO("seed " << test_seed());
    OfferWorld world(test_seed());
    std::size_t found = 0;
    for (std::uint64_t run = 0; run < test_rounds(3000u); ++run) {
        const std::vector<Offer> offers = world.offers(run % 10 == 0 ? 300 : 12);
        const Catalog::Reading reading = Catalog::read(offers);
        REQUIRE(reading.errors.empty());
        const Request request = world.request();
        const OfferFilter filter = world.filter();
        INFO("run " << run << "\n" << to_text(request) << "\n" << to_text(filter));
        const auto expected = testing::plain_match(offers, request, filter);
        const auto matches = match_offers(reading.catalog, request, filter);
        REQUIRE(text_of(rows_of(reading.catalog, matches)) == text_of(expected));
        found += matches.size();
    }
    CHECK(found > test_rounds(1000u));
}

TEST_CASE("match_offers: an offer is there exactly when check_offer says yes", "[alloc][law]") {
    INFO("seed " << test_seed());
    OfferWorld world(test_seed() + 1);
    for (std::uint64_t run = 0; run < test_rounds(1000u); ++run) {
        std::vector<Offer> offers = world.offers(20);
        for (Offer& offer : offers) {
            if (world.one_in(4)) offer.devices.push_back(world.devices());
        }
        const Catalog catalog = Catalog::read(offers).catalog;
        const Request request = odd_request(world);
        OfferFilter filter = world.filter();
        filter.offers_max.reset();
        INFO("run " << run << "\n" << to_text(request) << "\n" << to_text(filter));
        const auto matches = match_offers(catalog, request, filter);
        const auto rejected = explain_offers(catalog, request, filter);
        REQUIRE(matches.size() + rejected.size() == catalog.size());
        for (const CatalogMatch& match : matches) {
            const auto verdict = check_offer(catalog[match.offer], request, filter);
            REQUIRE(verdict);
            REQUIRE(verdict->share.blocks == Count(match.blocks));
        }
        for (const RejectedOffer& one : rejected) {
            REQUIRE_FALSE(check_offer(catalog[one.offer], request, filter));
            REQUIRE(!one.refusal.reason.empty());
            REQUIRE(!one.refusal.wanted.empty());
            REQUIRE(!one.refusal.had.empty());
        }
    }
}

TEST_CASE("Catalog: it holds the offers that it was made of, in order", "[alloc][law]") {
    INFO("seed " << test_seed());
    OfferWorld world(test_seed() + 2);
    for (int run = 0; run < 200; ++run) {
        const std::vector<Offer> offers = world.offers(30);
        const Catalog catalog = Catalog::read(offers).catalog;
        REQUIRE(catalog.size() == offers.size());
        for (std::uint32_t i = 0; i < catalog.size(); ++i) {
            REQUIRE(catalog[i] == offers[catalog.columns().row[i]]);
        }
        const auto& order = catalog.columns().backend_order;
        const Catalog again = Catalog::read(catalog.offers(), order).catalog;
        REQUIRE(again == catalog);
        REQUIRE(hash_of(again) == hash_of(catalog));
    }
}

TEST_CASE("Catalog: backends of the given order come first among equal prices", "[alloc]") {
    std::vector<Offer> offers(4);
    const char* const backends[] = {"aws", "gcp", "azure", "AWS"};
    for (std::size_t i = 0; i < offers.size(); ++i) {
        offers[i].backend = backends[i];
        offers[i].cpus = Count(1);
    }
    const auto names = [&](const std::vector<std::string>& order) {
        std::string text;
        for (const Offer& offer : Catalog::read(offers, order).catalog.offers()) {
            text += offer.backend + " ";
        }
        return text;
    };
    CHECK(names({}) == "aws AWS gcp azure ");
    CHECK(names({"Azure", "aws"}) == "azure aws AWS gcp ");
    CHECK(names({"nobody", "gcp"}) == "gcp aws AWS azure ");
    offers[0].price = Microdollars(1);
    CHECK(names({"aws"}) == "AWS gcp azure aws ");
    offers[1].availability = Offer::Availability::no_quota;
    CHECK(names({"aws"}) == "AWS azure aws gcp ");
}

TEST_CASE("Catalog: rows with mistakes are left out and named", "[alloc]") {
    struct Row {
        void (*change)(Offer&);
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {[](Offer& o) { o.blocks = Count(0); },
         "row 2, blocks: a malformed number of blocks (\"0\"): expected 1 to 65536", "no block"},
        {[](Offer& o) { o.blocks = Count(65'537); },
         "row 2, blocks: a malformed number of blocks (\"65537\"): expected 1 to 65536",
         "each is looked at"},
        {[](Offer& o) {
             o.devices = {{"", "nvidia", "A100", gib(80), Count(1), {}}};
         },
         "row 2, devices: devices without a name: expected a name, as in gpu", "what is it?"},
        {[](Offer& o) {
             o.devices = {{"gpu", "nvidia", "A100", gib(80), Count(0), {}}};
         },
         "row 2, devices: a count of 0 (\"0\"): expected 1 or more, or no such devices at all",
         "none is said by leaving them out"},
        {[](Offer& o) {
             o.availability_zones = {"a", ""};
         },
         "row 2, availability_zones: a zone without a name: expected a name", "where?"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        std::vector<Offer> offers(3);
        row.change(offers[1]);
        const Catalog::Reading reading = Catalog::read(offers);
        REQUIRE(reading.errors.size() == 1);
        CHECK(to_text(reading.errors.front()) == row.expected);
        CHECK(reading.catalog.size() == 2);
    }
    Offer both;
    both.blocks = Count(0);
    both.availability_zones = {""};
    CHECK(row_errors(both, 1).size() == 2);
}

TEST_CASE("Catalog: an empty one has nothing to offer", "[alloc]") {
    const Catalog catalog;
    CHECK(catalog.is_empty());
    CHECK(match_offers(catalog, Request()).empty());
    CHECK(explain_offers(catalog, Request()).empty());
    CHECK(catalog == Catalog::read({}).catalog);
    CHECK(hash_of(catalog) == hash_of(Catalog::read({}).catalog));
}

TEST_CASE("Catalog: absurd numbers overflow nowhere", "[alloc]") {
    Offer offer;
    offer.cpus = Count::max();
    offer.memory = Bytes::max();
    offer.disk = Bytes::max();
    offer.price = Microdollars::max();
    offer.devices = {{"gpu", "nvidia", "A100", Bytes::max(), Count::max(), {}}};
    Request request;
    request.cpus_per_task = Range<Count>::exactly(Count::max());
    request.devices = {DeviceRequest{}};
    request.devices[0].count = Range<Count>::at_least(Count::max());
    request.devices[0].total_memory = Range<Bytes>::at_least(Bytes::max());
    request.memory = Range<Bytes>::exactly(Bytes::max());
    const Catalog catalog = Catalog::read(std::vector<Offer>{offer}).catalog;
    CHECK(match_offers(catalog, request).size() == 1);
    offer.devices.push_back(offer.devices.front());
    request.memory_per = Per::device;
    const Catalog two = Catalog::read(std::vector<Offer>{offer}).catalog;
    CHECK(match_offers(two, request).size() == 1);
    CHECK(check_offer(two[0], request).has_value());
}

}  // namespace trestle
