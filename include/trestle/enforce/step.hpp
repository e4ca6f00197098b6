// SPDX-License-Identifier: Apache-2.0
#pragma once

// Step: one thing that an enforcer does, as a value.
//
// Layer: enforce. Main types: Step, StepKind, Shortfall; filter_step_of finds the filter. A plan is
// a list of them; see plan.hpp. A reader would get wrong: group names are relative to the directory
// that the enforcer was given.

#include <array>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/enforce/device/allow_list.hpp"
#include "trestle/enforce/limits/requirements.hpp"
#include "trestle/enforce/process/scratch.hpp"

namespace trestle {

/// What a step of a plan does.
enum class StepKind {
    enable_controller,  ///< `value` names it; for the children of `group`
    make_group,         ///< `group` must not exist, its parent must
    label_group,        ///< `value`, the number of the owner, on `group` for who finds it later
    write_value,        ///< `value` into `file` of `group`
    load_filter,        ///< `devices` for `group`, at once instead of the filter that it has
    freeze,             ///< every process of `group` stands still until thaw
    thaw,
    make_scratch,  ///< `scratch` for `group`; it must not exist
};

constexpr auto enum_names(StepKind) {
    using enum StepKind;
    return std::array{named(enable_controller, "enable_controller"),
                      named(make_group, "make_group"),
                      named(label_group, "label_group"),
                      named(write_value, "write_value"),
                      named(load_filter, "load_filter"),
                      named(freeze, "freeze"),
                      named(thaw, "thaw"),
                      named(make_scratch, "make_scratch")};
}

/// One thing to do. Either it is done as a whole, or it fails and has changed nothing.
struct Step {
    StepKind kind = StepKind::make_group;
    Requirement requirement = Requirement::require;  ///< never skip: what is skipped has no step
    std::string resource;  ///< `cpu`, `memory`, ... as in explain_limits; empty for make_group
    std::string group;     ///< relative to the enforcer's root; empty: the root itself
    std::string file;
    std::string value;  ///< empty: nothing, which makes a CPU list its parent's
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

/// The step of a kind that counts: one done later replaces those before. Null: there is none.
[[nodiscard]] const Step* last_step_of(const std::vector<Step>& steps, StepKind kind);

/// The step whose filter counts; null: there is none.
[[nodiscard]] inline const Step* filter_step_of(const std::vector<Step>& steps) {
    return last_step_of(steps, StepKind::load_filter);
}

namespace detail {

[[nodiscard]] std::string admitted_text(const DeviceAllowList& devices);

}  // namespace detail

/// One line: `write job_42/memory.max = 17179869184`, with ` (best effort)` where it may fail.
[[nodiscard]] std::string to_text(const Step& step);

/// Something of the plan that this machine does not enforce, and why.
struct Shortfall {
    std::string resource;
    std::string step;    ///< as printed
    std::string reason;  ///< one line

    static constexpr auto fields(auto list) {
        return list(field("resource", &Shortfall::resource), field("step", &Shortfall::step),
                    field("reason", &Shortfall::reason));
    }
    friend bool operator==(const Shortfall&, const Shortfall&) = default;
};

}  // namespace trestle
