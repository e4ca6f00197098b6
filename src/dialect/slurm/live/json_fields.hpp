// SPDX-License-Identifier: Apache-2.0
#pragma once

// Members of Slurm's JSON documents, whichever of its data parsers wrote them.
//
// Layer: dialect/slurm. Main names: number_of, words_of.
// Pitfall: from 23.02 on a number may be an object {set, infinite, number}; before, it is a number
// or null. A state is a word before, a list of words since.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/json/members.hpp"
#include "trestle/dialect/json/value.hpp"

namespace trestle::slurm::live {

/// The number; absent: not set, infinite, no number.
[[nodiscard]] std::optional<std::int64_t> number_of(const json::Value& object,
                                                    std::string_view name);
/// True for {infinite: true}.
[[nodiscard]] bool is_infinite(const json::Value& object, std::string_view name);
/// A word, or a list of them.
[[nodiscard]] std::vector<std::string> words_of(const json::Value& object, std::string_view name);

}  // namespace trestle::slurm::live
