// SPDX-License-Identifier: Apache-2.0
#pragma once

// ArrayTasks: the jobs of each array that somebody waits for, and what became of them.
//
// Layer: alloc (detail). Main type: ArrayTasks. Each array is looked at once for each kind of
// dependency, however many jobs wait for it.
// A reader would get wrong: a task is a job whose terms say so; one of which only terms are left
// has gone, and an array without any task has too.

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "trestle/alloc/queue/detail/known_jobs.hpp"
#include "trestle/alloc/queue/detail/term_findings.hpp"
#include "trestle/alloc/queue/terms.hpp"
#include "trestle/base/ids.hpp"

namespace trestle::detail {

class ArrayTasks {
  public:
    /// Complexity: linear in terms and dependencies; n log n in arrays and tasks that are waited
    /// for.
    ArrayTasks(const QueueState& state, const KnownJobs& jobs) : jobs_(jobs) {
        std::vector<ArrayId> ids;
        for (const JobTerms& one : state.terms) {
            for (const Dependency& dependency : one.dependencies) {
                if (dependency.array) ids.push_back(*dependency.array);
            }
        }
        if (ids.empty()) return;
        std::sort(ids.begin(), ids.end());
        ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
        for (const ArrayId id : ids) arrays_.push_back({id, {}, {}});
        for (const JobTerms& one : state.terms) {
            if (!one.array) continue;
            const std::size_t at = position_of(*one.array);
            if (at < size() && arrays_[at].id == *one.array) {
                arrays_[at].tasks.push_back(one.owner);
            }
        }
        for (Array& one : arrays_) std::sort(one.tasks.begin(), one.tasks.end());
    }

    /// Arrays that are waited for.
    [[nodiscard]] std::size_t size() const { return arrays_.size(); }
    /// The position of an array; where it is not waited for, that of one that is, or size().
    /// Complexity: logarithmic.
    [[nodiscard]] std::size_t position_of(ArrayId id) const {
        const auto at =
            std::lower_bound(arrays_.begin(), arrays_.end(), id,
                             [](const Array& one, ArrayId wanted) { return one.id < wanted; });
        return static_cast<std::size_t>(at - arrays_.begin());
    }
    /// The owners of the tasks, rising.
    [[nodiscard]] const std::vector<OwnerId>& tasks(std::size_t position) const {
        return arrays_[position].tasks;
    }
    /// Requires: the array is waited for.
    [[nodiscard]] const Outcome& outcome(ArrayId id, DependencyKind kind) {
        Array& one = arrays_[position_of(id)];
        std::optional<Outcome>& known = one.outcomes[static_cast<std::size_t>(kind)];
        if (known) return *known;
        known.emplace();
        known->has_bad_end = one.tasks.empty();  // it has gone
        for (const OwnerId owner : one.tasks) known->add(owner, jobs_.at(owner), kind);
        return *known;
    }

  private:
    struct Array {
        ArrayId id;
        std::vector<OwnerId> tasks;
        std::array<std::optional<Outcome>, enum_names(DependencyKind()).size()> outcomes;
    };

    const KnownJobs& jobs_;
    std::vector<Array> arrays_;  ///< by id
};

}  // namespace trestle::detail
