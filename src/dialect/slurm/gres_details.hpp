// SPDX-License-Identifier: Apache-2.0
#pragma once

// Adding up GRES by name and type.
//
// Layer: dialect/slurm, inside. Main function: detail_of.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/dialect/slurm/gres.hpp"

namespace trestle::slurm {

/// The entry of that name and type, a new one of count 0 at the end where there is none.
/// Complexity: linear in the list.
[[nodiscard]] inline GresDetail& detail_of(std::vector<GresDetail>& list, std::string_view name,
                                           std::string_view type) {
    const auto at = std::find_if(list.begin(), list.end(), [&](const GresDetail& known) {
        return known.gres.name == name && known.gres.type == type;
    });
    if (at != list.end()) return *at;
    return list.emplace_back(GresDetail{{std::string(name), std::string(type), Count()}, {}, {}});
}

/// Adds to its count, up to the largest.
inline void add_count(GresDetail& detail, Count more) {
    detail.gres.count = saturating_add(detail.gres.count, more);
}

}  // namespace trestle::slurm
