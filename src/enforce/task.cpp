// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/task.hpp"

#include <optional>
#include <utility>

#include "enforce/detail/unset.hpp"
#include "enforce/process/environment_words.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

StatusOr<Plan> task_plan(Plan plan, const TaskSettings& task) {
    const auto outside = [](const auto& wanted, const auto& granted) {
        return granted.is_empty() ? std::nullopt : (wanted - granted).first();
    };
    if (const auto cpu = outside(task.cpus, plan.process.affinity)) {
        return invalid_argument("task: CPU {} is none of the plan's {}", cpu->value(),
                                to_text(plan.process.affinity));
    }
    if (!task.cpus.is_empty()) plan.process.affinity = task.cpus;
    if (task.memory_policy) {
        const SmallSet<OsIndex> mems = limits_of(plan).mems;
        if (const auto node = outside(task.memory_policy->nodes, mems)) {
            return invalid_argument("task: NUMA node {} is none of the plan's {}", node->value(),
                                    to_text(mems));
        }
        plan.process.memory_policy = task.memory_policy;
    }
    plan.process.environment =
        environment_of(std::move(plan.process.environment), task.environment);
    plan.behind_filter = environment_without(std::move(plan.behind_filter), {}, task.environment);
    plan.process.unset = still_unset(std::move(plan.process.unset), task.environment);
    take_out(task.unset, task.environment, plan);
    TRESTLE_TRY_STATUS(check(plan.process));
    return plan;
}

}  // namespace trestle
