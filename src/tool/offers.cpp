// SPDX-License-Identifier: Apache-2.0

// `trestle offers`: which instances of a price list meet a dstack specification, in dstack's order,
// and why the others do not.

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "call/command.hpp"
#include "call/output.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/dstack/offers/match.hpp"
#include "trestle/dialect/dstack/offers/table.hpp"
#include "trestle/dialect/dstack/offers_csv.hpp"
#include "trestle/dialect/dstack/quantities.hpp"
#include "trestle/dialect/dstack/resources.hpp"
#include "trestle/dialect/json/json.hpp"

namespace trestle::tool {
namespace {

struct OfferOptions {
    std::string resources;
    std::string file;
    std::string blocks = "1";
    bool is_json = false;
};

StatusOr<Count> block_count(const std::string& text) {
    TRESTLE_TRY(const auto blocks, dstack::parse_count_range(text));
    if (!blocks.is_single() || blocks.min->is_zero()) {
        return invalid_argument("--blocks: {}, expected 1 or more", text);
    }
    return *blocks.min;
}

/// Reads in pieces, because an iterator over a folder throws.
StatusOr<std::string> price_list(const std::string& path) {
    std::ifstream file(path);
    std::string text;
    char piece[4096];
    while (file.read(piece, sizeof piece), file.gcount() > 0) {
        text.append(piece, static_cast<std::size_t>(file.gcount()));
    }
    if (!file.eof()) return not_found("{}: cannot be read, expected a CSV file", path);
    return text;
}

StatusOr<std::vector<Offer>> read_offers(const OfferOptions& options) {
    TRESTLE_TRY(const std::string text, price_list(options.file));
    TRESTLE_TRY(const Count blocks, block_count(options.blocks));
    TRESTLE_TRY(auto offers, dstack::parse_offers_csv(text));
    for (Offer& offer : offers) offer.blocks = blocks;
    return offers;
}

struct OfferAnswer {
    std::vector<CatalogMatch> matches;
    dstack::OffersExplanation rest;
};

OfferAnswer ask_catalog(const Catalog& catalog, const dstack::Resources& resources) {
    dstack::Profile profile;
    profile.spot_policy = dstack::SpotPolicy::any;
    return {dstack::match_offers(catalog, resources, profile),
            dstack::explain_offers(catalog, resources, profile)};
}

void print_offers(const Catalog& catalog, const OfferAnswer& answer) {
    fmt::print("\n{} of {} offers fit:\n{}", answer.matches.size(), catalog.size(),
               dstack::to_table(catalog, answer.matches));
    fmt::print("\nThe others do not:\n");
    for (const RejectedOffer& one : answer.rest.rejected) {
        fmt::print("  {:18}{}\n", catalog[one.offer].instance, to_text(one.refusal));
    }
    for (const dstack::BareHint& hint : answer.rest.hints) {
        fmt::print("{}: {} is exactly that, more is written {}\n", hint.key, hint.written,
                   hint.instead);
    }
}

void print_offers_json(const Catalog& catalog, const dstack::Resources& resources,
                       const OfferAnswer& answer) {
    json::List fits;
    for (const CatalogMatch& one : answer.matches) {
        fits.push_back({json::Object{{"offer", json::to_value(catalog[one.offer])},
                                     {"blocks", json::to_value(one.blocks)}}});
    }
    json::List rejected;
    for (const RejectedOffer& one : answer.rest.rejected) {
        rejected.push_back({json::Object{{"offer", json::to_value(catalog[one.offer])},
                                         {"refusal", json::to_value(one.refusal)}}});
    }
    const json::Object object{{"resources", json::to_value(resources)},
                              {"fits", {std::move(fits)}},
                              {"rejected", {std::move(rejected)}},
                              {"hints", json::to_value(answer.rest.hints)}};
    print_json({object});
}

StatusOr<int> offers(const OfferOptions& options) {
    TRESTLE_TRY(const auto resources, dstack::parse_resources(options.resources));
    TRESTLE_TRY(const auto list, read_offers(options));
    const Catalog catalog = Catalog::read(list).catalog;
    const OfferAnswer answer = ask_catalog(catalog, resources);
    if (options.is_json) {
        print_offers_json(catalog, resources, answer);
    } else {
        fmt::print("{}", to_text(resources));
        print_offers(catalog, answer);
    }
    return answer.matches.empty() ? exit_no : exit_yes;
}

}  // namespace

void add_offers(CLI::App& program, Call& call) {
    auto* const command = program.add_subcommand(
        "offers", "Says which instances of a price list meet a dstack specification, and why not");
    const auto options = std::make_shared<OfferOptions>();
    set_usage(*command, "offers RESOURCES --offers FILE [--blocks N] [--json]");
    command->footer("Exit status: 0 if an instance fits; 1 if none does; 2 bad input.");
    command
        ->add_option("RESOURCES", options->resources,
                     "As below `resources:` in a dstack file: 'gpu: 40GB..80GB:4..8'")
        ->required();
    command->add_option("--offers", options->file, "The price list, a CSV file")
        ->type_name("FILE")
        ->required();
    command
        ->add_option("--blocks", options->blocks,
                     "Each instance can be divided into N blocks (default: 1)")
        ->type_name("N");
    command->add_flag("--json", options->is_json, "Print the answer as JSON, offers whole");
    command->callback([options, &call] { call.result = offers(*options); });
}

}  // namespace trestle::tool
