// SPDX-License-Identifier: Apache-2.0
#pragma once

// Dealing: how many cores each package gives when tasks are dealt out to packages.
//
// Layer: alloc, internal to fit. Main type: Deal.
// Pitfall: the packages come in the order in which they are served, nearest to the devices first,
// not by number.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "alloc/node/detail/fit_problem.hpp"

namespace trestle::detail {

/// A package that is dealt to.
struct DealtPackage {
    std::uint32_t package = 0;
    std::int64_t devices = 0;   ///< chosen, near to some of its cores and to none elsewhere
    std::int64_t capacity = 0;  ///< cores that it can give
    std::int64_t cores = 0;     ///< that it shall give
    std::int64_t tasks = 0;
    std::optional<std::int64_t> tasks_room{};  ///< tasks that it has room for, where cores differ
};

class Deal {
  public:
    Deal(const FitProblem& problem, std::vector<DealtPackage>& packages)
        : problem_(problem), demand_(problem.demand()), packages_(packages) {}

    /// Fills in the cores of each package; false when the tasks do not fit, or when there are fewer
    /// than `cores_min` cores in all.
    [[nodiscard]] bool run(std::int64_t cores_min);

  private:
    /// Deals `count` units in rounds of `each` to parts with room; false when some remain.
    template <class Room>
    [[nodiscard]] bool deal_rounds(std::int64_t count, std::int64_t each, const Room& room,
                                   std::int64_t DealtPackage::*units) {
        while (count > 0) {
            const std::int64_t rounds = full_rounds(count, each, room);
            const std::int64_t before = count;
            for (DealtPackage& one : packages_) {
                const std::int64_t given =
                    std::min({each * rounds, count, std::max<std::int64_t>(0, room(one))});
                one.*units += given;
                count -= given;
            }
            if (count == before) return false;
        }
        return true;
    }

    /// Rounds in which every part with room gets `each`; 1 when there is none such.
    template <class Room>
    [[nodiscard]] std::int64_t full_rounds(std::int64_t count, std::int64_t each,
                                           const Room& room) const {
        std::int64_t open = 0;
        std::int64_t rounds = count / each;
        for (const DealtPackage& one : packages_) {
            if (room(one) <= 0) continue;
            ++open;
            rounds = std::min(rounds, room(one) / each);
        }
        return open == 0 ? 1 : std::max<std::int64_t>(1, std::min(rounds, count / each / open));
    }

    [[nodiscard]] bool deal_tasks();
    /// Tasks in a block: first each package has its part by its devices, as far as there is room;
    /// how many tasks are left then.
    [[nodiscard]] std::int64_t deal_parts(std::int64_t tasks);

    [[nodiscard]] bool deal_single_cores();

    /// The most tasks that the package can take.
    [[nodiscard]] std::int64_t tasks_max(const DealtPackage& one) const;

    const FitProblem& problem_;
    const NodeDemand& demand_;
    std::vector<DealtPackage>& packages_;
};

}  // namespace trestle::detail
