// SPDX-License-Identifier: Apache-2.0
// Any bytes as a queue.
#include "trestle/alloc/schedule/queue_bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzz/target.hpp"
#include "fuzz/through_bytes.hpp"

TRESTLE_FUZZ(queue_bytes) {
    trestle::check_any_bytes(data, size, [](const std::vector<std::uint8_t>& bytes) {
        return trestle::queue_from_bytes(bytes);
    });
}
