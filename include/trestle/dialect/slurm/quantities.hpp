// SPDX-License-Identifier: Apache-2.0
#pragma once

// Slurm's numbers: memory, counts with suffixes, time limits.
//
// Layer: dialect/slurm. Each has a read_ form over a cursor and a parse_ form for a whole text. A
// larger grammar uses the cursor, so that offsets count from the start of the option's text.
// Pitfall: in memory `K` and `KB` are both 1024 bytes, in a GRES count `k` is 1024 and `kb` is
// 1000. Memory without a unit is MiB.

#include <optional>
#include <string>
#include <string_view>

#include "trestle/base/status.hpp"
#include "trestle/base/text.hpp"
#include "trestle/base/units.hpp"

namespace trestle::slurm {

/// A whole number with the unit K, M (default), G or T and an optional `B`, in any case. K rounds
/// up to whole MiB, as Slurm accounts memory (proc_args.c, str_to_mbytes): `1K` is 1 MiB.
/// Errors: nothing, a sign, a fraction, another unit, 2^63 bytes or more.
[[nodiscard]] TextResult<Bytes> read_memory(TextCursor text);
[[nodiscard]] StatusOr<Bytes> parse_memory(std::string_view text);

/// `16G`, `1536`, `0`: the largest unit that divides; MiB without unit. Bytes below one MiB are
/// rounded up. parse_memory reads the same amount back.
[[nodiscard]] std::string memory_text(Bytes memory);

/// A whole number with an optional suffix: k or kib 2^10, kb 10^3, and likewise m, g, t, p, in any
/// case (slurm_protocol_defs.c, suffix_mult). Errors: as above.
[[nodiscard]] TextResult<Count> read_count(TextCursor text);
[[nodiscard]] StatusOr<Count> parse_count(std::string_view text);

/// True when `text` has the form of a count: digits and nothing but a known suffix. It may still be
/// too large to read.
[[nodiscard]] bool is_count(std::string_view text);

/// `m`, `m:s`, `h:m:s`, `d-h`, `d-h:m`, `d-h:m:s`, rounded up to whole minutes; nothing for
/// UNLIMITED and INFINITE. Errors: other forms, 2^31 minutes or more.
[[nodiscard]] TextResult<std::optional<Seconds>> read_time(TextCursor text);
[[nodiscard]] StatusOr<std::optional<Seconds>> parse_time(std::string_view text);

}  // namespace trestle::slurm
