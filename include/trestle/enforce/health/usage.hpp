// SPDX-License-Identifier: Apache-2.0
#pragma once

// Usage: what a group uses and has used.
//
// Layer: enforce. Main type: Usage.
// A reader would get wrong: absent is not 0; it means that nobody can tell here.

#include <optional>

#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"

namespace trestle {

using Microseconds = Quantity<struct MicrosecondsUnit>;

/// What a group uses and has used. Absent: not known here.
struct Usage {
    std::optional<Bytes> memory = {};
    std::optional<Bytes> memory_peak = {};
    std::optional<Count> oom_kills = {};
    std::optional<Microseconds> cpu_time = {};
    std::optional<Microseconds> throttled_time = {};  ///< waited for the CPU quota
    std::optional<Count> pids = {};

    static constexpr auto fields(auto list) {
        return list(field("memory", &Usage::memory), field("memory_peak", &Usage::memory_peak),
                    field("oom_kills", &Usage::oom_kills), field("cpu_time", &Usage::cpu_time),
                    field("throttled_time", &Usage::throttled_time), field("pids", &Usage::pids));
    }
    friend bool operator==(const Usage&, const Usage&) = default;
};

}  // namespace trestle
