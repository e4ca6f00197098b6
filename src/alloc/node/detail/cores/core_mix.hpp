// SPDX-License-Identifier: Apache-2.0
#pragma once

// CoreMixes: how many cores of each class, on a node whose cores differ.
//
// Layer: alloc, internal to fit. Main types: CoreMixes, CoreMix. Where all cores are alike a demand
// says how many it takes; where they differ several mixes of them have enough CPUs. They are listed
// with the best first: fewest cores that are not of the kind preferred, then fewest CPUs. Which
// cores of each class are taken is for CoreChooser.
// Pitfall: a mix with more than is needed is not useless. What is required near may lie where only
// larger cores are.

#include <cstdint>
#include <utility>
#include <vector>

#include "alloc/node/detail/cores/own_tasks.hpp"
#include "alloc/node/detail/fit_problem.hpp"
#include "alloc/node/step_budget.hpp"

namespace trestle::detail {

struct CoreMix {
    std::uint32_t others = 0;  ///< that are not of the kind preferred
    std::int64_t cpus = 0;
    std::uint32_t cores = 0;
    std::vector<std::uint32_t> counts;  ///< by class

    [[nodiscard]] bool is_as_good_as(const CoreMix& mix) const {
        return others == mix.others && cpus == mix.cpus;
    }
};

class CoreMixes {
  public:
    /// `room`: the cores of each class that may be taken. `devices_cpus`: that come with devices.
    CoreMixes(const FitProblem& problem, std::vector<std::uint32_t> room,
              std::int64_t devices_cpus);

    /// CPUs that are asked at least.
    [[nodiscard]] std::int64_t cpus_asked() const { return cpus_asked_; }
    [[nodiscard]] std::int64_t cpus_in(const std::vector<std::uint32_t>& counts) const;

    /// Tasks that package `package` has room for.
    [[nodiscard]] std::int64_t tasks_max(std::uint32_t package) const;
    /// Each package has room for so many tasks of its own.
    void deal_tasks(std::vector<std::int64_t> tasks) { tasks_on_ = std::move(tasks); }
    /// Cores are dealt to the packages one by one, in this order.
    void deal_cores(std::vector<std::uint32_t> order);

    [[nodiscard]] bool is_enough(const std::vector<std::uint32_t>& counts) const;

    /// Of mixes that differ in the last class alone, the smallest one; all where `takes_more`.
    /// Best first. What was found so far where `budget` ended.
    [[nodiscard]] std::vector<CoreMix> all(bool takes_more, StepBudget& budget) const;

  private:
    template <class Counts>
    [[nodiscard]] OwnTasks own_tasks(const Counts& counts) const;
    void find(std::size_t at, bool takes_more, StepBudget& budget, CoreMix& mix,
              std::vector<CoreMix>& found) const;
    [[nodiscard]] std::int64_t tasks_in(std::uint32_t package,
                                        const std::vector<std::uint32_t>& counts) const;
    /// Cores of a package that are dealt at most.
    [[nodiscard]] std::int64_t cores_max(std::uint32_t package) const;
    [[nodiscard]] bool is_dealt_in_turn(const CoreMix& mix) const;

    const FitProblem& problem_;
    std::vector<std::uint32_t> room_;
    std::int64_t tasks_cpus_;
    std::int64_t devices_cpus_;
    std::int64_t cpus_asked_;
    OwnTasks all_tasks_;
    std::vector<OwnTasks> tasks_;         ///< by package, where tasks are dealt
    std::vector<std::int64_t> tasks_on_;  ///< by package; empty: anywhere
    std::vector<std::uint32_t> order_;    ///< empty: cores are not dealt
    std::vector<std::int64_t> cores_max_;
};

}  // namespace trestle::detail
