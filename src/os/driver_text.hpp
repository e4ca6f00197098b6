// SPDX-License-Identifier: Apache-2.0
#pragma once

// Texts and numbers as drivers give them, read into values. Pure, and total: what cannot be read is
// empty.
//
// Layer: os, private. Main functions: bus_id_of, page_value, device_numbers, buffer_text.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/base/units.hpp"

namespace trestle::os::detail {

/// `0000:34:00.0`, as sysfs names it.
[[nodiscard]] std::string bus_id_text(std::uint32_t domain, std::uint32_t bus, std::uint32_t device,
                                      std::uint32_t function);
/// `0000:34:00.0` of that in any case or width of the domain; empty for anything else.
[[nodiscard]] std::string bus_id_of(std::string_view text);

/// A text in a buffer that a library filled: up to the first zero, printable characters alone,
/// without blanks at the end.
[[nodiscard]] std::string buffer_text(std::string_view buffer);

/// A number of bytes; 0 for more than a device can have.
[[nodiscard]] Bytes bytes_told(std::uint64_t bytes);

/// The number, if 32 bits hold it.
[[nodiscard]] std::optional<std::uint32_t> narrow(std::optional<std::uint64_t> number);

/// The value of the first line `key: value` of a page; empty when there is none, and for question
/// marks, which stand for the UUID of a GPU that was not used yet.
[[nodiscard]] std::string page_value(std::string_view page, std::string_view key);

/// Major and minor number of `226:128`, perhaps with a line end.
[[nodiscard]] std::optional<std::pair<std::uint32_t, std::uint32_t>> device_numbers(
    std::string_view text);

/// The numbers of a list, whatever stands between them, up to one that 64 bits do not hold.
[[nodiscard]] std::vector<std::uint64_t> numbers_in(std::string_view list);

}  // namespace trestle::os::detail
