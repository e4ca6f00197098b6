// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sets of numbers as progressions: 3-9, and 0, 2, 4, ... 100.
//
// Layer: dialect/slurm, inside. Main types: Progression, Numbers.
// Pitfall: what is left of a progression after another was taken out of it may be as many parts as
// the steps have in them. Where that is too many, and where there are more than a few progressions
// with steps, their numbers are written out; else nothing is.

#include <cstdint>
#include <vector>

namespace trestle::slurm::hosts {

/// `first`, `first + step`, ... Below 10^18, of one number at least; that of one has the step 1.
struct Progression {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    std::uint64_t step = 1;

    [[nodiscard]] std::uint64_t number(std::uint64_t i) const { return first + i * step; }
    [[nodiscard]] std::uint64_t last() const { return number(count - 1); }
};

/// A set of numbers.
class Numbers {
  public:
    /// These may be there already. Call unite() before anything else.
    void add(const Progression& one) { (one.step == 1 ? spans_ : loose_).push_back(one); }
    void add(const Numbers& other);
    /// Makes each number stand once. Complexity: n log n in what has no step and in the numbers
    /// that are written out.
    void unite();

    [[nodiscard]] bool contains(std::uint64_t number) const;
    void remove(std::uint64_t number);
    void subtract(const Numbers& other);
    /// What both have; call unite() on it.
    friend Numbers common(const Numbers& a, const Numbers& b);

    /// All progressions, by their first numbers.
    [[nodiscard]] std::vector<Progression> in_order() const;

  private:
    void assign(std::vector<Progression> parts);
    void write_out();
    /// False, and nothing changes: there would be too many parts.
    [[nodiscard]] bool try_subtract(const Numbers& other);

    std::vector<Progression> spans_;  ///< with the step 1; united: rising and apart
    std::vector<Progression> loose_;  ///< the others; united: apart from all
};

}  // namespace trestle::slurm::hosts
