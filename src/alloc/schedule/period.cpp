// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/period.hpp"

#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

Status check(const Period& period) {
    if (period.first < period.end) return {};
    return invalid_argument("a period from {} to {}: expected an end after the start",
                            period.first.value(), period.end.value());
}

std::string to_text(const Period& period) {
    if (period.end == end_of_time) return fmt::format("from {} on", period.first);
    return fmt::format("from {} to {}", period.first, period.end);
}

}  // namespace trestle
