// SPDX-License-Identifier: Apache-2.0
#pragma once

// QueueFindings: what the conditions of each job of a queue say, and which jobs wait for which.
//
// Layer: alloc (detail). Main type: QueueFindings. A job that waits for a name waits for all of it
// in front, and one that waits for an array for all its tasks: behind the jobs the graph has a node
// for each job that leads to it and to the node of the one of its name before it, one for each
// array, and one for each of several dependencies of which one is enough.
// Pitfall: only what a job still waits for is a link. A job that can never start waits for none.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "alloc/schedule/detail/array_tasks.hpp"
#include "alloc/schedule/detail/condition_findings.hpp"
#include "alloc/schedule/detail/cycle.hpp"
#include "alloc/schedule/detail/known_jobs.hpp"
#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/alloc/schedule/start_conditions.hpp"
#include "trestle/base/ids.hpp"

namespace trestle::detail {

class QueueFindings {
  public:
    /// Complexity: linear in jobs and dependencies; n log n in tasks of arrays.
    QueueFindings(std::span<const QueuedJob> queue, const QueueState& state, const KnownJobs& jobs);

    /// What the dependencies of a job say together. Requires: it has such.
    [[nodiscard]] const Finding& operator[](std::size_t position) const {
        return findings_[position];
    }

    /// Ok without a cycle. Errors: InvalidArgument with the owners of one.
    [[nodiscard]] Status check_cycles() const;

    /// Finds those that wait in vain, for the questions below.
    void find_stuck();
    /// The job waits for one that waits for it, or for such; there is no other way.
    [[nodiscard]] bool is_stuck(std::size_t position) const {
        return !is_stuck_.empty() && is_stuck_[position];
    }
    [[nodiscard]] bool is_on_cycle(std::size_t position) const {
        return !cycle_of_.empty() && cycle_of_[position] != no_node;
    }
    /// Requires: is_on_cycle(position).
    [[nodiscard]] std::string words_of_cycle(std::size_t position) const;

  private:
    /// Of the jobs that go by one name.
    struct Namesakes {
        std::optional<OwnerId> running;   ///< the lowest
        std::optional<std::size_t> last;  ///< in the queue, of those looked at
    };

    [[nodiscard]] std::size_t name_node(std::size_t position) const {
        return queue_.size() + position;
    }
    [[nodiscard]] std::size_t array_node(ArrayId id) const {
        return 2 * queue_.size() + arrays_.position_of(id);
    }

    /// What the dependencies of a job say, and which jobs it waits for.
    void find_conditions(std::size_t position);
    [[nodiscard]] Outcome outcome_of(const Dependency& one);
    [[nodiscard]] Finding singleton_finding(const Dependency& singleton, const Namesakes& same,
                                            std::optional<std::size_t> before) const;
    /// Links of the job that each_ is about.
    void link(bool is_any_of, std::optional<std::size_t> before);
    void link(const Dependency& one, std::optional<std::size_t> before, Links& links) const;
    /// The nodes behind those of the jobs.
    void link_others();

    std::span<const QueuedJob> queue_;
    const KnownJobs& jobs_;
    ArrayTasks arrays_;
    std::unordered_map<std::string_view, Namesakes> namesakes_;
    std::vector<Finding> findings_;
    std::vector<Finding> each_;  ///< of the dependencies of one job
    std::vector<std::optional<std::size_t>> before_;
    Links links_;
    Links ways_;                   ///< of dependencies of which one is enough
    std::vector<bool> needs_one_;  ///< by node
    std::vector<bool> is_stuck_;   ///< by node; empty: none is
    std::vector<std::size_t> cycle_of_;
};

}  // namespace trestle::detail
