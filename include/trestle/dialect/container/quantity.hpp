// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kubernetes' quantities: `16Gi`, `1500m`, `2`, `1e3`.
//
// Layer: dialect/container. Names: quantity_text, read_bytes, read_milli_cpus, read_count.
// Pitfall: `m` is a thousandth, `M` a million and `Mi` 2^20. And a fraction of what cannot be
// divided is rounded up, as Kubernetes does.

#include <string>
#include <string_view>

#include "trestle/base/text.hpp"
#include "trestle/base/units.hpp"

namespace trestle::container {

/// The number with the largest of Ki, Mi, Gi, Ti, Pi, Ei that divides it: `16Gi`, `1000`.
[[nodiscard]] std::string quantity_text(Bytes bytes);
/// `4`, `1500m`.
[[nodiscard]] std::string quantity_text(MilliCpu cpus);
[[nodiscard]] std::string quantity_text(Count count);

/// Reads digits with at most one point and an optional `+`. Behind them stands nothing, one of `n u
/// m k M G T P E`, `Ki` to `Ei`, or e and a decimal exponent (E as well). Fractions of a byte are
/// rounded up.
/// Errors: offset and token of what is no quantity, is negative, or exceeds 2^63 - 1.
[[nodiscard]] TextResult<Bytes> read_bytes(std::string_view text);
/// The same in CPUs; fractions of a thousandth are rounded up.
[[nodiscard]] TextResult<MilliCpu> read_milli_cpus(std::string_view text);
/// The same; a count is whole, so anything else is an error.
[[nodiscard]] TextResult<Count> read_count(std::string_view text);

}  // namespace trestle::container
