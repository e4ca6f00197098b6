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
#include "trestle/enforce/device/allow_list.hpp"
#include "trestle/enforce/device/device_kit.hpp"
#include "trestle/enforce/device/device_rules.hpp"
#include "trestle/enforce/group_name.hpp"
#include "trestle/enforce/limits.hpp"
#include "trestle/enforce/process/end_policy.hpp"
#include "trestle/enforce/process/environment.hpp"
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

    static constexpr auto fields(auto list) {
        return list(field("owner", &Plan::owner), field("group", &Plan::group),
                    field("steps", &Plan::steps), field("limits", &Plan::limits),
                    field("process", &Plan::process), field("devices", &Plan::devices),
                    field("shm_size", &Plan::shm_size), field("disk", &Plan::disk),
                    field("end", &Plan::end), field("folders", &Plan::folders));
    }
    friend bool operator==(const Plan&, const Plan&) = default;
};

/// What a plan needs beside placement and policy.
struct PlanOptions {
    std::string group = {};  ///< `job_42`; `job_42/step_0` below an existing group
    OwnerId owner = {};
    std::vector<EnvironmentVariable> environment = {};  ///< wins over the device kits' variables
    std::vector<ProcessLimit> limits = {};
    std::vector<DeviceKit> kits = standard_device_kits();
    DeviceRules pseudo_devices = trestle::pseudo_devices();
    EndPolicy end = {};  ///< without a time limit it gets the request's
    /// Absent: local when the plan has a device filter, global when devices are skipped.
    std::optional<DeviceNumbering> numbering = {};

    static constexpr auto fields(auto list) {
        return list(field("group", &PlanOptions::group), field("owner", &PlanOptions::owner),
                    field("environment", &PlanOptions::environment),
                    field("limits", &PlanOptions::limits), field("kits", &PlanOptions::kits),
                    field("pseudo_devices", &PlanOptions::pseudo_devices),
                    field("end", &PlanOptions::end), field("numbering", &PlanOptions::numbering));
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

/// Collects the steps of one group in the order in which they will run.
class StepList {
  public:
    explicit StepList(std::string group) : group_(std::move(group)) {}

    void enable(const std::string& resource, const std::string& controller, Requirement r) {
        steps_.push_back(
            {StepKind::enable_controller, r, resource, parent_group(group_), {}, controller, {}});
    }
    void make() {
        steps_.push_back({StepKind::make_group, Requirement::require, {}, group_, {}, {}, {}});
    }
    void write(const std::string& resource, std::pair<std::string, std::string> file_value,
               Requirement r) {
        steps_.push_back({StepKind::write_value,
                          r,
                          resource,
                          group_,
                          std::move(file_value.first),
                          std::move(file_value.second),
                          {}});
    }
    void filter(DeviceAllowList devices, Requirement r) {
        steps_.push_back({StepKind::load_filter, r, "devices", group_, {}, {}, std::move(devices)});
    }
    [[nodiscard]] std::vector<Step> take() && { return std::move(steps_); }

  private:
    std::string group_;
    std::vector<Step> steps_;
};

/// Quota and period in microseconds. A tenth of a second is the kernel's own period; a quota is at
/// least a millisecond, so that of less than a hundredth of a CPU is for a whole second.
[[nodiscard]] inline std::pair<std::int64_t, std::int64_t> cpu_quota(MilliCpu cpu) {
    const std::int64_t period_us = cpu < MilliCpu(10) ? 1'000'000 : 100'000;
    return {(cpu * (period_us / 1000)).value(), period_us};
}

/// `<quota> <period>`, as cpu.max takes it.
[[nodiscard]] inline std::string cpu_max_text(MilliCpu cpu) {
    const auto [quota, period] = cpu_quota(cpu);
    return std::to_string(quota) + " " + std::to_string(period);
}

/// Without a memory limit the controller is wanted all the same: it counts the use and its peak.
[[nodiscard]] inline std::vector<Step> steps_of(const std::string& group, const Limits& limits,
                                                const Requirements& required,
                                                DeviceAllowList devices) {
    StepList steps(group);
    if (!limits.cpus.is_empty() || !limits.mems.is_empty()) {
        steps.enable("cpu", "cpuset", required.cpu);
    }
    if (limits.cpu_max) steps.enable("cpu quota", "cpu", required.cpu);
    if (limits.memory_max) {
        steps.enable("memory", "memory", required.memory);
    } else if (required.memory != Requirement::skip) {
        steps.enable("memory usage", "memory", Requirement::best_effort);
    }
    if (limits.pids_max) steps.enable("pids", "pids", required.pids);
    steps.make();
    if (!limits.cpus.is_empty()) {
        steps.write("cpu", {"cpuset.cpus", to_cgroup_list(limits.cpus)}, required.cpu);
    }
    if (!limits.mems.is_empty()) {
        steps.write("cpu", {"cpuset.mems", to_cgroup_list(limits.mems)}, required.cpu);
    }
    if (limits.cpu_max) {
        steps.write("cpu quota", {"cpu.max", cpu_max_text(*limits.cpu_max)}, required.cpu);
    }
    const auto number = [](const auto& quantity) { return std::to_string(quantity.value()); };
    if (limits.memory_max) {
        steps.write("memory", {"memory.max", number(*limits.memory_max)}, required.memory);
    }
    if (limits.memory_high) {
        steps.write("memory", {"memory.high", number(*limits.memory_high)}, required.memory);
    }
    if (limits.swap_max) {
        steps.write("swap", {"memory.swap.max", number(*limits.swap_max)}, required.swap);
    }
    if (limits.is_oom_group) steps.write("memory", {"memory.oom.group", "1"}, required.memory);
    if (limits.pids_max) {
        steps.write("pids", {"pids.max", number(*limits.pids_max)}, required.pids);
    }
    if (required.devices != Requirement::skip) steps.filter(std::move(devices), required.devices);
    return std::move(steps).take();
}

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

[[nodiscard]] inline Status check_environment(const std::vector<EnvironmentVariable>& variables) {
    for (const auto& [name, value] : variables) {
        if (name.empty() || name.find('=') != std::string::npos ||
            name.find('\0') != std::string::npos) {
            return invalid_argument("environment: the name \"{}\" is empty or holds = or NUL",
                                    name.substr(0, name.find('\0')));
        }
        if (value.find('\0') != std::string::npos) {
            return invalid_argument("environment: the value of {} holds NUL", name);
        }
    }
    return {};
}

}  // namespace detail

/// The plan for one node's part of a placement: make the group, write the limits, load the filter.
/// Errors: InvalidArgument for a bad group name, a bad variable, a signal that does not exist, and
/// a placement that fits neither the node nor the request.
[[nodiscard]] inline StatusOr<Plan> plan(const Node& node, const NodePlacement& placement,
                                         const Request& request, const LimitPolicy& policy,
                                         const PlanOptions& options) {
    TRESTLE_TRY_STATUS(check_group_name(options.group));
    TRESTLE_TRY_STATUS(detail::check_environment(options.environment));
    TRESTLE_TRY_STATUS(check(options.end));
    TRESTLE_TRY_STATUS(check(*node.shape, placement));
    if (placement.total_memory().is_zero() && !request.memory.least().is_zero() &&
        !asked_memory(request, *node.shape, placement).is_zero()) {
        return invalid_argument("placement: it has no memory, the request asks for {}",
                                to_text(request.memory));
    }
    const bool is_filtered = policy.requirements.devices != Requirement::skip;
    const DeviceNumbering numbering =
        options.numbering.value_or(is_filtered ? DeviceNumbering::local : DeviceNumbering::global);

    const NodeShape& shape = *node.shape;
    Plan plan{options.owner, options.group, {}, limits_of(request, shape, placement, policy), {}};
    plan.steps =
        detail::steps_of(options.group, plan.limits, policy.requirements,
                         {options.pseudo_devices, allowed_files(shape, placement, options.kits)});
    plan.process = {plan.limits.cpus,
                    detail::environment_of(visibility(shape, placement, options.kits, numbering),
                                           options.environment),
                    options.limits};
    plan.devices = planned_devices(shape, placement, options.kits);
    plan.shm_size = request.shm_size;
    plan.disk = request.disk;
    plan.end = options.end;
    if (!plan.end.time_limit) plan.end.time_limit = request.time_limit;
    plan.folders = host_folders(shape, placement, options.kits);
    return plan;
}

/// What an enforcer does: one step a line, numbered from 1 as errors number them, then the process
/// settings, and how the job is ended where that is not the usual way.
[[nodiscard]] inline std::string to_text(const Plan& plan) {
    std::string text = fmt::format("plan {} for owner {}\n", plan.group, plan.owner.value());
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        text += fmt::format("{:3} {}\n", i + 1, to_text(plan.steps[i]));
    }
    if (!plan.process.affinity.is_empty()) {
        text += fmt::format("process affinity {}\n", to_text(plan.process.affinity));
    }
    for (const EnvironmentVariable& variable : plan.process.environment) {
        text += fmt::format("process environment {}={}\n", variable.name, variable.value);
    }
    for (const ProcessLimit& limit : plan.process.limits) {
        text += "process limit " + to_text(limit) + "\n";
    }
    if (plan.end != EndPolicy()) text += to_text(plan.end) + "\n";
    return text;
}

}  // namespace trestle
