// SPDX-License-Identifier: Apache-2.0
// Any bytes as a timeline.
#include "trestle/alloc/schedule/timeline_bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzz/target.hpp"
#include "fuzz/through_bytes.hpp"

TRESTLE_FUZZ(timeline_bytes) {
    trestle::check_any_bytes(data, size, [](const std::vector<std::uint8_t>& bytes) {
        return trestle::timeline_from_bytes(bytes, {1U << 12});
    });
}
