// SPDX-License-Identifier: Apache-2.0
#pragma once

// errno_status: what the kernel refused, as a status.
//
// Layer: base. Main function: errno_status.

#include <string>

#include "trestle/base/status.hpp"

namespace trestle {

/// From an errno value; the message is `<what>: <strerror text>`, the code the nearest one.
[[nodiscard]] inline Status errno_status(int error_number, const std::string& what) {
    return absl::ErrnoToStatus(error_number, what);
}

}  // namespace trestle
