// SPDX-License-Identifier: Apache-2.0
#include "os/driver_text.hpp"

#include <fmt/core.h>

#include <limits>

#include "trestle/base/text.hpp"

namespace trestle::os::detail {

namespace {

/// A hexadecimal number of `digits` digits at most.
std::optional<std::uint32_t> take_hex(TextCursor& cursor, std::size_t digits) {
    std::uint32_t number = 0;
    const std::string_view word = cursor.take_while([](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    });
    if (word.empty() || word.size() > digits) return std::nullopt;
    for (const char c : word) {
        const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
        number = number * 16 + static_cast<std::uint32_t>(digit);
    }
    return number;
}

}  // namespace

std::string bus_id_text(std::uint32_t domain, std::uint32_t bus, std::uint32_t device,
                        std::uint32_t function) {
    return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", domain, bus, device, function);
}

std::string bus_id_of(std::string_view text) {
    TextCursor cursor(text);
    const auto domain = take_hex(cursor, 8);
    if (!domain || !cursor.accept(':')) return {};
    const auto bus = take_hex(cursor, 2);
    if (!bus || !cursor.accept(':')) return {};
    const auto device = take_hex(cursor, 2);
    if (!device || !cursor.accept('.')) return {};
    const auto function = take_hex(cursor, 1);
    if (!function || !cursor.at_end()) return {};
    return bus_id_text(*domain, *bus, *device, *function);
}

std::string buffer_text(std::string_view buffer) {
    std::string text;
    for (const char c : buffer.substr(0, buffer.find('\0'))) {
        if (c >= ' ' && c <= '~') text += c;
    }
    while (text.ends_with(' ')) text.pop_back();
    return text;
}

Bytes bytes_told(std::uint64_t bytes) {
    constexpr std::uint64_t most = std::uint64_t{1} << 48;  // more is no memory
    return bytes > most ? Bytes() : Bytes(static_cast<std::int64_t>(bytes));
}

std::optional<std::uint32_t> narrow(std::optional<std::uint64_t> number) {
    if (!number || *number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    return static_cast<std::uint32_t>(*number);
}

std::string page_value(std::string_view page, std::string_view key) {
    TextCursor cursor(page);
    while (!cursor.at_end()) {
        TextCursor line(cursor.take_until("\n"));
        cursor.accept('\n');
        if (!line.accept(key) || !line.accept(':')) continue;
        line.skip_blanks();
        std::string value = buffer_text(line.rest());
        return value.find('?') == std::string::npos ? value : std::string();
    }
    return {};
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> device_numbers(std::string_view text) {
    TextCursor cursor(text);
    const auto major = narrow(cursor.take_number());
    if (!major || !cursor.accept(':')) return std::nullopt;
    const auto minor = narrow(cursor.take_number());
    if (!minor || !(cursor.at_end() || cursor.rest() == "\n")) return std::nullopt;
    return std::pair(*major, *minor);
}

std::vector<std::uint64_t> numbers_in(std::string_view list) {
    std::vector<std::uint64_t> numbers;
    TextCursor cursor(list);
    while (true) {
        cursor.take_while([](char c) { return c < '0' || c > '9'; });
        const auto number = cursor.take_number();
        if (!number) return numbers;
        numbers.push_back(*number);
    }
}

}  // namespace trestle::os::detail
