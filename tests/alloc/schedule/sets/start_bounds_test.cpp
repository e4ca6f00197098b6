// SPDX-License-Identifier: Apache-2.0
// StartBounds against a list of all starts that were noted.
#include "alloc/schedule/sets/start_bounds.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"

namespace trestle {
namespace {

struct Noted {
    std::int64_t nodes = 0;
    std::optional<Seconds> duration;
    Instant start;
};

bool is_no_longer(std::optional<Seconds> a, std::optional<Seconds> b) {
    return !b || (a && *a <= *b);
}

}  // namespace

TEST_CASE("law: a bound is the latest start of jobs that want no more, as far as it is known",
          "[law][time]") {
    std::mt19937 random(test_seed());
    const auto below = [&](std::int64_t end) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
    };
    int exact = 0, asked = 0;
    for (int round = 0; round < test_rounds(200); ++round) {
        detail::StartBounds bounds;
        // Of few durations and sizes in rows of their own all is known.
        const bool is_known = round % 2 == 0;
        const std::int64_t durations = is_known ? 1 + below(8) : 1'000;
        for (int pass = 0; pass < 4; ++pass) {
            bounds.clear();
            std::vector<Noted> noted;
            for (int step = 0; step < 60; ++step) {
                const std::int64_t nodes =
                    is_known ? std::int64_t{1} << below(10) : 1 + below(1 + below(5'000));
                std::optional<Seconds> duration;
                if (below(10) > 0) duration = Seconds(1 + below(durations));
                Instant expected;
                for (const Noted& one : noted) {
                    if (one.nodes > nodes || !is_no_longer(one.duration, duration)) continue;
                    expected = std::max(expected, one.start);
                }
                const Instant bound = bounds.bound(nodes, duration);
                CHECK(bound <= expected);
                if (is_known && pass > 1) CHECK(bound == expected);
                if (!is_known) {
                    ++asked;
                    exact += bound == expected;
                }
                const Instant start(below(1'000));
                bounds.note(nodes, duration, start);
                noted.push_back({nodes, duration, start});
            }
        }
    }
    CHECK(exact > asked / 2);
}

}  // namespace trestle
