// SPDX-License-Identifier: Apache-2.0
// One seed reproduces a whole test run: TRESTLE_TEST_SEED in the environment, or a fixed default.
// Print it with INFO("seed " << seed), so that a failure says how to see it again.
// test_rounds says how often a random test runs its body.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace trestle {

/// The seed of this run. Text that is no number counts as 0.
[[nodiscard]] inline std::uint64_t test_seed() {
    const char* text = std::getenv("TRESTLE_TEST_SEED");
    return text == nullptr ? 20'240'101u : std::strtoull(text, nullptr, 10);
}

/// `rounds` of a random test with TRESTLE_LONG in the environment, else half of them, so that
/// check.sh takes minutes. Where a sanitizer makes each several times as slow, an eighth, at least
/// four: what a sanitizer finds, it finds in a few rounds. Also for what the rounds have to come
/// upon: CHECK(found > test_rounds(100)).
template <class Number>
[[nodiscard]] Number test_rounds(Number rounds) {
    if (std::getenv("TRESTLE_LONG") != nullptr) return rounds;
#if defined(TRESTLE_SANITIZED)
    return std::min(rounds, std::max(rounds / 8, Number{4}));
#else
    return std::min(rounds, std::max(rounds / 2, Number{4}));
#endif
}

}  // namespace trestle
