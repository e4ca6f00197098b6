// SPDX-License-Identifier: Apache-2.0
#pragma once

// dstack's sizes, counts and ranges: `24GB..80GB`, `200GB..`, `4..8`, `1`.
//
// Layer: dialect/dstack. Each has a read_ form whose error tells offset and token apart, and a
// parse_ form with a Status. Blanks count for nothing anywhere, and offsets are those of the text
// as it was written.
// Pitfall: a bare value is exact (`32GB` is 32GB..32GB), as in the program and unlike in its guide.
// GB is 2^30 bytes. A size without a unit is in GB.
//
// Differs from dstack: negative numbers, inf, nan and digits outside of ASCII are errors. A size
// must be a whole number of bytes: `0.5GB` is one, `0.1GB` is not.

#include <array>
#include <string>
#include <string_view>

#include "trestle/base/enums.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/text.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/device.hpp"

namespace trestle::dstack {

/// What a value without `..` means where a range may stand: `32GB` is 32GB..32GB, as in the
/// program, or 32GB.. as its guide has it. Numbers of nodes and blocks are not meant.
enum class BareValue { exact, minimum };

constexpr auto enum_names(BareValue) {
    return std::array{named(BareValue::exact, "exact"), named(BareValue::minimum, "minimum")};
}

/// A decimal number (`8`, `.5`, `1e3`, `1_000`) and MB, GB (default) or TB in any case.
/// Errors: no number, a sign below zero, another unit, part of a byte, 2^63 bytes or more.
[[nodiscard]] TextResult<Bytes> read_memory(std::string_view text);
[[nodiscard]] StatusOr<Bytes> parse_memory(std::string_view text);

/// `32GB`, `512MB`, `0.5MB`: exact, in whole GB or else in MB. parse_memory reads it back.
[[nodiscard]] std::string memory_text(Bytes memory);

/// `a..b`, `a..`, `..b` or `a`, both ends included. Errors: no end at all, ends that go down, an
/// end that is no size.
[[nodiscard]] TextResult<Range<Bytes>> read_memory_range(std::string_view text,
                                                         BareValue bare = BareValue::exact);
[[nodiscard]] StatusOr<Range<Bytes>> parse_memory_range(std::string_view text,
                                                        BareValue bare = BareValue::exact);
/// Requires: an end is given.
[[nodiscard]] std::string memory_range_text(const Range<Bytes>& range);

/// The same of whole numbers (`8`, `1_000`, `4.0`).
[[nodiscard]] TextResult<Range<Count>> read_count_range(std::string_view text,
                                                        BareValue bare = BareValue::exact);
[[nodiscard]] StatusOr<Range<Count>> parse_count_range(std::string_view text,
                                                       BareValue bare = BareValue::exact);

/// The same of versions with two parts: `8.0..9.0`. `8.10` is the tenth after `8.0`, whatever a
/// reader of decimal numbers would make of it.
[[nodiscard]] TextResult<Range<Version>> read_version_range(std::string_view text,
                                                            BareValue bare = BareValue::exact);
[[nodiscard]] StatusOr<Range<Version>> parse_version_range(std::string_view text,
                                                           BareValue bare = BareValue::exact);

}  // namespace trestle::dstack
