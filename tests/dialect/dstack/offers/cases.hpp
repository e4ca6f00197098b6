// SPDX-License-Identifier: Apache-2.0
// One offer and one run, in few words: an offer is what differs from a p4d of AWS.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/dstack_files.hpp"
#include "trestle/alloc/market/match.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/offers/match.hpp"
#include "trestle/dialect/dstack/offers_csv.hpp"

namespace trestle::testing {

/// `memory=32GB disk=200GB zones=a;b`: an offer with 8 A100 and what is said here.
inline Offer offer_with(std::string_view changes) {
    std::vector<std::pair<std::string, std::string>> cells = {
        {"backend", "aws"},   {"region", "us-east-1"}, {"instance", "p4d"},
        {"cpus", "96"},       {"memory", "1152GB"},    {"disk", ""},
        {"gpu_count", "8"},   {"gpu_name", "A100"},    {"gpu_memory", "40GB"},
        {"gpu_vendor", ""},   {"price", "12"},         {"spot", "false"},
        {"arch", ""},         {"availability", ""},    {"zones", ""},
        {"interconnect", ""}, {"blocks", ""},          {"compute_capability", ""}};
    while (!changes.empty()) {
        const std::string_view word = changes.substr(0, changes.find(' '));
        changes.remove_prefix(std::min(word.size() + 1, changes.size()));
        const std::size_t sign = word.find('=');
        for (auto& [name, value] : cells) {
            const bool is_gpu = word == "cpu-only" && name.starts_with("gpu_");
            if (is_gpu) value.clear();
            if (name == word.substr(0, sign)) value = word.substr(sign + 1);
        }
    }
    std::vector<std::string> names;
    std::vector<std::string> row;
    for (auto& [name, value] : cells) {
        names.push_back(name);
        for (char& c : value) c = c == ';' ? ' ' : c;
        row.push_back(value);
    }
    const auto reading = dstack::read_offer_rows(names, std::vector<std::vector<std::string>>{row});
    INFO(changes);
    for (const RowError& error : reading.errors) FAIL(to_text(error));
    return reading.offers.at(0);
}

/// `yes`, or the first failed test and what the offer had: `memory: 1152GiB`.
inline std::string verdict_of(const Offer& offer, std::string_view yaml,
                              dstack::MatchOptions options = {}) {
    const dstack::RunConfiguration run = run_of(yaml);
    options.nodes = run.nodes;
    const auto refusal =
        explain_offer(offer, dstack::request_of(run.resources, run.profile, options),
                      dstack::filter_of(run.profile, options));
    return refusal ? fmt::format("{}: {}", refusal->test, refusal->had) : "yes";
}

}  // namespace trestle::testing
