// SPDX-License-Identifier: Apache-2.0
#include "quoting.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trestle::container::detail {
namespace {

bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

std::string shell_quoted(std::string_view word) {
    constexpr std::string_view plain = "_@%+=:,./-";
    const bool is_plain = !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
        return is_letter_or_digit(c) || plain.find(c) != std::string_view::npos;
    });
    if (is_plain) return std::string(word);
    std::string text = "'";
    for (const char c : word) {
        if (c == '\'') {
            text += "'\\''";
        } else {
            text += c;
        }
    }
    return text + "'";
}

std::string unit_quoted(std::string_view word) {
    std::string text = "\"";
    for (const char c : word) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            text += '\\';
            text += c;
        } else if (c == '%') {
            text += "%%";
        } else if (byte < 0x20 || byte == 0x7f) {
            text += fmt::format("\\x{:02x}", byte);
        } else {
            text += c;
        }
    }
    return text + "\"";
}

Status check_words(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        const auto end = word.find('\0');
        if (end == std::string::npos) continue;
        return invalid_argument("command: a word holds NUL at offset {}, behind \"{}\"", end,
                                word.substr(0, end));
    }
    return {};
}

bool is_identifier(std::string_view name) {
    if (name.empty() || (name.front() >= '0' && name.front() <= '9')) return false;
    return std::all_of(name.begin(), name.end(),
                       [](char c) { return c == '_' || is_letter_or_digit(c); });
}

}  // namespace trestle::container::detail
