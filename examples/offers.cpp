// SPDX-License-Identifier: Apache-2.0
// Which instances of a price list meet a dstack specification, in dstack's order, and why the
// others do not: offers 'gpu: 40GB..80GB:4..8' [--offers FILE] [--blocks N] [--json]
#include <fmt/core.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/dialect/dstack/offers/match.hpp"
#include "trestle/dialect/dstack/offers/table.hpp"
#include "trestle/dialect/dstack/offers_csv.hpp"
#include "trestle/dialect/dstack/quantities.hpp"
#include "trestle/dialect/dstack/resources.hpp"
#include "trestle/dialect/json/json.hpp"

using namespace trestle;

namespace {

constexpr const char* help_text = R"(usage: offers RESOURCES [--offers FILE] [--blocks N] [--json]

Prints which instances of a price list meet a dstack specification, in dstack's order, and why the
others do not.

  RESOURCES      as below `resources:` in a dstack file: 'gpu: 40GB..80GB:4..8'
  --offers FILE  the price list, a CSV file (default: examples/offers.csv)
  --blocks N     each instance can be divided into N blocks (default: 1)
  --json         print the answer as JSON, offers whole

Exit status: 0; 2 for bad input.
)";

struct Arguments {
    std::string resources;
    std::string file = "examples/offers.csv";
    Count blocks{1};
    bool is_json = false;
};

StatusOr<Arguments> parse_arguments(const std::vector<std::string>& words) {
    Arguments arguments;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--json") {
            arguments.is_json = true;
            continue;
        }
        const bool is_option = words[i] == "--offers" || words[i] == "--blocks";
        if (words[i].starts_with("--") && !is_option) {
            return invalid_argument("{}: unknown, expected --offers, --blocks or --json", words[i]);
        }
        if (is_option && i + 1 == words.size()) {
            return invalid_argument("{}: missing value", words[i]);
        }
        if (words[i] == "--offers") {
            arguments.file = words[++i];
        } else if (words[i] == "--blocks") {
            TRESTLE_TRY(const auto blocks, dstack::parse_count_range(words[++i]));
            if (!blocks.is_single() || blocks.min->is_zero()) {
                return invalid_argument("--blocks: {}, expected 1 or more", words[i]);
            }
            arguments.blocks = *blocks.min;
        } else if (!arguments.resources.empty()) {
            return invalid_argument("{}: unexpected, the resources are '{}'", words[i],
                                    arguments.resources);
        } else {
            arguments.resources = words[i];
        }
    }
    if (arguments.resources.empty()) {
        return invalid_argument("no resources, expected as in 'gpu: 40GB..80GB:4..8'");
    }
    return arguments;
}

/// Reads in pieces, because an iterator over a folder throws.
StatusOr<std::string> read_file(const std::string& path) {
    std::ifstream file(path);
    std::string text;
    char piece[4096];
    while (file.read(piece, sizeof piece), file.gcount() > 0) {
        text.append(piece, static_cast<std::size_t>(file.gcount()));
    }
    if (!file.eof()) return not_found("{}: cannot be read, expected a CSV file", path);
    return text;
}

StatusOr<std::vector<Offer>> read_offers(const Arguments& arguments) {
    TRESTLE_TRY(const std::string text, read_file(arguments.file));
    TRESTLE_TRY(auto offers, dstack::parse_offers_csv(text));
    for (Offer& offer : offers) offer.blocks = arguments.blocks;
    return offers;
}

struct Answer {
    std::vector<CatalogMatch> matches;
    dstack::OffersExplanation rest;
};

Answer ask(const Catalog& catalog, const dstack::Resources& resources) {
    dstack::Profile profile;
    profile.spot_policy = dstack::SpotPolicy::any;
    return {dstack::match_offers(catalog, resources, profile),
            dstack::explain_offers(catalog, resources, profile)};
}

void print(const Catalog& catalog, const Answer& answer) {
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

void print_json(const Catalog& catalog, const dstack::Resources& resources, const Answer& answer) {
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
    fmt::print("{}\n", json::print({object}));
}

Status run(const std::vector<std::string>& words) {
    TRESTLE_TRY(const Arguments arguments, parse_arguments(words));
    TRESTLE_TRY(const auto resources, dstack::parse_resources(arguments.resources));
    TRESTLE_TRY(const auto offers, read_offers(arguments));
    const Catalog catalog = Catalog::read(offers).catalog;
    const Answer answer = ask(catalog, resources);
    if (arguments.is_json) {
        print_json(catalog, resources, answer);
        return {};
    }
    fmt::print("{}", to_text(resources));
    print(catalog, answer);
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view(argv[1]) == "--help") return fmt::print("{}", help_text), 0;
    const Status status = run({argv + 1, argv + argc});
    if (status.ok()) return 0;
    fmt::print(stderr, "offers: {}\n", message(status));
    return 2;
}
