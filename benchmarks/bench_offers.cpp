// SPDX-License-Identifier: Apache-2.0
// What dstack's specifications and offers cost.
// Names: spec/gpu parses one GPU specification. offers/QUESTION/SHAPE/n asks n offers: price_list:
// n / 40 instances, each in 20 places, on demand and as spot; different: no instance is sold twice.
// selective: eight H100 in two regions; any: everything that can be had; capability: compute
// capability from 9.0 on; cheapest: the first ten of all GPUs. plain/...: the same by
// asking check_offer of each offer and sorting. catalog/read: a catalog of n offers.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "support/oracle_offers.hpp"
#include "trestle/alloc/market/offers/known_devices.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/dialect/dstack/offers/match.hpp"

namespace {

using namespace trestle;

constexpr std::array<std::string_view, 8> specs{
    "A100:80GB:4..8", "24GB..",    "nvidia:A100,H100:40GB..80GB:2", "1", "H100", "40GB..80GB:4",
    "amd:8",          "T4,L4:1..4"};

void parse(benchmark::State& state) {
    std::size_t at = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(dstack::read_gpu(specs[at++ % specs.size()]));
    }
}
BENCHMARK(parse)->Name("spec/gpu");

enum class Shape { price_list, different };

Offer instance(Rng& rng, std::int64_t number) {
    const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(rng.below(n)); };
    Offer offer;
    offer.instance = fmt::format("type-{}", number);
    const std::int64_t exponent = below(4);
    const std::int64_t gpus = std::int64_t{1} << exponent;
    offer.cpus = Count(4 * (1 + below(48)));
    offer.memory = gib(8 * (1 + below(190)));
    if (below(2) == 0) offer.disk = gib(100 * (1 + below(80)));
    if (below(4) == 0) return offer;
    const auto& known = known_devices();
    const KnownDevice& device = known[static_cast<std::size_t>(below(known.size()))];
    offer.devices = {{"gpu", device.vendor, device.model, device.memory, Count(gpus),
                      device.compute_capability}};
    return offer;
}

std::vector<Offer> offers_of(Shape shape, std::int64_t count) {
    constexpr std::array backends{"aws", "gcp", "azure", "runpod", "lambda", "oci", "nebius"};
    Rng rng(7);
    const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(rng.below(n)); };
    std::vector<Offer> offers;
    Offer one;
    std::int64_t region = 0;
    const std::int64_t each = shape == Shape::price_list ? 40 : 1;
    for (std::int64_t i = 0; i < count; ++i) {
        if (i % each == 0) {
            one = instance(rng, i);
            one.backend = backends[static_cast<std::size_t>(below(backends.size()))];
            region = below(40);
        }
        one.region = fmt::format("region-{}", (region + i / 2) % 40);
        one.price = Microdollars(100'000 + below(30'000'000));
        one.is_spot = i % 2 == 1;
        offers.push_back(one);
    }
    return offers;
}

struct Question {
    dstack::Resources resources;
    dstack::Profile profile;
    dstack::MatchOptions options;
};

Question question_of(std::string_view name) {
    Question one;
    const auto resources = [](std::string_view yaml) {
        auto read = dstack::parse_resources(yaml);
        if (!read.ok()) std::abort();
        return *std::move(read);
    };
    if (name == "selective") {
        one.resources = resources("{gpu: 'H100:80GB:8', memory: 512GB.., cpu: 32..}");
        one.profile.regions = {"region-3", "region-17"};
    } else if (name == "any") {
        one.resources = resources("{cpu: 1.., memory: 1GB.., disk: null}");
        one.profile.spot_policy = dstack::SpotPolicy::any;
        one.options.backends.emplace();
    } else if (name == "capability") {
        one.resources = resources("{gpu: {compute_capability: 9.0..}, disk: null}");
    } else {
        one.resources = resources("{gpu: '1..', disk: null}");
        one.options.offers_max = Count(10);
    }
    return one;
}

void match(benchmark::State& state, std::string_view name, Shape shape) {
    const Catalog catalog = Catalog::read(offers_of(shape, state.range(0))).catalog;
    const Question one = question_of(name);
    std::size_t found = 0;
    for (auto _ : state) {
        const auto matches = dstack::match_offers(catalog, one.resources, one.profile, one.options);
        benchmark::DoNotOptimize(matches.data());
        found = matches.size();
    }
    state.counters["found"] = static_cast<double>(found);
}

void plain(benchmark::State& state, std::string_view name, Shape shape) {
    const std::vector<Offer> offers = offers_of(shape, state.range(0));
    const Question one = question_of(name);
    const Request request = dstack::request_of(one.resources, one.profile, one.options);
    const OfferFilter filter = dstack::filter_of(one.profile, one.options);
    for (auto _ : state) {
        std::vector<std::size_t> rows;
        for (std::size_t i = 0; i < offers.size(); ++i) {
            if (trestle::testing::plain_blocks(offers[i], request, filter)) rows.push_back(i);
        }
        std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
            return offers[a].price < offers[b].price;
        });
        benchmark::DoNotOptimize(rows.data());
    }
}

void read(benchmark::State& state, Shape shape) {
    const std::vector<Offer> offers = offers_of(shape, state.range(0));
    for (auto _ : state) benchmark::DoNotOptimize(Catalog::read(offers));
}

constexpr std::int64_t many = 100'000;
#define TRESTLE_OFFER_QUESTION(question)                             \
    BENCHMARK_CAPTURE(match, question, #question, Shape::price_list) \
        ->Name("offers/" #question "/price_list")                    \
        ->Arg(many);                                                 \
    BENCHMARK_CAPTURE(match, question, #question, Shape::different)  \
        ->Name("offers/" #question "/different")                     \
        ->Arg(many);                                                 \
    BENCHMARK_CAPTURE(plain, question, #question, Shape::price_list) \
        ->Name("plain/" #question "/price_list")                     \
        ->Arg(many)
TRESTLE_OFFER_QUESTION(selective);
TRESTLE_OFFER_QUESTION(any);
TRESTLE_OFFER_QUESTION(capability);
TRESTLE_OFFER_QUESTION(cheapest);
BENCHMARK_CAPTURE(read, price_list, Shape::price_list)->Name("catalog/read/price_list")->Arg(many);
BENCHMARK_CAPTURE(read, different, Shape::different)->Name("catalog/read/different")->Arg(many);

}  // namespace
