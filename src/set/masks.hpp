// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sets as hexadecimal masks, and as lists with blanks: the forms of Slurm, hwloc and systemd.
//
// Layer: set. Main functions: to_hex_mask, parse_mask, to_space_list. Lists are in set/text.hpp.

#include <string>
#include <string_view>

#include "trestle/set/text.hpp"

namespace trestle {

/// `0-3 8`, as in `numactl --hardware` and systemd's AllowedCPUs.
template <IndexSetLike Set>
[[nodiscard]] std::string to_space_list(const Set& set) {
    return detail::list_text(detail::runs_of(set), ' ');
}

/// `0x10f`: one number of any length, `0x0` for the empty set; Slurm's --cpu-bind=mask_cpu.
/// Requires: members are below 2^20. O(last member).
template <IndexSetLike Set>
[[nodiscard]] std::string to_hex_mask(const Set& set) {
    return "0x" + detail::hex_digits(detail::runs_of(set));
}

/// Reads a mask up to the end of the text: hexadecimal digits with or without `0x`, either one
/// number of any length or comma-separated groups of 32 bits, each at most eight digits
/// (bitmap_parse of the kernel; hwloc puts `0x` before each group and leaves zero groups empty).
template <IndexSetLike Set>
[[nodiscard]] TextResult<Set> parse_mask(TextCursor text,
                                         std::uint64_t members_max = set_members_max) {
    return detail::set_of<Set>(detail::read_mask(text, {Set::index_limit, members_max}));
}
template <IndexSetLike Set>
[[nodiscard]] TextResult<Set> parse_mask(std::string_view text,
                                         std::uint64_t members_max = set_members_max) {
    return parse_mask<Set>(TextCursor(text), members_max);
}

}  // namespace trestle
