// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plan: what will be done to make a placement hold on one machine, as an ordered list of values.
//
// Layer: enforce. Main types: Step, Plan, PlanOptions; plan() makes one. Pure: nothing is touched,
// so a plan can be printed, compared, stored and tested without privileges; an Enforcer applies it.
// A reader would get wrong: group names are relative to the directory that the enforcer was given,
// and a plan makes exactly one group, which must not exist yet, below groups that do.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"
#include "trestle/enforce/device_kit.hpp"
#include "trestle/enforce/device_rules.hpp"
#include "trestle/enforce/limits.hpp"
#include "trestle/enforce/process.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"
#include "trestle/set/text.hpp"

namespace trestle {

enum class StepKind {
    enable_controller,  ///< `value` names it; for the children of `group`
    make_group,         ///< `group` must not exist, its parent must
    write_value,        ///< `value` into `file` of `group`
    load_filter,        ///< `devices` for `group`; replaces nothing
};

constexpr auto enum_names(StepKind) {
    return std::array{named(StepKind::enable_controller, "enable_controller"),
                      named(StepKind::make_group, "make_group"),
                      named(StepKind::write_value, "write_value"),
                      named(StepKind::load_filter, "load_filter")};
}

/// One thing to do. Either it is done as a whole or it fails and has changed nothing.
struct Step {
    StepKind kind = StepKind::make_group;
    Requirement requirement = Requirement::require;  ///< never skip: what is skipped has no step
    std::string resource;  ///< `cpu`, `memory`, ... as in explain_limits; empty for make_group
    std::string group;     ///< relative to the enforcer's root; empty: the root itself
    std::string file;
    std::string value;
    DeviceAllowList devices;

    static constexpr auto fields() {
        return field_list(
            field("kind", &Step::kind), field("requirement", &Step::requirement),
            field("resource", &Step::resource), field("group", &Step::group),
            field("file", &Step::file), field("value", &Step::value),
            field("devices", &Step::devices));
    }
    friend bool operator==(const Step&, const Step&) = default;
};

/// Steps in the order in which they are applied, and the settings of the processes started then.
/// Until the last step is done no process is inside, so no moment is looser than the plan.
struct Plan {
    OwnerId owner;
    std::string group;
    std::vector<Step> steps;
    Limits limits;
    ProcessSettings process;

    static constexpr auto fields() {
        return field_list(field("owner", &Plan::owner), field("group", &Plan::group),
                          field("steps", &Plan::steps), field("limits", &Plan::limits),
                          field("process", &Plan::process));
    }
    friend bool operator==(const Plan&, const Plan&) = default;
};

/// What a plan needs beside placement and policy.
struct PlanOptions {
    std::string group;  ///< `job_42`; `job_42/step_0` below an existing group
    OwnerId owner;
    std::vector<EnvironmentVariable> environment;  ///< wins over the device kits' variables
    std::vector<ProcessLimit> limits;
    std::vector<DeviceKit> kits = standard_device_kits();
    DeviceRules pseudo_devices = trestle::pseudo_devices();
    /// Absent: local when the plan has a device filter, global when devices are skipped.
    std::optional<DeviceNumbering> numbering;

    static constexpr auto fields() {
        return field_list(field("group", &PlanOptions::group), field("owner", &PlanOptions::owner),
                          field("environment", &PlanOptions::environment),
                          field("limits", &PlanOptions::limits),
                          field("kits", &PlanOptions::kits),
                          field("pseudo_devices", &PlanOptions::pseudo_devices),
                          field("numbering", &PlanOptions::numbering));
    }
    friend bool operator==(const PlanOptions&, const PlanOptions&) = default;
};

/// Ok for a name that can be made below the enforcer's root: one to eight parts separated by `/`,
/// each of 1 to 255 bytes without control characters, not starting with a dot (so neither `.` nor
/// `..`) nor with the prefix of a kernel file (`memory.`, `cgroup.`), which the kernel would refuse
/// or, worse, add in a later version.
/// Errors: InvalidArgument that says which part and why.
[[nodiscard]] Status check_group_name(std::string_view group);

/// Ok when the placement has cores and takes nothing that the shape lacks.
/// Errors: InvalidArgument that names the first breach.
[[nodiscard]] Status check(const NodeShape& shape, const NodePlacement& placement);

/// The plan for one node's part of a placement: make the group, write the limits, load the filter.
/// Errors: InvalidArgument for a bad group name and a placement that does not fit the node.
[[nodiscard]] StatusOr<Plan> plan(const Node& node, const NodePlacement& placement,
                                  const Request& request, const LimitPolicy& policy,
                                  const PlanOptions& options);

/// One line: `write job_42/memory.max = 17179869184`, with ` (best effort)` where it may fail.
[[nodiscard]] std::string to_text(const Step& step);

/// One step a line, numbered from 1 as errors number them, then the process settings.
[[nodiscard]] std::string to_text(const Plan& plan);

}  // namespace trestle
