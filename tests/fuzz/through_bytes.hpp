// SPDX-License-Identifier: Apache-2.0
// For fuzz targets of what has a binary form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "alloc/cluster/byte_format.hpp"
#include "trestle/alloc/cluster/cluster_bytes.hpp"

namespace trestle {

/// Aborts unless `read` answers any bytes, given a checksum that is right, with an error of one
/// line or with a value that comes back from its own bytes.
template <class Read>
void check_any_bytes(const std::uint8_t* data, std::size_t size, Read read) {
    std::vector<std::uint8_t> bytes(data, data + size);
    if (size >= 24) {
        const std::uint64_t sum = detail::checksum(std::span(bytes).subspan(24));
        for (std::size_t i = 0; i < 8; ++i) bytes[16 + i] = static_cast<std::uint8_t>(sum >> 8 * i);
    }
    const auto value = read(bytes);
    if (!value.ok()) {
        if (message(value.status()).find('\n') != std::string_view::npos) std::abort();
        return;
    }
    const auto again = read(to_bytes(*value));
    if (!again.ok() || !(*again == *value) || to_bytes(*again) != to_bytes(*value)) std::abort();
}

}  // namespace trestle
