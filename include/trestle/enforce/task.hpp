// SPDX-License-Identifier: Apache-2.0
#pragma once

// TaskSettings: what one task of a job has of its own.
//
// Layer: enforce. Main type: TaskSettings; task_plan() is the plan to spawn it with.
// Pitfall: the group is the job's. Of its CPUs a task is bound to some, which it can undo; to hold
// it there, give it a group of its own.

#include <optional>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/process/environment.hpp"
#include "trestle/enforce/process/memory_policy.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// What one task of a job has of its own.
struct TaskSettings {
    PuSet cpus;                                         ///< empty: those of the plan
    std::optional<MemoryPolicy> memory_policy = {};     ///< absent: that of the plan
    std::vector<EnvironmentVariable> environment = {};  ///< wins over the plan's
    /// Names of variables that the task does not get, beside those of the plan that its environment
    /// does not set. An example is the list of cards of a job, for a task without one.
    std::vector<std::string> unset = {};

    static constexpr auto fields(auto list) {
        return list(field("cpus", &TaskSettings::cpus),
                    field("memory_policy", &TaskSettings::memory_policy),
                    field("environment", &TaskSettings::environment),
                    field("unset", &TaskSettings::unset));
    }
    friend bool operator==(const TaskSettings&, const TaskSettings&) = default;
};

/// The plan with the settings of one task: apply the job's plan once, and spawn each task with its
/// own. Errors: InvalidArgument for a CPU or NUMA node that is none of the plan's, and for bad
/// variables.
[[nodiscard]] StatusOr<Plan> task_plan(Plan plan, const TaskSettings& task);

}  // namespace trestle
