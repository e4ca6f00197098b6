// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trestle/dialect/dstack/configuration.hpp"

namespace trestle::fuzz {

/// Whether a reading failed by a limit on size or depth only. What is written in another order or
/// by a translation may be above a limit that its original is below.
inline bool is_cap(const dstack::ConfigurationReading& reading) {
    return reading.errors.front().error.expected.starts_with("at most");
}

}  // namespace trestle::fuzz
