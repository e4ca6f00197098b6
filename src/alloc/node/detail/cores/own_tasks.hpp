// SPDX-License-Identifier: Apache-2.0
#pragma once

// OwnTasks: how many tasks have room on cores of unlike thread counts, each on cores of its own.
//
// Layer: alloc, internal. Main types: OwnTasks, AlikeCores. A core with the CPUs of a task holds as
// many tasks as fit on it; smaller cores are joined until they have the CPUs of one task.
// Pitfall: which small cores are joined matters: two cores of two CPUs and two of one hold two
// tasks of three CPUs, but one only where the two larger ones are joined. All ways are counted, up
// to a limit that no real machine reaches; beyond it the largest cores that fit are joined first.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trestle/base/units.hpp"

namespace trestle {

/// Cores that have equally many CPUs each.
struct AlikeCores {
    std::int64_t cpus = 0;
    std::uint32_t count = 0;
};

class OwnTasks {
  public:
    /// Cores of each kind.
    using Counts = std::vector<std::uint32_t>;

    /// `tasks_per_core`: at most; 0: as many as have CPUs.
    OwnTasks(std::vector<AlikeCores> cores, Count cpus_per_task, Count tasks_per_core);

    /// The most tasks on so many cores of each kind; the largest number where a task needs none.
    /// Requires: no more than there are, here and below.
    [[nodiscard]] std::int64_t most(const Counts& counts) const;

    /// Tasks that one core of the kind holds; 0 where a task needs several.
    [[nodiscard]] std::int64_t on_one(std::size_t kind) const;

    /// For each task on several cores, how many of each kind; as many tasks as fit.
    [[nodiscard]] std::vector<Counts> joined(const Counts& counts) const;

  private:
    void find_patterns(std::size_t at, std::int64_t missing, Counts& pattern);
    void fill_table();
    [[nodiscard]] bool fits(const Counts& pattern, const Counts& left) const;
    [[nodiscard]] std::size_t index_of(const Counts& counts) const;
    /// Takes the cores of one more task from `left`; false when too few remain.
    [[nodiscard]] bool join_greedily(Counts& left, Counts& task) const;

    std::vector<AlikeCores> cores_;
    std::int64_t cpus_;
    std::int64_t tasks_per_core_;
    std::vector<std::size_t> small_;    ///< kinds of cores that no task fits on, largest first
    std::vector<Counts> patterns_;      ///< of small_: just enough for a task
    std::vector<std::size_t> steps_;    ///< of small_: in the table
    std::vector<std::uint32_t> table_;  ///< tasks by cores; empty: not made
};

}  // namespace trestle
