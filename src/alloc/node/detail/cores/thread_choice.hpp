// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which cores, where not all of their threads may be taken: some are given in thousandths.
//
// Layer: alloc, internal to fit. Main type: ThreadChoice. Where all cores have equally many threads
// a limit of threads is one of cores, and least() says whether it is kept. Only on a node whose
// cores differ, or where others have some of them in other rows, all sets have to be gone through.
// Pitfall: a core that others have in other rows takes no free thread.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "alloc/node/step_budget.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle::detail {

/// Sets of `count` cores of given parts.
class ThreadChoice {
  public:
    /// Cores that can change places in any answer.
    struct Part {
        CoreSet cores;
        std::uint32_t dealt = 0;   ///< the part that is dealt to, or the class
        std::int64_t threads = 0;  ///< of each core, without an owner
    };

    ThreadChoice(std::vector<Part> parts, std::uint32_t count);

    /// Threads of the set that takes the fewest, of the one that takes the most. Where there are
    /// fewer cores, of all of them.
    [[nodiscard]] std::int64_t least() const { return threads(parts_.begin(), parts_.end()); }
    [[nodiscard]] std::int64_t most() const { return threads(parts_.rbegin(), parts_.rend()); }

    /// Calls `visit(cores)` for all sets with at most `threads_max` threads and with `per_part`
    /// cores of each dealt part (empty: of any), but for sets that differ in what can change
    /// places. Returns false when the budget ended.
    template <class Visit>
    [[nodiscard]] bool for_each_set(std::int64_t threads_max, std::vector<std::uint32_t> per_part,
                                    StepBudget& budget, const Visit& visit) const {
        return extend({0, count_, threads_max, std::move(per_part), {}}, budget, visit);
    }

  private:
    /// What is chosen of the parts before `at`, and what the others may add.
    struct Half {
        std::size_t at;
        std::uint32_t missing;
        std::int64_t threads_left;
        std::vector<std::uint32_t> per_part;
        CoreSet cores;
    };

    template <class Visit>
    [[nodiscard]] bool extend(const Half& half, StepBudget& budget, const Visit& visit) const {
        if (!budget.spend()) return false;
        if (half.missing == 0) {
            visit(half.cores);
            return true;
        }
        if (half.at == parts_.size()) return true;
        const Part& part = parts_[half.at];
        std::uint32_t most = std::min(half.missing, part.cores.count());
        if (!half.per_part.empty()) most = std::min(most, half.per_part[part.dealt]);
        for (std::uint32_t n = 0; n <= most && n * part.threads <= half.threads_left; ++n) {
            Half more = half;
            ++more.at;
            more.missing -= n;
            more.threads_left -= n * part.threads;
            if (!more.per_part.empty()) more.per_part[part.dealt] -= n;
            more.cores |= part.cores.first_k(n);
            if (!extend(more, budget, visit)) return false;
        }
        return true;
    }

    template <class Iterator>
    [[nodiscard]] std::int64_t threads(Iterator first, Iterator last) const {
        std::int64_t sum = 0;
        std::uint32_t missing = count_;
        for (; first != last; ++first) {
            const std::uint32_t taken = std::min(missing, first->cores.count());
            sum += taken * first->threads;
            missing -= taken;
        }
        return sum;
    }

    std::vector<Part> parts_;  ///< by threads
    std::uint32_t count_;
};

}  // namespace trestle::detail
