// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/plan.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "enforce/detail/lack_of.hpp"
#include "enforce/detail/limit_steps.hpp"
#include "enforce/detail/plan_lines.hpp"
#include "enforce/detail/step_parts.hpp"
#include "enforce/detail/unset.hpp"
#include "enforce/device/apply_profiles.hpp"
#include "enforce/device/taken.hpp"
#include "enforce/process/environment_words.hpp"
#include "enforce/process/memory_mode.hpp"
#include "enforce/process/scratch_names.hpp"
#include "enforce/process/settings_lines.hpp"
#include "trestle/base/status.hpp"
#include "trestle/enforce/group_name.hpp"

namespace trestle {

namespace {

/// Takes out the best-effort steps that the machine lacks something for, and says so. After the
/// first of a resource its other steps go too, as apply would have it.
/// Errors: FailedPrecondition for a required step.
Status drop_unsupported_steps(const Capabilities& machine, Plan& plan) {
    std::vector<Step> kept;
    for (Step& step : plan.steps) {
        const auto is_given_up =
            std::any_of(plan.shortfalls.begin(), plan.shortfalls.end(),
                        [&](const Shortfall& one) { return one.resource == step.resource; });
        if (is_given_up) continue;
        std::string lack = lack_of(step, machine);
        if (lack.empty()) {
            kept.push_back(std::move(step));
        } else if (step.requirement == Requirement::best_effort) {
            plan.shortfalls.push_back({step.resource, to_text(step), std::move(lack)});
        } else {
            return failed_precondition("{}: {}; required for: {}", step.resource, lack,
                                       to_text(step));
        }
    }
    plan.steps = std::move(kept);
    return {};
}

/// A partition that the policy wants and a placement without CPUs of its own cannot have.
Status check_partition(const LimitPolicy& policy, const Limits& limits, Plan& plan) {
    const Requirements& required = policy.requirements;
    if (policy.partition == limits.partition || required.partition == Requirement::skip) {
        return {};
    }
    constexpr const char* reason = "the group has no CPUs of its own, expected cores only";
    if (required.partition == Requirement::require) {
        return invalid_argument("partition: {}: {}", to_text(policy.partition), reason);
    }
    plan.shortfalls.push_back({"partition",
                               fmt::format("write {}/cpuset.cpus.partition = {} (best effort)",
                                           plan.group, to_text(policy.partition)),
                               reason});
    return {};
}

}  // namespace

MemoryPolicy memory_policy_of(const NodeShape& shape, const NodePlacement& placement,
                              MemoryPolicy::Mode mode) {
    MemoryPolicy policy{mode, {}};
    if (!has_nodes(mode)) return policy;
    SmallSet<OsIndex> granted;
    for (const MemoryShare& share : placement.memory) {
        granted.insert(detail::domain_of(shape, share).os_index);
    }
    for (const MemoryDomain& domain : shape.memory) {
        const bool is_near = domain.is_ordinary() && domain.cores.intersects(placement.cores);
        const bool is_granted = granted.is_empty() || granted.contains(domain.os_index);
        if (is_near && is_granted) policy.nodes.insert(domain.os_index);
    }
    if (policy.nodes.is_empty()) policy.nodes = granted;
    return policy;
}

StatusOr<Plan> plan(const Node& node, const NodePlacement& placement, const Request& request,
                    const LimitPolicy& policy, const PlanOptions& options) {
    TRESTLE_TRY_STATUS(check_group_name(options.group));
    TRESTLE_TRY_STATUS(with_context("policy", check(policy)));
    TRESTLE_TRY_STATUS(check(options.end));
    if (placement.cores.is_empty() && placement.milli_cpus.is_zero()) {
        return invalid_argument("placement: it has no core, expected 1 or more");
    }
    TRESTLE_TRY_STATUS(with_context("placement", check(*node.shape, placement)));
    if (placement.total_memory().is_zero() && !request.memory.least().is_zero() &&
        !asked_memory(request, *node.shape, placement).is_zero()) {
        return invalid_argument("placement: it has no memory, the request asks for {}",
                                to_text(request.memory));
    }
    const NodeShape& shape = *node.shape;
    const Limits limits = limits_of(request, shape, placement, policy);
    Plan plan{options.owner, options.group, {}, {}};
    TRESTLE_TRY_STATUS(check_partition(policy, limits, plan));
    plan.steps = detail::steps_of(
        {options.group, options.owner}, limits, policy.requirements,
        {options.pseudo_devices, allowed_files(shape, placement, options.profiles)});
    std::optional<Scratch::Directory> scratch;
    if (options.scratch) {
        TRESTLE_TRY(scratch, scratch_directory(*options.scratch, options.group, options.user));
        plan.steps.push_back(
            {Step::MakeScratch{*scratch}, Requirement::require, "scratch", options.group});
    }
    if (options.capabilities) {
        TRESTLE_TRY_STATUS(drop_unsupported_steps(*options.capabilities, plan));
    }
    std::vector<EnvironmentVariable> wins;
    if (scratch) wins = scratch_environment(*options.scratch, *scratch);
    wins = environment_of(std::move(wins), options.environment);
    // Right whether a filter holds or not.
    const auto variables =
        visibility(shape, placement, options.profiles, VendorProfile::Numbering::uuid_or_global);
    if (filter_step_of(plan.steps) != nullptr) {
        plan.behind_filter = environment_without(
            visibility(shape, placement, options.profiles, VendorProfile::Numbering::local),
            variables, wins);
    }
    plan.process = {limits.cpus,
                    environment_of(variables, wins),
                    options.limits,
                    options.user,
                    options.nice,
                    options.oom_score_adj,
                    {},
                    options.umask};
    add_unset(options, plan);
    if (options.memory_mode) {
        plan.process.memory_policy = memory_policy_of(shape, placement, *options.memory_mode);
    }
    TRESTLE_TRY_STATUS(check(plan.process));
    plan.devices = planned_devices(shape, placement, options.profiles);
    plan.shm_size = request.shm_size;
    plan.disk = request.disk;
    plan.end = options.end;
    if (!plan.end.time_limit) plan.end.time_limit = request.time_limit;
    plan.folders = host_folders(shape, placement, options.profiles);
    return plan;
}

std::string shortfall_line(const Shortfall& shortfall) {
    return fmt::format("not enforced {}: {}", shortfall.step, shortfall.reason);
}

std::string behind_filter_line(const EnvironmentVariable& variable) {
    return fmt::format("behind the device filter {}={}", variable.name, variable.value);
}

Plan with_filter_in_force(Plan plan) {
    plan.process.environment =
        environment_of(std::move(plan.process.environment), plan.behind_filter);
    plan.behind_filter.clear();
    return plan;
}

std::string to_text(const Plan& plan) {
    std::string text = fmt::format("plan {} for owner {}\n", plan.group, plan.owner.value());
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        text += fmt::format("{:3} {}\n", i + 1, to_text(plan.steps[i]));
    }
    for (const Shortfall& one : plan.shortfalls) text += shortfall_line(one) + "\n";
    for (const std::string& line : settings_lines(plan.process)) text += line + "\n";
    for (const EnvironmentVariable& one : plan.behind_filter) {
        text += behind_filter_line(one) + "\n";
    }
    if (plan.end != EndPolicy()) text += to_text(plan.end) + "\n";
    return text;
}

}  // namespace trestle
