// SPDX-License-Identifier: Apache-2.0
#pragma once

// A name of a hostlist around one of its numbers.
//
// Layer: dialect/slurm, inside. Main names: NameParts, split, digits_max.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../words.hpp"

namespace trestle::slurm::hosts {

/// Numbers of a name have no more digits than these: 10^18 and what follows it fit into 64 bits.
inline constexpr std::size_t digits_max = 18;

[[nodiscard]] inline std::uint64_t power_of_ten(std::size_t exponent) {
    std::uint64_t power = 1;
    for (; exponent != 0; --exponent) power *= 10;
    return power;
}

/// A name around its last number.
struct NameParts {
    std::string_view prefix;
    std::string_view digits;  ///< empty where there is no number, or too long a one
    std::string_view suffix;
};

[[nodiscard]] inline NameParts split(std::string_view name) {
    std::size_t end = name.size();
    while (end != 0 && !words::is_digit(name[end - 1])) --end;
    std::size_t begin = end;
    while (begin != 0 && words::is_digit(name[begin - 1])) --begin;
    if (begin == end || end - begin > digits_max) return {name, {}, {}};
    return {name.substr(0, begin), name.substr(begin, end - begin), name.substr(end)};
}

/// How many digits stand from there on.
[[nodiscard]] inline std::size_t digits_from(std::string_view text, std::size_t begin) {
    std::size_t end = begin;
    while (end < text.size() && words::is_digit(text[end])) ++end;
    return end - begin;
}

[[nodiscard]] inline bool has_digit(std::string_view text) {
    for (const char c : text) {
        if (words::is_digit(c)) return true;
    }
    return false;
}

/// The width that digits ask for.
[[nodiscard]] inline std::uint32_t width_of(std::string_view digits) {
    return digits.size() > 1 && digits.front() == '0' ? static_cast<std::uint32_t>(digits.size())
                                                      : 0;
}

[[nodiscard]] inline std::uint64_t number_of(std::string_view digits) {
    std::uint64_t number = 0;
    for (const char digit : digits) number = 10 * number + static_cast<std::uint64_t>(digit - '0');
    return number;
}

}  // namespace trestle::slurm::hosts
