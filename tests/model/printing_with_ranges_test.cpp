// SPDX-License-Identifier: Apache-2.0
// Compiled without precompiled headers (tests/CMakeLists.txt), so that this order counts:
#include <fmt/ranges.h>
#include <fmt/std.h>

// After fmt.
#include "support/printing_with_ranges.hpp"

TEST_CASE("Printing: fmt/ranges.h combines with the library, included before it", "[model]") {
    check_printing_with_ranges();
}
