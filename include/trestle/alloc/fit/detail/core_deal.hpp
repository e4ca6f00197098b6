// SPDX-License-Identifier: Apache-2.0
#pragma once

// Dealing: how many cores each package gives when tasks are dealt out to packages.
//
// Layer: alloc, internal to fit. Main type: Deal.
// A reader would get wrong: the packages come in the order in which they are served, nearest to the
// devices first, not by number.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/alloc/fit/detail/fit_problem.hpp"

namespace trestle::detail {

/// A package that is dealt to.
struct DealtPackage {
    std::uint32_t package = 0;
    std::int64_t capacity = 0;  ///< cores that it can give
    std::int64_t cores = 0;     ///< that it shall give
    std::int64_t tasks = 0;
};

class Deal {
  public:
    Deal(const FitProblem& problem, std::vector<DealtPackage>& packages)
        : problem_(problem), demand_(problem.demand()), packages_(packages) {}

    /// Fills in the cores of each package; false when the tasks do not fit, or when there are fewer
    /// than `cores_min` cores in all.
    [[nodiscard]] bool run(std::int64_t cores_min) {
        const bool is_done =
            demand_.distribution == Distribution::fcyclic ? deal_single_cores() : deal_tasks();
        if (!is_done) return false;
        std::int64_t dealt = 0;
        for (const DealtPackage& one : packages_) dealt += one.cores;
        return deal_rounds(
            cores_min - dealt, 1, [](const DealtPackage& one) { return one.capacity - one.cores; },
            &DealtPackage::cores);
    }

  private:
    /// Deals `count` units in rounds of `each` to whoever has room; false when some remain.
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

    /// Rounds in which everybody with room gets `each`; 1 when there is none such.
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

    [[nodiscard]] bool deal_tasks() {
        const std::int64_t tasks = demand_.tasks.value();
        if (problem_.whole_cores_for(tasks) == 0) return true;
        std::int64_t each = 1;
        if (demand_.distribution == Distribution::block) each = tasks;
        if (demand_.distribution == Distribution::plane) {
            each = std::max<std::int64_t>(1, demand_.plane_size.value());
        }
        const bool is_done = deal_rounds(
            tasks, each, [&](const DealtPackage& one) { return tasks_max(one) - one.tasks; },
            &DealtPackage::tasks);
        for (DealtPackage& one : packages_) one.cores = problem_.whole_cores_for(one.tasks);
        return is_done;
    }

    [[nodiscard]] bool deal_single_cores() {
        const std::int64_t most = demand_.tasks_per_socket.is_zero()
                                      ? problem_.shape().hardware.core_count()
                                      : problem_.whole_cores_for(demand_.tasks_per_socket.value());
        return deal_rounds(
            problem_.cores_for_tasks(), 1,
            [&](const DealtPackage& one) { return std::min(one.capacity, most) - one.cores; },
            &DealtPackage::cores);
    }

    /// The most tasks that the package can take.
    [[nodiscard]] std::int64_t tasks_max(const DealtPackage& one) const {
        std::int64_t low = 0;
        std::int64_t high = demand_.tasks.value();
        if (!demand_.tasks_per_socket.is_zero()) {
            high = std::min(high, demand_.tasks_per_socket.value());
        }
        while (low < high) {
            const std::int64_t middle = high - (high - low) / 2;
            if (problem_.whole_cores_for(middle) <= one.capacity) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    const FitProblem& problem_;
    const NodeDemand& demand_;
    std::vector<DealtPackage>& packages_;
};

}  // namespace trestle::detail
