// SPDX-License-Identifier: Apache-2.0
#pragma once

// The CPU specification: `8`, `2..`, `arm:4..8`.
//
// Layer: dialect/dstack. Main type: CpuSpec.
// Pitfall: only x86 and arm are names of architectures here; amd64 and aarch64 are errors, as in
// dstack.

#include <optional>
#include <string>
#include <string_view>

#include "trestle/base/fields.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/text.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/dstack/quantities.hpp"
#include "trestle/model/node.hpp"

namespace trestle::dstack {

/// `cpu:` of dstack, as `arm:4..8`.
struct CpuSpec {
    std::optional<Architecture> architecture;  ///< absent: any; x86 or arm
    Range<Count> count = Range<Count>::at_least(Count(2));

    static constexpr auto fields(auto list) {
        return list(field("architecture", &CpuSpec::architecture), field("count", &CpuSpec::count));
    }
    friend bool operator==(const CpuSpec&, const CpuSpec&) = default;
};

/// `[arch:]count` in any order, either part alone. Errors: an empty part, a part given twice, an
/// unknown architecture, a count that is no range.
[[nodiscard]] TextResult<CpuSpec> read_cpu(std::string_view text,
                                           BareValue bare = BareValue::exact);
[[nodiscard]] StatusOr<CpuSpec> parse_cpu(std::string_view text, BareValue bare = BareValue::exact);

/// `arm:4..8`. parse_cpu reads it back. Requires: the count has an end.
[[nodiscard]] std::string to_text(const CpuSpec& cpu);

}  // namespace trestle::dstack
