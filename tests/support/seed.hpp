// SPDX-License-Identifier: Apache-2.0
// One seed reproduces a whole test run: TRESTLE_TEST_SEED in the environment, or a fixed default.
// Print it with INFO("seed " << seed), so that a failure says how to see it again.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace trestle {

/// The seed of this run. Text that is no number counts as 0.
[[nodiscard]] inline std::uint64_t test_seed() {
    const char* text = std::getenv("TRESTLE_TEST_SEED");
    return text == nullptr ? 20'240'101u : std::strtoull(text, nullptr, 10);
}

}  // namespace trestle
