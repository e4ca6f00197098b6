// SPDX-License-Identifier: Apache-2.0
#pragma once

// Step: one thing that an enforcer does, as a value.
//
// Layer: enforce. Main types: Step, StepKind. A plan is a list of them; see plan.hpp.
// A reader would get wrong: group names are relative to the directory that the enforcer was given.

#include <array>
#include <string>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/enforce/device/allow_list.hpp"
#include "trestle/enforce/limits.hpp"
#include "trestle/enforce/process/scratch.hpp"

namespace trestle {

/// What a step of a plan does.
enum class StepKind {
    enable_controller,  ///< `value` names it; for the children of `group`
    make_group,         ///< `group` must not exist, its parent must
    write_value,        ///< `value` into `file` of `group`
    load_filter,        ///< `devices` for `group`, which has no filter yet
    make_scratch,       ///< `scratch` for `group`; it must not exist
};

constexpr auto enum_names(StepKind) {
    using enum StepKind;
    return std::array{named(enable_controller, "enable_controller"),
                      named(make_group, "make_group"), named(write_value, "write_value"),
                      named(load_filter, "load_filter"), named(make_scratch, "make_scratch")};
}

/// One thing to do. Either it is done as a whole, or it fails and has changed nothing.
struct Step {
    StepKind kind = StepKind::make_group;
    Requirement requirement = Requirement::require;  ///< never skip: what is skipped has no step
    std::string resource;  ///< `cpu`, `memory`, ... as in explain_limits; empty for make_group
    std::string group;     ///< relative to the enforcer's root; empty: the root itself
    std::string file;
    std::string value;
    DeviceAllowList devices;
    ScratchDirectory scratch = {};

    static constexpr auto fields(auto list) {
        return list(field("kind", &Step::kind), field("requirement", &Step::requirement),
                    field("resource", &Step::resource), field("group", &Step::group),
                    field("file", &Step::file), field("value", &Step::value),
                    field("devices", &Step::devices), field("scratch", &Step::scratch));
    }
    friend bool operator==(const Step&, const Step&) = default;
};

/// One line: `write job_42/memory.max = 17179869184`, with ` (best effort)` where it may fail.
[[nodiscard]] inline std::string to_text(const Step& step) {
    std::string line;
    switch (step.kind) {
        case StepKind::enable_controller:
            line = "enable " + step.value + " below /" + step.group;
            break;
        case StepKind::make_group:
            line = "make group " + step.group;
            break;
        case StepKind::write_value:
            line = "write " + step.group + "/" + step.file + " = " + step.value;
            break;
        case StepKind::load_filter: {
            line = "filter devices of " + step.group + ": ";
            const char* separator = "";
            for (const DeviceRule& rule : step.devices.rules.rules) {
                line += separator + to_text(rule);
                separator = ", ";
            }
            for (const AllowedFile& file : step.devices.files) {
                line += separator + to_text(file);
                separator = ", ";
            }
            if (*separator == '\0') line += "none";
            break;
        }
        case StepKind::make_scratch:
            line = "make scratch " + to_text(step.scratch) + " for " + step.group;
            break;
    }
    return step.requirement == Requirement::best_effort ? line + " (best effort)" : line;
}

}  // namespace trestle
