// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bracketed lists of names: `n[01-04],login`, `/dev/nvidia[0-3]`.
//
// Layer: dialect/slurm. Node names and device files are written so.
// A reader would get wrong: a leading zero fixes the width, so `n[1-10]` and `n[01-10]` are
// different names.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/text.hpp"

namespace trestle::slurm {

/// How much a list may ask for, so that `n[0-4294967294]` cannot eat the machine.
struct HostlistLimits {
    std::size_t max_names = 100'000;

    static constexpr auto fields() {
        return field_list(field("max_names", &HostlistLimits::max_names));
    }
    friend bool operator==(const HostlistLimits&, const HostlistLimits&) = default;
};

/// All names, in the order of the text and with duplicates. Several brackets in one name multiply,
/// the last one fastest. Errors: an empty name or bracket, a bracket without end, a run that goes
/// down, a bound that is no number, more names than allowed. Complexity: linear in the result.
[[nodiscard]] TextResult<std::vector<std::string>> read_hostlist(TextCursor text,
                                                                 HostlistLimits limits = {});
[[nodiscard]] StatusOr<std::vector<std::string>> parse_hostlist(std::string_view text,
                                                                HostlistLimits limits = {});

}  // namespace trestle::slurm
