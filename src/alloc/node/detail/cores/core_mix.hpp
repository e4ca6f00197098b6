// SPDX-License-Identifier: Apache-2.0
#pragma once

// CoreMixes: how many cores of each class, on a node whose cores differ.
//
// Layer: alloc, internal to fit. Main types: CoreMixes, CoreMix. Where all cores are alike a demand
// says how many it takes; where they differ several mixes of them have enough CPUs. Cores also
// differ by the groups that each hold a task whole. Mixes are listed with the best first: fewest
// cores that are not of the kind preferred, then fewest CPUs. Which cores of each class are taken
// is for CoreChooser.
// Pitfall: a mix with more than is needed is not useless. What is required near may lie where only
// larger cores are.

#include <cstddef>
#include <cstdint>
#include <optional>
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

/// Cores near to devices that are chosen.
struct NearCores {
    std::vector<std::uint32_t> room;  ///< of each class, cores that may be taken
    std::uint32_t devices = 0;
    std::int64_t required = 0;  ///< CPUs
};

class CoreMixes {
  public:
    /// Mixes that within() lists at most, and steps that it takes at most for them.
    static constexpr std::size_t listed_max = 256;
    static constexpr std::uint64_t steps_max = 200'000;

    /// `room`: the cores of each class that may be taken. `devices_cpus`: that come with devices.
    CoreMixes(const FitProblem& problem, std::vector<std::uint32_t> room,
              std::int64_t devices_cpus);

    /// CPUs that are asked at least.
    [[nodiscard]] std::int64_t cpus_asked() const { return cpus_asked_; }
    [[nodiscard]] std::int64_t cpus_in(const std::vector<std::uint32_t>& counts) const;

    /// Tasks that part `part` has room for.
    [[nodiscard]] std::int64_t tasks_max(std::uint32_t part) const;
    /// Tasks that have room, each inside of its group; as many as are asked where no groups matter.
    [[nodiscard]] std::int64_t tasks_in_groups() const;
    /// Each part has room for so many tasks of its own.
    void deal_tasks(std::vector<std::int64_t> tasks) { tasks_on_ = std::move(tasks); }
    /// Cores are dealt to the parts one by one, in this order.
    void deal_cores(std::vector<std::uint32_t> order);

    [[nodiscard]] bool is_enough(const std::vector<std::uint32_t>& counts) const;

    /// Of mixes that differ in the last class alone, the smallest one; all where `takes_more`.
    /// Best first. What was found so far where `budget` ended.
    [[nodiscard]] std::vector<CoreMix> all(bool takes_more, StepBudget& budget) const;

    /// Devices whose required cores each mix of within() has, and to which groups that are near
    /// come first.
    void serve(std::vector<NearCores> devices);

    struct Listed {
        std::vector<CoreMix> mixes;
        std::optional<std::int64_t> next;  ///< ceiling that shows more; nothing: there are no more
        bool is_whole = true;              ///< false: there are more than could be listed
    };
    /// Mixes with more than `floor` and at most `ceiling` CPUs; without `takes_more` those that
    /// need each of their cores. Best first. Where there are more than are listed, these have as
    /// many tasks as fit in the first groups.
    [[nodiscard]] Listed within(std::int64_t floor, std::int64_t ceiling, bool takes_more,
                                StepBudget& budget) const;

  private:
    using Counts = std::vector<std::uint32_t>;

    /// Cores that a task lies on whole: of one part, where tasks are dealt, and of one task group.
    struct Pool {
        std::uint32_t part = 0;
        std::uint32_t task_group = 0;
        OwnTasks own;
    };
    struct Walk;

    [[nodiscard]] OwnTasks own_tasks(const std::vector<std::uint32_t>& classes) const;
    void find_pools();
    /// Tasks that the cores of a pool have room for.
    [[nodiscard]] std::int64_t tasks_in(std::size_t pool, const Counts& counts) const;
    [[nodiscard]] std::int64_t cpus_of_pool(std::size_t pool, const Counts& counts) const;
    [[nodiscard]] std::int64_t tasks_of_part(std::uint32_t part, const Counts& counts) const;
    [[nodiscard]] bool has_tasks(const Counts& counts) const;
    /// Where cores are dealt: the tasks are spread over the task groups as evenly as these allow.
    [[nodiscard]] bool is_even(const std::vector<std::int64_t>& tasks) const;
    void find(std::size_t at, bool takes_more, StepBudget& budget, CoreMix& mix,
              std::vector<CoreMix>& found) const;
    void walk(std::size_t at, Walk& walk) const;
    void list(Walk& walk) const;
    /// True when a part ends with visited class `at` and has fewer tasks than are dealt to it.
    [[nodiscard]] bool lacks_tasks(std::size_t at, const Walk& walk) const;
    void sum_up(CoreMix& mix) const;
    [[nodiscard]] bool is_near_enough(const CoreMix& mix) const;
    [[nodiscard]] bool needs_all(const CoreMix& mix) const;
    static void sort(std::vector<CoreMix>& mixes);
    [[nodiscard]] bool is_dealt_in_turn(const CoreMix& mix) const;
    /// The same for the cores of one task group.
    [[nodiscard]] bool is_dealt_in_turn(const CoreMix& mix, std::uint32_t task_group) const;

    const FitProblem& problem_;
    Counts room_;
    std::int64_t tasks_cpus_;
    std::int64_t devices_cpus_;
    std::int64_t cpus_asked_;
    std::vector<Pool> pools_;
    std::vector<std::size_t> pool_of_;  ///< by class
    std::vector<std::size_t> visited_;  ///< classes in the order of within()
    std::vector<NearCores> served_;
    std::vector<std::int64_t> limits_;    ///< tasks of each pool at most, where cores are dealt
    std::vector<std::int64_t> tasks_on_;  ///< by part; empty: anywhere
    std::vector<std::uint32_t> order_;    ///< empty: cores are not dealt
};

}  // namespace trestle::detail
