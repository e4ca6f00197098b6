// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plan: what will be done to make a placement hold on one machine, as an ordered list of values.
//
// Layer: enforce. Main types: Plan, PlanOptions; plan() makes one. Pure: nothing is touched,
// so a plan can be printed, compared, stored and tested without privileges; an Enforcer applies it.
// A reader would get wrong: group names are relative to the directory that the enforcer was given,
// and a plan makes exactly one group, which must not exist yet, below groups that do.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/status.hpp"
#include "trestle/enforce/capabilities.hpp"
#include "trestle/enforce/detail/limit_steps.hpp"
#include "trestle/enforce/device/allow_list.hpp"
#include "trestle/enforce/device/device_kit.hpp"
#include "trestle/enforce/device/device_rules.hpp"
#include "trestle/enforce/group_name.hpp"
#include "trestle/enforce/limits.hpp"
#include "trestle/enforce/process/end_policy.hpp"
#include "trestle/enforce/process/environment.hpp"
#include "trestle/enforce/process/memory_policy.hpp"
#include "trestle/enforce/process/scratch.hpp"
#include "trestle/enforce/process/settings.hpp"
#include "trestle/enforce/step.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"
#include "trestle/set/text.hpp"

namespace trestle {

/// Steps in the order in which they are applied, and the settings of the processes started then.
/// Until the last step is done no process is inside, so no moment is looser than the plan.
struct Plan {
    OwnerId owner;
    std::string group;
    std::vector<Step> steps;
    Limits limits;
    ProcessSettings process;
    std::vector<PlannedDevice> devices = {};  ///< whose files the filter admits
    /// Asked of /dev/shm. Groups do not limit it; containers do (dialect/container).
    std::optional<Bytes> shm_size = {};
    Range<Bytes> disk = {};  ///< asked; no step limits it
    /// When and how the job is ended. No step does it: whoever runs the job keeps the time
    /// (os/time_keeper.hpp).
    EndPolicy end = {};
    /// Of the host, that programs of the devices use: containers bind them. They may not exist:
    /// os::with_device_numbers takes out those that do not.
    std::vector<std::string> folders = {};
    /// Best-effort steps that were left out because the machine lacks what they need
    /// (PlanOptions::capabilities), at most one for each resource.
    std::vector<Shortfall> shortfalls = {};

    static constexpr auto fields(auto list) {
        return list(field("owner", &Plan::owner), field("group", &Plan::group),
                    field("steps", &Plan::steps), field("limits", &Plan::limits),
                    field("process", &Plan::process), field("devices", &Plan::devices),
                    field("shm_size", &Plan::shm_size), field("disk", &Plan::disk),
                    field("end", &Plan::end), field("folders", &Plan::folders),
                    field("shortfalls", &Plan::shortfalls));
    }
    friend bool operator==(const Plan&, const Plan&) = default;
};

/// What a plan needs beside placement and policy.
struct PlanOptions {
    std::string group = {};  ///< `job_42`; `job_42/step_0` below an existing group
    OwnerId owner = {};
    /// Wins over the device kits' variables. `{"A", "b"}` is a secret: see environment.hpp.
    std::vector<EnvironmentVariable> environment = {};
    std::vector<ProcessLimit> limits = {};
    std::vector<DeviceKit> kits = standard_device_kits();
    DeviceRules pseudo_devices = trestle::pseudo_devices();
    EndPolicy end = {};  ///< without a time limit it gets the request's
    /// Absent: local when the plan has a device filter that it requires, global when it has none.
    /// One that is best effort may turn out to be a shortfall of apply, and a job that counts from
    /// 0 would then use somebody else's device: uuid_or_global. AMD's and NVIDIA's variables take
    /// UUIDs; Intel's and Neuron's only indexes, so that behind a filter that holds their programs
    /// may find no device. Who wants them to, plans once more with `local` when apply has reported
    /// no shortfall of devices, and spawns with that plan: its steps are the same. Containers have
    /// the granted devices only: local.
    std::optional<DeviceNumbering> numbering = {};
    /// What the machine offers. Absent: unknown, so every step is planned and apply finds out.
    std::optional<Capabilities> capabilities = {};
    std::optional<ProcessUser> user = {};     ///< absent: that of the embedder
    std::optional<int> nice = {};             ///< absent: unchanged
    std::optional<int> oom_score_adj = {};    ///< absent: unchanged
    std::optional<std::uint32_t> umask = {};  ///< absent: unchanged
    /// Absent: unchanged. The nodes are those near the cores, of which memory was granted; where
    /// that is none, those of which it was granted.
    std::optional<MemoryMode> memory_mode = {};
    std::optional<Scratch> scratch = {};  ///< absent: none. Its variables give way to environment

    static constexpr auto fields(auto list) {
        return list(
            field("group", &PlanOptions::group), field("owner", &PlanOptions::owner),
            field("environment", &PlanOptions::environment), field("limits", &PlanOptions::limits),
            field("kits", &PlanOptions::kits),
            field("pseudo_devices", &PlanOptions::pseudo_devices), field("end", &PlanOptions::end),
            field("numbering", &PlanOptions::numbering),
            field("capabilities", &PlanOptions::capabilities), field("user", &PlanOptions::user),
            field("nice", &PlanOptions::nice), field("oom_score_adj", &PlanOptions::oom_score_adj),
            field("umask", &PlanOptions::umask), field("memory_mode", &PlanOptions::memory_mode),
            field("scratch", &PlanOptions::scratch));
    }
    friend bool operator==(const PlanOptions&, const PlanOptions&) = default;
};

/// Ok when the placement has cores, or thousandths of CPUs, and takes nothing that the shape lacks.
/// Errors: InvalidArgument that names the first breach.
[[nodiscard]] inline Status check(const NodeShape& shape, const NodePlacement& placement) {
    const auto last_core = placement.cores.last();
    if (!last_core && placement.milli_cpus.is_zero()) {
        return invalid_argument("placement: it has no core, expected 1 or more");
    }
    if (last_core && last_core->value() >= shape.hardware.core_count()) {
        return invalid_argument("placement: core {} does not exist, expected 0-{}",
                                last_core->value(), shape.hardware.core_count() - 1);
    }
    for (const MemoryShare& share : placement.memory) {
        if (share.domain.value() >= shape.memory.size()) {
            return invalid_argument("placement: memory domain {} does not exist, the node has {}",
                                    share.domain.value(), shape.memory.size());
        }
    }
    for (const DeviceShare& share : placement.devices) {
        if (share.device.value() >= shape.devices.size()) {
            return invalid_argument("placement: device {} does not exist, the node has {}",
                                    share.device.value(), shape.devices.size());
        }
    }
    return {};
}

namespace detail {

/// The kits' variables, then the caller's, which win.
[[nodiscard]] inline std::vector<EnvironmentVariable> environment_of(
    std::vector<EnvironmentVariable> environment, const std::vector<EnvironmentVariable>& wins) {
    for (const EnvironmentVariable& variable : wins) {
        const auto at = std::find_if(
            environment.begin(), environment.end(),
            [&](const EnvironmentVariable& present) { return present.name == variable.name; });
        if (at == environment.end()) {
            environment.push_back(variable);
        } else {
            at->value = variable.value;
        }
    }
    return environment;
}

/// Takes out the best-effort steps that the machine lacks something for, and says so; after the
/// first of a resource its other steps go too, as apply would have it.
/// Errors: FailedPrecondition for a required step.
[[nodiscard]] inline Status leave_out_what_lacks(const Capabilities& machine, Plan& plan) {
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

/// How devices may be counted without knowing what apply will say: see PlanOptions::numbering.
[[nodiscard]] inline DeviceNumbering safe_numbering(const Plan& plan) {
    const Step* filter = filter_step_of(plan.steps);
    if (filter == nullptr) return DeviceNumbering::global;
    return filter->requirement == Requirement::require ? DeviceNumbering::local
                                                       : DeviceNumbering::uuid_or_global;
}

/// A partition that the policy wants and a placement without CPUs of its own cannot have.
[[nodiscard]] inline Status check_partition(const LimitPolicy& policy, Plan& plan) {
    const Requirements& required = policy.requirements;
    if (policy.partition == plan.limits.partition || required.partition == Requirement::skip) {
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

}  // namespace detail

/// The policy that a mode becomes for this placement: see PlanOptions::memory_mode.
/// Requires: the placement fits the shape.
[[nodiscard]] inline MemoryPolicy memory_policy_of(const NodeShape& shape,
                                                   const NodePlacement& placement,
                                                   MemoryMode mode) {
    MemoryPolicy policy{mode, {}};
    if (!has_nodes(mode)) return policy;
    SmallSet<OsIndex> granted;
    for (const MemoryShare& share : placement.memory) {
        granted.insert(detail::domain_of(shape, share).os_index);
    }
    for (const MemoryDomain& domain : shape.memory) {
        const bool is_near = is_ordinary(domain) && domain.cores.intersects(placement.cores);
        const bool is_granted = granted.is_empty() || granted.contains(domain.os_index);
        if (is_near && is_granted) policy.nodes.insert(domain.os_index);
    }
    if (policy.nodes.is_empty()) policy.nodes = granted;
    return policy;
}

/// The plan for one node's part of a placement: make the group, write the limits, load the filter.
/// With options.capabilities, best-effort steps that the machine cannot do are left out and listed
/// in Plan::shortfalls; `limits` and the process settings stay as wanted.
/// Errors: InvalidArgument for a bad group name, a bad variable or another
/// bad setting of the processes, a policy that check() refuses, a
/// signal that does not exist, a placement that fits neither the node nor the request, and a
/// required partition without CPUs; FailedPrecondition for a required step that the machine cannot
/// do, naming resource and lack.
[[nodiscard]] inline StatusOr<Plan> plan(const Node& node, const NodePlacement& placement,
                                         const Request& request, const LimitPolicy& policy,
                                         const PlanOptions& options) {
    TRESTLE_TRY_STATUS(check_group_name(options.group));
    TRESTLE_TRY_STATUS(with_context("policy", check(policy)));
    TRESTLE_TRY_STATUS(check(options.end));
    TRESTLE_TRY_STATUS(check(*node.shape, placement));
    if (placement.total_memory().is_zero() && !request.memory.least().is_zero() &&
        !asked_memory(request, *node.shape, placement).is_zero()) {
        return invalid_argument("placement: it has no memory, the request asks for {}",
                                to_text(request.memory));
    }
    const NodeShape& shape = *node.shape;
    Plan plan{options.owner, options.group, {}, limits_of(request, shape, placement, policy), {}};
    TRESTLE_TRY_STATUS(detail::check_partition(policy, plan));
    plan.steps =
        detail::steps_of({options.group, options.owner}, plan.limits, policy.requirements,
                         {options.pseudo_devices, allowed_files(shape, placement, options.kits)});
    std::optional<ScratchDirectory> scratch;
    if (options.scratch) {
        TRESTLE_TRY(scratch, scratch_directory(*options.scratch, options.group, options.user));
        plan.steps.push_back({StepKind::make_scratch,
                              Requirement::require,
                              "scratch",
                              options.group,
                              {},
                              {},
                              {},
                              *scratch});
    }
    if (options.capabilities) {
        TRESTLE_TRY_STATUS(detail::leave_out_what_lacks(*options.capabilities, plan));
    }
    const DeviceNumbering numbering = options.numbering.value_or(detail::safe_numbering(plan));
    auto variables = visibility(shape, placement, options.kits, numbering);
    if (scratch) {
        variables =
            detail::environment_of(variables, scratch_environment(*options.scratch, *scratch));
    }
    plan.process = {plan.limits.cpus,
                    detail::environment_of(std::move(variables), options.environment),
                    options.limits,
                    options.user,
                    options.nice,
                    options.oom_score_adj,
                    {},
                    options.umask};
    if (options.memory_mode) {
        plan.process.memory_policy = memory_policy_of(shape, placement, *options.memory_mode);
    }
    TRESTLE_TRY_STATUS(check(plan.process));
    plan.devices = planned_devices(shape, placement, options.kits);
    plan.shm_size = request.shm_size;
    plan.disk = request.disk;
    plan.end = options.end;
    if (!plan.end.time_limit) plan.end.time_limit = request.time_limit;
    plan.folders = host_folders(shape, placement, options.kits);
    return plan;
}

namespace detail {

[[nodiscard]] inline std::string shortfall_line(const Shortfall& shortfall) {
    return fmt::format("not enforced {}: {}", shortfall.step, shortfall.reason);
}

}  // namespace detail

/// What an enforcer does: one step a line, numbered from 1 as errors number them, then what the
/// machine lacks, the process settings, and how the job is ended where that is not the usual way.
[[nodiscard]] inline std::string to_text(const Plan& plan) {
    std::string text = fmt::format("plan {} for owner {}\n", plan.group, plan.owner.value());
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        text += fmt::format("{:3} {}\n", i + 1, to_text(plan.steps[i]));
    }
    for (const Shortfall& one : plan.shortfalls) text += detail::shortfall_line(one) + "\n";
    for (const std::string& line : settings_lines(plan.process)) text += line + "\n";
    if (plan.end != EndPolicy()) text += to_text(plan.end) + "\n";
    return text;
}

}  // namespace trestle
