// SPDX-License-Identifier: Apache-2.0
// From the names that vendors give their models to types of GRES.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.hpp"
#include "topology.hpp"
#include "trestle/base/text.hpp"
#include "trestle/os/discover.hpp"

namespace trestle::os {

namespace {

constexpr bool is_type_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_type_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_type_digit(c);
}

bool has_type_digit(std::string_view word) {
    return std::any_of(word.begin(), word.end(), is_type_digit);
}

/// The words of a name, in small letters. `Max-Q` is one.
std::vector<std::string> type_words(std::string_view model) {
    std::vector<std::string> words;
    TextCursor cursor(model);
    while (!cursor.at_end()) {
        cursor.take_while([](char c) { return !is_type_char(c); });
        std::string word(cursor.take_while(is_type_char));
        for (char& c : word) c = lower(c);
        if (word == "q" && !words.empty() && words.back() == "max") {
            words.back() = "maxq";
        } else if (!word.empty()) {
            words.push_back(std::move(word));
        }
    }
    return words;
}

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& known) {
    return std::find(known.begin(), known.end(), word) != known.end();
}

/// Words behind a number that make it another card: another chip, or other memory.
constexpr std::array<std::string_view, 13> variants{
    "ti", "super", "ada", "nvl", "sff", "xt", "xtx", "gre", "laptop", "maxq", "d", "mobile", "duo"};
/// Words that say whose a card is, or what, but not which.
constexpr std::array<std::string_view, 20> idle_words{
    "nvidia",  "amd",        "ati",         "intel",  "advanced",   "micro", "devices",
    "inc",     "corp",       "corporation", "r",      "tm",         "gpu",   "graphics",
    "edition", "generation", "series",      "device", "controller", "vga"};
/// Names of families, which alone are no type either.
constexpr std::array<std::string_view, 6> families{"geforce", "quadro",   "tesla",
                                                   "radeon",  "instinct", "tpu"};

/// `radeonprovii`: all words of a name without a number.
std::string joined_type(const std::vector<std::string>& words) {
    std::string joined;
    bool has_own = false;
    for (const std::string& word : words) {
        if (is_one_of(word, idle_words)) continue;
        joined += word;
        has_own |= !is_one_of(word, families);
    }
    return has_own ? joined : std::string();
}

}  // namespace

std::string device_type(std::string_view model) {
    const std::vector<std::string> words = type_words(detail::marketing_name(model));
    const auto number = std::find_if(words.begin(), words.end(), has_type_digit);
    if (number == words.end()) return joined_type(words);
    std::string type = *number;
    if (is_type_digit(type.front())) {
        // `RTX 4090`, and `RTX PRO 6000`, which is no RTX 6000
        auto before = number;
        if (before != words.begin()) type = *--before + type;
        if (before != words.begin() && *before == "pro" && before[-1] == "rtx") type = "rtx" + type;
    }
    const bool is_geforce = std::find(words.begin(), words.end(), "geforce") != words.end();
    for (auto next = number + 1; next != words.end(); ++next) {
        // A GeForce GTX 1060 3GB has fewer units than one with 6GB; of other families the size is
        // memory alone.
        if (is_geforce && has_type_digit(*next) && next->ends_with("gb")) type += *next;
        const bool is_next = *next != "d" || next == number + 1;
        if (is_one_of(*next, variants) && is_next) type += *next;
        // Another number begins another name, as in `RX 6700 / 6750 XT`; 8GB is a size.
        if (has_type_digit(*next) && !next->ends_with("gb")) break;
    }
    return type;
}

}  // namespace trestle::os
