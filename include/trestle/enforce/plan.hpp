// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plan: what will be done to make a placement hold on one machine, as an ordered list of values.
//
// Layer: enforce. Main types: Plan, PlanOptions; plan() makes one. Pure: nothing is touched,
// so a plan can be printed, compared, stored and tested without privileges; an Enforcer applies it.
// Pitfall: group names are relative to the directory that the enforcer was given. A plan makes
// exactly one group, which must not exist yet, below groups that do.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/enforce/capabilities.hpp"
#include "trestle/enforce/device/device_rules.hpp"
#include "trestle/enforce/device/vendor_profile.hpp"
#include "trestle/enforce/limits/limits.hpp"
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
    ProcessSettings process;
    /// Variables of process.environment that differ where the device filter hides all other
    /// devices, as they are there: indexes counted from 0. Empty without a filter. Enforcer::spawn
    /// decides which hold, and so do documents for Docker, OCI and Kubernetes. Shell scripts, which
    /// load no filter, and units, whose filter systemd may skip, have those of process.environment.
    std::vector<EnvironmentVariable> behind_filter = {};
    std::vector<PlannedDevice> devices = {};  ///< whose files the filter admits
    /// Asked of /dev/shm. Groups do not limit it; containers do (dialect/container).
    std::optional<Bytes> shm_size = {};
    Range<Bytes> disk = {};  ///< asked; no step limits it
    /// When and how the job is ended. No step does it: the supervisor of the job keeps the time
    /// (os/supervisor.hpp).
    EndPolicy end = {};
    /// Of the host, that programs of the devices use: containers bind them. They may not exist:
    /// os::with_device_numbers takes out those that do not.
    std::vector<std::string> folders = {};
    /// Best-effort steps that were left out because the machine lacks what they need
    /// (PlanOptions::capabilities), at most one for each resource.
    std::vector<Shortfall> shortfalls = {};

    static constexpr auto fields(auto list) {
        return list(field("owner", &Plan::owner), field("group", &Plan::group),
                    field("steps", &Plan::steps), field("process", &Plan::process),
                    field("behind_filter", &Plan::behind_filter), field("devices", &Plan::devices),
                    field("shm_size", &Plan::shm_size), field("disk", &Plan::disk),
                    field("end", &Plan::end), field("folders", &Plan::folders),
                    field("shortfalls", &Plan::shortfalls));
    }
    friend bool operator==(const Plan&, const Plan&) = default;
};

/// What the plan limits its group to: what its steps write.
[[nodiscard]] inline Limits limits_of(const Plan& plan) {
    return limits_of(plan.steps, plan.group);
}

/// The plan for processes behind its device filter, which holds: see Plan::behind_filter.
[[nodiscard]] Plan with_filter_in_force(Plan plan);

/// What a plan needs beside placement and policy.
struct PlanOptions {
    std::string group = {};  ///< `job_42`; `job_42/step_0` below an existing group
    OwnerId owner = {};
    /// Wins over the vendor profiles' variables. `{"A", "b"}` is a secret: see environment.hpp.
    std::vector<EnvironmentVariable> environment = {};
    std::vector<ProcessSettings::Limit> limits = {};
    std::vector<VendorProfile> profiles = standard_vendor_profiles();
    DeviceRules pseudo_devices = trestle::pseudo_devices();
    EndPolicy end = {};  ///< without a time limit it gets the request's
    /// What the machine offers. Absent: unknown, so every step is planned and apply finds out.
    std::optional<Capabilities> capabilities = {};
    std::optional<ProcessUser> user = {};     ///< absent: that of the embedder
    std::optional<int> nice = {};             ///< absent: unchanged
    std::optional<int> oom_score_adj = {};    ///< absent: unchanged
    std::optional<std::uint32_t> umask = {};  ///< absent: unchanged
    /// Absent: unchanged. The nodes are those near the cores, of which memory was granted; where
    /// that is none, those of which it was granted.
    std::optional<MemoryPolicy::Mode> memory_mode = {};
    std::optional<Scratch> scratch = {};  ///< absent: none. environment overrides its variables
    /// Names of variables that the processes do not get, beside those of vendor profiles without a
    /// device in the placement. A list of cards that the embedder has is not the job's.
    std::vector<std::string> unset = {};

    static constexpr auto fields(auto list) {
        return list(
            field("group", &PlanOptions::group), field("owner", &PlanOptions::owner),
            field("environment", &PlanOptions::environment), field("limits", &PlanOptions::limits),
            field("profiles", &PlanOptions::profiles),
            field("pseudo_devices", &PlanOptions::pseudo_devices), field("end", &PlanOptions::end),
            field("capabilities", &PlanOptions::capabilities), field("user", &PlanOptions::user),
            field("nice", &PlanOptions::nice), field("oom_score_adj", &PlanOptions::oom_score_adj),
            field("umask", &PlanOptions::umask), field("memory_mode", &PlanOptions::memory_mode),
            field("scratch", &PlanOptions::scratch), field("unset", &PlanOptions::unset));
    }
    friend bool operator==(const PlanOptions&, const PlanOptions&) = default;
};

/// The policy that a mode becomes for this placement: see PlanOptions::memory_mode.
/// Requires: the placement fits the shape.
[[nodiscard]] MemoryPolicy memory_policy_of(const NodeShape& shape, const NodePlacement& placement,
                                            MemoryPolicy::Mode mode);

/// The plan for one node's part of a placement: make the group, write the limits, load the filter.
/// With options.capabilities, best-effort steps that the machine cannot do are left out and listed
/// in Plan::shortfalls; the process settings stay as requested.
/// Errors: InvalidArgument for a bad group name, variable or other setting of the processes, and a
/// policy that check() rejects. The same for a signal that does not exist and a placement that does
/// not fit the node or the request. Also for a required partition without CPUs. FailedPrecondition
/// for a required step that the machine cannot do, naming the resource and what is missing.
[[nodiscard]] StatusOr<Plan> plan(const Node& node, const NodePlacement& placement,
                                  const Request& request, const LimitPolicy& policy,
                                  const PlanOptions& options);

/// What an enforcer does: one step a line, numbered from 1 as in errors. Then what the machine
/// lacks, the process settings, and how the job ends, if that is not the default.
[[nodiscard]] std::string to_text(const Plan& plan);

}  // namespace trestle
