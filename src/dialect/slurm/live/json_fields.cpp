// SPDX-License-Identifier: Apache-2.0
#include "json_fields.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "trestle/dialect/json/value.hpp"

namespace trestle::slurm::live {
namespace {

std::optional<std::int64_t> whole_number(const json::Value& value) {
    if (const auto* const signed_one = std::get_if<std::int64_t>(&value.data)) return *signed_one;
    const auto* const number = std::get_if<std::uint64_t>(&value.data);
    if (number == nullptr || *number > std::numeric_limits<std::int64_t>::max())
        return std::nullopt;
    return static_cast<std::int64_t>(*number);
}

bool is_true(const json::Value& object, std::string_view name) {
    const json::Value* const value = member(object, name);
    const bool* const truth = value == nullptr ? nullptr : std::get_if<bool>(&value->data);
    return truth != nullptr && *truth;
}

}  // namespace

std::optional<std::int64_t> number_of(const json::Value& object, std::string_view name) {
    const json::Value* const value = member(object, name);
    if (value == nullptr) return std::nullopt;
    if (member(*value, "set") == nullptr) return whole_number(*value);
    if (!is_true(*value, "set") || is_true(*value, "infinite")) return std::nullopt;
    return number_of(*value, "number");
}

bool is_infinite(const json::Value& object, std::string_view name) {
    const json::Value* const value = member(object, name);
    return value != nullptr && is_true(*value, "infinite");
}

std::vector<std::string> words_of(const json::Value& object, std::string_view name) {
    std::vector<std::string> words;
    for (const json::Value& one : list_of(object, name)) {
        if (const auto* const word = std::get_if<std::string>(&one.data)) words.push_back(*word);
    }
    const std::string word = text_of(object, name);
    if (!word.empty()) words.push_back(word);
    return words;
}

}  // namespace trestle::slurm::live
