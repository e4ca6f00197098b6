// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plan: what will be done to make a placement hold on one machine, as an ordered list of values.
//
// Layer: enforce. Main types: Plan, PlanOptions; plan() makes one. Pure: nothing is touched,
// so a plan can be printed, compared, stored and tested without privileges; an Enforcer applies it.
// A reader would get wrong: group names are relative to the directory that the enforcer was given,
// and a plan makes exactly one group, which must not exist yet, below groups that do.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/enforce/capabilities.hpp"
#include "trestle/enforce/device/device_kit.hpp"
#include "trestle/enforce/device/device_rules.hpp"
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
[[nodiscard]] Status check(const NodeShape& shape, const NodePlacement& placement);

namespace detail {

/// The kits' variables, then the caller's, which win.
[[nodiscard]] std::vector<EnvironmentVariable> environment_of(
    std::vector<EnvironmentVariable> environment, const std::vector<EnvironmentVariable>& wins);

/// Takes out the best-effort steps that the machine lacks something for, and says so; after the
/// first of a resource its other steps go too, as apply would have it.
/// Errors: FailedPrecondition for a required step.
[[nodiscard]] Status leave_out_what_lacks(const Capabilities& machine, Plan& plan);

/// How devices may be counted without knowing what apply will say: see PlanOptions::numbering.
[[nodiscard]] DeviceNumbering safe_numbering(const Plan& plan);

/// A partition that the policy wants and a placement without CPUs of its own cannot have.
[[nodiscard]] Status check_partition(const LimitPolicy& policy, Plan& plan);

}  // namespace detail

/// The policy that a mode becomes for this placement: see PlanOptions::memory_mode.
/// Requires: the placement fits the shape.
[[nodiscard]] MemoryPolicy memory_policy_of(const NodeShape& shape, const NodePlacement& placement,
                                            MemoryMode mode);

/// The plan for one node's part of a placement: make the group, write the limits, load the filter.
/// With options.capabilities, best-effort steps that the machine cannot do are left out and listed
/// in Plan::shortfalls; `limits` and the process settings stay as wanted.
/// Errors: InvalidArgument for a bad group name, a bad variable or another
/// bad setting of the processes, a policy that check() refuses, a
/// signal that does not exist, a placement that fits neither the node nor the request, and a
/// required partition without CPUs; FailedPrecondition for a required step that the machine cannot
/// do, naming resource and lack.
[[nodiscard]] StatusOr<Plan> plan(const Node& node, const NodePlacement& placement,
                                  const Request& request, const LimitPolicy& policy,
                                  const PlanOptions& options);

namespace detail {

[[nodiscard]] inline std::string shortfall_line(const Shortfall& shortfall) {
    return fmt::format("not enforced {}: {}", shortfall.step, shortfall.reason);
}

}  // namespace detail

/// What an enforcer does: one step a line, numbered from 1 as errors number them, then what the
/// machine lacks, the process settings, and how the job is ended where that is not the usual way.
[[nodiscard]] std::string to_text(const Plan& plan);

}  // namespace trestle
