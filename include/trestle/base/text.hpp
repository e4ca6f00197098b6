// SPDX-License-Identifier: Apache-2.0
#pragma once

// TextCursor: the one way in which every parser of the library walks through text.
//
// Layer: base. A cursor looks at a string_view, knows its offset, and produces TextError values
// that say what was wrong, where, and what was expected. No allocation until an error is made.
// Pitfall: numbers are plain decimal digits; signs, blanks and locale forms are the business of the
// grammar that wants them.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "trestle/base/contract.hpp"
#include "trestle/base/fields.hpp"

namespace trestle {

/// Why a text could not be read.
struct TextError {
    std::size_t offset = 0;  ///< in bytes from the start of the whole text
    std::string token;       ///< the offending piece; empty at the end of the text
    std::string what;        ///< what is wrong with it
    std::string expected;    ///< what would have been right

    static constexpr auto fields(auto list) {
        return list(field("offset", &TextError::offset), field("token", &TextError::token),
                    field("what", &TextError::what), field("expected", &TextError::expected));
    }
    friend bool operator==(const TextError&, const TextError&) = default;
};

namespace detail {
/// `text` in quotes; what is not printable ASCII as `\xNN`, so that a line stays a line of text.
[[nodiscard]] inline std::string quoted(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string line = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7f) {
            line += c;
        } else {
            line += "\\x";
            line += digits[byte >> 4];
            line += digits[byte & 15];
        }
    }
    return line + "\"";
}
}  // namespace detail

/// One line: `<what> at offset 4 ("x:"): expected <expected>`.
[[nodiscard]] inline std::string to_text(const TextError& error) {
    std::string line = error.what + " at offset " + std::to_string(error.offset);
    line += error.token.empty() ? " (end of text)" : " (" + detail::quoted(error.token) + ")";
    return error.expected.empty() ? line : line + ": expected " + error.expected;
}

/// What a reader of one piece gave: a value, or why not.
template <class T>
class TextResult {
  public:
    TextResult(T value) : value_(std::move(value)) {}          // NOLINT: a result is made of either
    TextResult(TextError error) : error_(std::move(error)) {}  // NOLINT
    [[nodiscard]] bool has_value() const { return value_.has_value(); }
    [[nodiscard]] explicit operator bool() const { return has_value(); }
    /// Requires: has_value().
    [[nodiscard]] const T& operator*() const& {
        TRESTLE_EXPECTS(has_value(), "the text was read");
        return *value_;
    }
    [[nodiscard]] T&& operator*() && {
        TRESTLE_EXPECTS(has_value(), "the text was read");
        return *std::move(value_);
    }
    [[nodiscard]] const T* operator->() const { return &**this; }
    /// Requires: !has_value().
    [[nodiscard]] const TextError& error() const {
        TRESTLE_EXPECTS(!has_value(), "the text was not read");
        return error_;
    }

  private:
    std::optional<T> value_;
    TextError error_;
};

/// A position in a text. Copy it to look ahead.
class TextCursor {
  public:
    constexpr explicit TextCursor(std::string_view text) : text_(text) {}

    /// A cursor over `part`, a piece of a longer text that starts at `base`. Offsets in errors
    /// count from the start of the longer text.
    constexpr TextCursor(std::string_view part, std::size_t base) : text_(part), base_(base) {}

    [[nodiscard]] constexpr bool at_end() const { return position_ == text_.size(); }
    [[nodiscard]] constexpr std::size_t offset() const { return base_ + position_; }
    [[nodiscard]] constexpr std::string_view rest() const { return text_.substr(position_); }
    /// The next character, or '\0' at the end.
    [[nodiscard]] constexpr char peek() const { return at_end() ? '\0' : text_[position_]; }

    /// Steps over `c` if it comes next.
    constexpr bool accept(char c) {
        if (peek() != c || at_end()) return false;
        ++position_;
        return true;
    }
    constexpr bool accept(std::string_view word) {
        if (!rest().starts_with(word)) return false;
        position_ += word.size();
        return true;
    }
    constexpr void skip_blanks() {
        while (peek() == ' ' || peek() == '\t') ++position_;
    }
    /// Takes characters while `wanted(c)` holds; possibly none.
    template <class Predicate>
    constexpr std::string_view take_while(Predicate wanted) {
        const std::size_t start = position_;
        while (!at_end() && wanted(text_[position_])) ++position_;
        return text_.substr(start, position_ - start);
    }
    /// Takes everything before the first character of `stops`, or all that is left.
    constexpr std::string_view take_until(std::string_view stops) {
        return take_while([&](char c) {  // a loop of its own: there are few, and find() is a call
            for (const char stop : stops) {
                if (stop == c) return false;
            }
            return true;
        });
    }

    /// Takes a decimal number without sign. Nothing, with the cursor unmoved, when no digit comes
    /// next or the number exceeds 64 bits.
    constexpr std::optional<std::uint64_t> take_number() {
        std::uint64_t number = 0;
        std::size_t at = position_;
        for (; at < text_.size() && text_[at] >= '0' && text_[at] <= '9'; ++at) {
            const auto digit = static_cast<std::uint64_t>(text_[at] - '0');
            if (__builtin_mul_overflow(number, std::uint64_t{10}, &number)) return std::nullopt;
            if (__builtin_add_overflow(number, digit, &number)) return std::nullopt;
        }
        if (at == position_) return std::nullopt;
        position_ = at;
        return number;
    }

    /// An error at the current position; the token is what stands up to the next `,` or blank.
    [[nodiscard]] TextError error(std::string_view what, std::string_view expected) const {
        TextCursor look = *this;
        std::string_view token = look.take_until(", \t\r\n");
        if (token.empty()) token = rest().substr(0, 1);
        return {offset(), std::string(token.substr(0, 64)), std::string(what),
                std::string(expected)};
    }

  private:
    std::string_view text_;
    std::size_t base_ = 0;
    std::size_t position_ = 0;
};

}  // namespace trestle
