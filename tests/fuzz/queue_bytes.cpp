// SPDX-License-Identifier: Apache-2.0
// Any bytes as a queue.
#include "trestle/alloc/schedule/queue_bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzz/through_bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    trestle::check_any_bytes(data, size, [](const std::vector<std::uint8_t>& bytes) {
        return trestle::queue_from_bytes(bytes);
    });
    return 0;
}
