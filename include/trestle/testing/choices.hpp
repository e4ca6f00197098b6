// SPDX-License-Identifier: Apache-2.0
#pragma once

// Choices: one generator, two uses. It draws at random, or it goes through everything.
//
// Layer: testing. A generator is a function of Choices& that asks for each decision it takes. Given
// a seed, it makes a random value. Run by for_all_choices it makes every value that it can make,
// once each. Small enough worlds are tested completely by the code that tests large ones at random.
// The idea is exhaustigen.zig of tigerbeetle.
// Pitfall: the bounds may depend on earlier answers, but the generator must ask the same questions
// after the same answers.

#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/base/contract.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/rng.hpp"

namespace trestle::testing {

/// Where a generator gets its decisions from.
class Choices {
  public:
    /// Decisions at random: the same seed gives the same decisions on every platform.
    explicit Choices(std::uint64_t seed) : rng_(seed) {}

    /// Decisions one by one: at first all are the lowest, after next_run() the next combination.
    [[nodiscard]] static Choices exhaustive() { return Choices(); }

    /// A number in [0, bound). Requires: bound > 0.
    std::uint64_t below(std::uint64_t bound);
    /// A number in [first, last). Requires: the interval is not empty.
    template <class T>
    T in(Interval<T> interval) {
        TRESTLE_EXPECTS(!interval.is_empty(), "there is something to choose from");
        return static_cast<T>(interval.first + static_cast<T>(below(static_cast<std::uint64_t>(
                                                   interval.end - interval.first))));
    }
    /// True for one in `n` at random; both when going through everything. Requires: n > 0.
    bool one_in(std::uint64_t n) { return rng_ ? rng_->below(n) == 0 : n == 1 || below(2) == 1; }
    /// One element. Requires: there is one.
    template <class T>
    const T& of(const std::vector<T>& elements) {
        return elements[static_cast<std::size_t>(below(elements.size()))];
    }

    /// Goes on to the next combination; false when all were seen. Requires: exhaustive().
    bool next_run();

  private:
    struct Decision {
        std::uint64_t answer;
        std::uint64_t bound;
    };

    Choices() = default;

    std::optional<Rng> rng_;
    std::vector<Decision> run_;  ///< the decisions of this run and the last, when exhaustive
    std::size_t position_ = 0;
};

/// Calls body(choices) once for every combination of decisions. Returns how many there were.
template <class Body>
std::uint64_t for_all_choices(Body body) {
    Choices choices = Choices::exhaustive();
    std::uint64_t runs = 0;
    do {
        body(choices);
        ++runs;
    } while (choices.next_run());
    return runs;
}

/// How often, and from which seed on.
struct RandomRuns {
    std::uint64_t seed = 0;
    std::uint64_t count = 100;
};

/// Calls body(choices) `count` times, each time with a seed of its own.
template <class Body>
void for_random_choices(RandomRuns runs, Body body) {
    Rng seeds(runs.seed);
    for (std::uint64_t i = 0; i < runs.count; ++i) {
        Choices choices(seeds());
        body(choices);
    }
}

}  // namespace trestle::testing
