// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "../device_program.hpp"
#include "../enforcer_state.hpp"
#include "../group_values.hpp"
#include "label.hpp"

namespace trestle::os {

namespace {

using detail::GroupDirectory;

StatusOr<Readback> read_back(const GroupDirectory& group, const std::string& file) {
    static const Bytes page(std::max(1L, ::sysconf(_SC_PAGESIZE)));
    TRESTLE_TRY(std::string text, group.read(file));
    while (text.ends_with('\n')) text.pop_back();
    return Readback{std::move(text), page};
}

/// A missing file is drift, unless the whole group is missing.
StatusOr<std::optional<Drift>> value_drift(const GroupDirectory& group, const Step& step) {
    const auto written = read_back(group, step.file);
    if (written.status().code() == StatusCode::kNotFound && group.has("cgroup.procs")) {
        return std::optional(
            Drift{step.resource, step.file, step.value, "", "the kernel offers no such file here"});
    }
    TRESTLE_TRY_STATUS(written.status());
    if (auto drift = drift_of(step, *written)) return drift;
    if (step.file != "cpuset.cpus" && step.file != "cpuset.mems") return std::optional<Drift>();
    TRESTLE_TRY(const auto effective, read_back(group, step.file + ".effective"));
    return effective_drift_of(step, effective);
}

StatusOr<std::optional<Drift>> step_drift(const GroupDirectory& group, const Step& step) {
    switch (step.kind) {
        case StepKind::make_group:
            return std::optional<Drift>();
        case StepKind::write_value:
            return value_drift(group, step);
        case StepKind::load_filter:
            return detail::filter_drift(group, step.devices);
        case StepKind::label_group: {
            const auto owner = detail::read_label(group);
            if (owner == trestle::detail::owner_of_label(step.value)) return std::optional<Drift>();
            return std::optional(Drift{step.resource, "user.trestle.owner", step.value,
                                       owner ? std::to_string(owner->value()) : "",
                                       "the label is not the plan's"});
        }
        case StepKind::enable_controller:
            break;
    }
    TRESTLE_TRY(const auto enabled, detail::words_in(group, "cgroup.subtree_control"));
    if (std::find(enabled.begin(), enabled.end(), step.value) != enabled.end()) {
        return std::optional<Drift>();
    }
    return std::optional(Drift{step.resource, "cgroup.subtree_control", step.value, "",
                               "the controller is not enabled"});
}

/// True when a later step writes the same file: only the last one can be in force.
bool is_overwritten(const std::vector<Step>& steps, std::size_t i) {
    return std::any_of(
        steps.begin() + static_cast<std::ptrdiff_t>(i) + 1, steps.end(), [&](const Step& later) {
            return later.kind == steps[i].kind && later.group == steps[i].group &&
                   later.file == steps[i].file && later.kind != StepKind::enable_controller;
        });
}

}  // namespace

StatusOr<std::vector<Drift>> CgroupEnforcer::verify(const Plan& plan) {
    TRESTLE_TRY_STATUS(state_->tree.open(plan.group));
    std::vector<Drift> drifts;
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const Step& step = plan.steps[i];
        if (is_overwritten(plan.steps, i)) continue;
        TRESTLE_TRY(const auto group, state_->tree.open(step.group));
        TRESTLE_TRY(auto drift, step_drift(group, step));
        if (drift) drifts.push_back(*std::move(drift));
    }
    return drifts;
}

}  // namespace trestle::os
