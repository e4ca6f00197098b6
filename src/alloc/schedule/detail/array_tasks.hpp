// SPDX-License-Identifier: Apache-2.0
#pragma once

// ArrayTasks: the jobs of each array that a job waits for, and what became of them.
//
// Layer: alloc (detail). Main type: ArrayTasks. Each array is looked at once for each kind of
// dependency, however many jobs wait for it.
// Pitfall: a task is a job whose conditions say so; one of which only conditions are left has gone,
// and an array without any task has too.

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "alloc/schedule/detail/condition_findings.hpp"
#include "alloc/schedule/detail/known_jobs.hpp"
#include "trestle/alloc/schedule/start_conditions.hpp"
#include "trestle/base/ids.hpp"

namespace trestle::detail {

class ArrayTasks {
  public:
    /// Complexity: linear in conditions and dependencies; n log n in arrays and tasks that are
    /// waited for.
    ArrayTasks(const QueueState& state, const KnownJobs& jobs);

    /// Arrays that are waited for.
    [[nodiscard]] std::size_t size() const { return arrays_.size(); }
    /// The position of an array; where it is not waited for, that of one that is, or size().
    /// Complexity: logarithmic.
    [[nodiscard]] std::size_t position_of(ArrayId id) const;
    /// The owners of the tasks, rising.
    [[nodiscard]] const std::vector<OwnerId>& tasks(std::size_t position) const {
        return arrays_[position].tasks;
    }
    /// Requires: the array is waited for.
    [[nodiscard]] const Outcome& outcome(ArrayId id, Dependency::Kind kind);

  private:
    struct Array {
        ArrayId id;
        std::vector<OwnerId> tasks;
        std::array<std::optional<Outcome>, enum_names(Dependency::Kind()).size()> outcomes;
    };

    const KnownJobs& jobs_;
    std::vector<Array> arrays_;  ///< by id
};

}  // namespace trestle::detail
