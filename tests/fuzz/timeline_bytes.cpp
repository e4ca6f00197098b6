// SPDX-License-Identifier: Apache-2.0
// Any bytes as a timeline, with a checksum that is right: an error of one line, or a timeline that
// comes back from its own bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "trestle/alloc/time/timeline_bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace trestle;
    std::vector<std::uint8_t> bytes(data, data + size);
    if (size >= 24) {
        const std::uint64_t sum = detail::checksum(std::span(bytes).subspan(24));
        for (std::size_t i = 0; i < 8; ++i) bytes[16 + i] = static_cast<std::uint8_t>(sum >> 8 * i);
    }
    const auto timeline = timeline_from_bytes(bytes, {1U << 12});
    if (!timeline.ok()) {
        if (message(timeline.status()).find('\n') != std::string_view::npos) std::abort();
        return 0;
    }
    const auto again = timeline_from_bytes(to_bytes(*timeline));
    if (!again.ok() || !(*again == *timeline) || to_bytes(*again) != to_bytes(*timeline)) {
        std::abort();
    }
    return 0;
}
