// SPDX-License-Identifier: Apache-2.0
#pragma once

// Values as bytes and back, from their lists of fields.
//
// Layer: base. Main types: ByteWriter, ByteReader; write_bytes(writer, x), read_bytes<T>(reader).
// Equal values give equal bytes. Whole numbers are written seven bits a byte, lowest first; enums
// and ids as numbers, text and lists behind their length, structs field by field in the order of
// the list. Types of other layers specialise ByteCodec.
// Pitfall: nothing in the bytes says what they are; the reader has to know. A reader that met an
// error goes on with defaults: ask ok() before believing what was read.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/utf8.hpp"
#include "trestle/base/boxed_optional.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/small_vector.hpp"
#include "trestle/base/units.hpp"

namespace trestle {

/// Why bytes could not be read.
struct ByteError {
    std::size_t offset = 0;  ///< from the start
    std::string expected;    ///< what would have been right there

    static constexpr auto fields(auto list) {
        return list(field("offset", &ByteError::offset), field("expected", &ByteError::expected));
    }
    friend bool operator==(const ByteError&, const ByteError&) = default;
};

/// `offset 17: expected a number up to 3`.
[[nodiscard]] inline std::string to_text(const ByteError& error) {
    return "offset " + std::to_string(error.offset) + ": expected " + error.expected;
}

class ByteWriter {
  public:
    void byte(std::uint8_t value) { bytes_.push_back(value); }
    void append(std::span<const std::uint8_t> bytes) {
        bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    }
    void number(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7)
            bytes_.push_back(static_cast<std::uint8_t>(value | 0x80));
        bytes_.push_back(static_cast<std::uint8_t>(value));
    }
    /// Eight bytes, the lowest first.
    void word(std::uint64_t value) {
        for (int i = 0; i < 8; ++i) bytes_.push_back(static_cast<std::uint8_t>(value >> 8 * i));
    }
    void text(std::string_view text) {
        number(text.size());
        bytes_.insert(bytes_.end(), text.begin(), text.end());
    }
    [[nodiscard]] const std::vector<std::uint8_t>& bytes() const { return bytes_; }
    [[nodiscard]] std::vector<std::uint8_t> take() { return std::move(bytes_); }

  private:
    std::vector<std::uint8_t> bytes_;
};

class ByteReader {
  public:
    /// Structs inside structs: bytes are not to exhaust the stack.
    static constexpr std::uint32_t depth_max = 32;

    explicit ByteReader(std::span<const std::uint8_t> bytes, bool requires_utf8 = false)
        : bytes_(bytes), requires_utf8_(requires_utf8) {}

    [[nodiscard]] bool ok() const { return !error_; }
    /// The first error. Requires: !ok().
    [[nodiscard]] const ByteError& error() const { return *error_; }
    [[nodiscard]] std::size_t offset() const { return offset_; }
    [[nodiscard]] std::size_t left() const { return bytes_.size() - offset_; }
    [[nodiscard]] bool at_end() const { return left() == 0; }

    /// Notes that something else was expected at `offset`, unless an error was noted before.
    void fail(std::size_t offset, std::string expected) {
        if (!error_) error_ = ByteError{offset, std::move(expected)};
        offset_ = bytes_.size();
    }

    /// A number up to `most`, written as briefly as it can be.
    [[nodiscard]] std::uint64_t number(std::uint64_t most) {
        const std::size_t start = offset_;
        std::uint64_t value = 0;
        for (std::uint32_t shift = 0; shift < 64 && !at_end(); shift += 7) {
            const std::uint64_t byte = bytes_[offset_++];
            const std::uint64_t bits = byte & 0x7f;
            value |= bits << shift;
            if (byte >= 0x80) continue;
            const bool is_whole = value >> shift == bits && (bits != 0 || shift == 0);
            if (is_whole && value <= most) return value;
            break;
        }
        fail(start, "a number up to " + std::to_string(most));
        return 0;
    }
    [[nodiscard]] std::uint64_t word() {
        if (left() < 8) {
            fail(offset_, "8 bytes");
            return 0;
        }
        std::uint64_t value = 0;
        for (int i = 0; i < 8; ++i) value |= std::uint64_t{bytes_[offset_++]} << 8 * i;
        return value;
    }
    /// The length of something whose elements have at least a byte each.
    [[nodiscard]] std::size_t length() {
        const std::size_t start = offset_;
        const std::uint64_t length = number(std::numeric_limits<std::uint64_t>::max());
        if (length <= left()) return static_cast<std::size_t>(length);
        fail(start, "a length up to " + std::to_string(left()));
        return 0;
    }
    [[nodiscard]] std::string text() {
        const std::size_t start = offset_;
        const auto piece = blob();
        std::string text(piece.begin(), piece.end());
        if (requires_utf8_ && (!is_utf8(text) || text.find('\0') != std::string::npos)) {
            fail(start, "a text in UTF-8 without a zero byte");
        }
        return text;
    }
    /// What stands behind its length and is no text.
    [[nodiscard]] std::span<const std::uint8_t> blob() {
        const std::size_t size = length();
        const auto piece = bytes_.subspan(offset_, size);
        offset_ += size;
        return piece;
    }

    /// Begins a struct; false, which is an error, inside too many others. leave() ends it.
    [[nodiscard]] bool enter() {
        if (depth_ == depth_max) fail(offset_, "at most 32 structs inside each other");
        return ok() && ++depth_ != 0;
    }
    void leave() { --depth_; }

  private:
    std::span<const std::uint8_t> bytes_;
    bool requires_utf8_ = false;
    std::size_t offset_ = 0;
    std::uint32_t depth_ = 0;
    std::optional<ByteError> error_;
};

/// How one type goes to bytes and back: write(writer, value) and read(reader).
template <class T>
struct ByteCodec;

template <class T>
void write_bytes(ByteWriter& writer, const T& value) {
    ByteCodec<T>::write(writer, value);
}
template <class T>
[[nodiscard]] T read_bytes(ByteReader& reader) {
    return ByteCodec<T>::read(reader);
}

template <std::unsigned_integral T>
struct ByteCodec<T> {
    static void write(ByteWriter& writer, T value) {
        writer.number(static_cast<std::uint64_t>(value));
    }
    static T read(ByteReader& reader) {
        return static_cast<T>(
            reader.number(static_cast<std::uint64_t>(std::numeric_limits<T>::max())));
    }
};

template <NamedEnum T>
struct ByteCodec<T> {
    static void write(ByteWriter& writer, T value) {
        writer.number(static_cast<std::uint64_t>(value));
    }
    static T read(ByteReader& reader) {
        const std::size_t start = reader.offset();
        const std::uint64_t number = reader.number(std::numeric_limits<std::uint32_t>::max());
        for (const auto& entry : enum_names(T{})) {
            if (static_cast<std::uint64_t>(entry.value) == number) return entry.value;
        }
        reader.fail(start, "the number of an enumerator");
        return T{};
    }
};

template <>
struct ByteCodec<std::string> {
    static void write(ByteWriter& writer, const std::string& text) { writer.text(text); }
    static std::string read(ByteReader& reader) { return reader.text(); }
};

template <class Tag, class Rep>
struct ByteCodec<Id<Tag, Rep>> {
    static void write(ByteWriter& writer, Id<Tag, Rep> id) { writer.number(id.value()); }
    static Id<Tag, Rep> read(ByteReader& reader) { return Id<Tag, Rep>(read_bytes<Rep>(reader)); }
};

template <class Unit>
struct ByteCodec<Quantity<Unit>> {
    static void write(ByteWriter& writer, Quantity<Unit> quantity) {
        writer.number(static_cast<std::uint64_t>(quantity.value()));
    }
    static Quantity<Unit> read(ByteReader& reader) {
        constexpr auto most = static_cast<std::uint64_t>(Quantity<Unit>::max().value());
        return Quantity<Unit>(static_cast<std::int64_t>(reader.number(most)));
    }
};

template <AnyOptional Optional>
struct ByteCodec<Optional> {
    static void write(ByteWriter& writer, const Optional& value) {
        write_bytes(writer, value.has_value());
        if (value) write_bytes(writer, *value);
    }
    static Optional read(ByteReader& reader) {
        if (!read_bytes<bool>(reader)) return std::nullopt;
        return read_bytes<typename Optional::value_type>(reader);
    }
};

template <AnyList List>
struct ByteCodec<List> {
    using Element = typename List::value_type;

    static void write(ByteWriter& writer, const List& values) {
        writer.number(values.size());
        for (const Element& value : values) write_bytes(writer, value);
    }
    static List read(ByteReader& reader) {
        List values;  // grows with what is really there
        for (std::size_t left = reader.length(); left > 0 && reader.ok(); --left) {
            values.push_back(read_bytes<Element>(reader));
        }
        return values;
    }
};

template <class A, class B>
struct ByteCodec<std::pair<A, B>> {
    static void write(ByteWriter& writer, const std::pair<A, B>& both) {
        write_bytes(writer, both.first);
        write_bytes(writer, both.second);
    }
    static std::pair<A, B> read(ByteReader& reader) {
        A first = read_bytes<A>(reader);
        B second = read_bytes<B>(reader);
        return {std::move(first), std::move(second)};
    }
};

template <class T>
struct ByteCodec<Shared<T>> {
    static void write(ByteWriter& writer, const Shared<T>& value) { write_bytes(writer, *value); }
    static Shared<T> read(ByteReader& reader) { return Shared<T>(read_bytes<T>(reader)); }
};

template <HasFields T>
struct ByteCodec<T> {
    static_assert(field_count<T> != 0, "an element has at least a byte");

    static void write(ByteWriter& writer, const T& value) {
        T::fields([&](const auto&... f) { (write_bytes(writer, value.*(f.pointer)), ...); });
    }
    static T read(ByteReader& reader) {
        T value{};
        if (!reader.enter()) return value;
        T::fields([&](const auto&... f) { (read_member(reader, value.*(f.pointer)), ...); });
        reader.leave();
        return value;
    }

  private:
    template <class Member>
    static void read_member(ByteReader& reader, Member& member) {
        if (reader.ok()) member = read_bytes<Member>(reader);
    }
};

}  // namespace trestle
