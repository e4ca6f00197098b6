// SPDX-License-Identifier: Apache-2.0
#pragma once

// The bytes of a queue: head, and a job as it is written.
//
// Layer: alloc.

#include <cstdint>
#include <optional>

#include "alloc/cluster/byte_format.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"

namespace trestle::detail {

inline constexpr ByteFormat queue_format{"queue", "trsqueue", 1};

/// A job whose request stands in a list.
struct QueuedRequest {
    OwnerId owner;
    std::uint32_t request = 0;
    std::optional<Seconds> duration;
    std::uint64_t priority = 0;  ///< two's complement
    std::optional<Instant> start_by;

    static constexpr auto fields(auto list) {
        return list(field("owner", &QueuedRequest::owner),
                    field("request", &QueuedRequest::request),
                    field("duration", &QueuedRequest::duration),
                    field("priority", &QueuedRequest::priority),
                    field("start_by", &QueuedRequest::start_by));
    }
};

}  // namespace trestle::detail
