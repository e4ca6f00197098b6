// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "../devices/device_files.hpp"
#include "../devices/device_program.hpp"
#include "../enforcer_state.hpp"
#include "../group/values.hpp"
#include "enforce/detail/readback.hpp"
#include "enforce/detail/step_parts.hpp"
#include "enforce/device/resolved_rules.hpp"
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
StatusOr<std::optional<Drift>> limit_drift(const GroupDirectory& group, const Step& step) {
    const Limit& limit = *limit_of(step);
    const std::string file = file_of(limit);
    const auto written = read_back(group, file);
    if (written.status().code() == StatusCode::kNotFound && group.has("cgroup.procs")) {
        return std::optional(Drift{step.resource, file, file_value(limit), "",
                                   "the kernel offers no such file here"});
    }
    TRESTLE_TRY_STATUS(written.status());
    if (auto drift = drift_of(step, *written)) return drift;
    const bool has_effective =
        std::holds_alternative<CpusLimit>(limit) || std::holds_alternative<MemsLimit>(limit);
    if (!has_effective) return std::optional<Drift>();
    TRESTLE_TRY(const auto effective, read_back(group, file + ".effective"));
    return effective_drift_of(step, effective);
}

/// The tag of the program that the list makes now: files are looked up again.
StatusOr<std::string> wanted_tag(Kernel& kernel, const DeviceAllowList& list) {
    TRESTLE_TRY(const auto present, detail::resolve_device_numbers(list, kernel));
    TRESTLE_TRY(const auto rules, resolved_rules(present));
    TRESTLE_TRY(const auto program, compile_filter(rules));
    return detail::filter_tag(kernel, program);
}

/// The kernel compares: the list is loaded once more, because the tag of a program is not the same
/// digest on all kernels (SHA-1 before 6.18). To look takes more rights than a delegated group has.
StatusOr<std::optional<Drift>> filter_drift(const GroupDirectory& group, const Step& step) {
    Drift drift{step.resource, "device filter", "the plan's", "unknown", ""};
    const auto wanted = wanted_tag(group.kernel(), action_of<Step::LoadFilter>(step)->devices);
    const auto own = detail::own_filter(group);
    if (!own.ok() && !group.has("cgroup.procs")) return not_found("{}: it has gone", group.path());
    if (!wanted.ok() || !own.ok()) {
        drift.why = std::string(message(own.ok() ? wanted.status() : own.status()));
        return std::optional(std::move(drift));
    }
    if (*own && (*own)->tag == *wanted) return std::optional<Drift>();
    drift.expected = "program " + *wanted;
    drift.found = *own ? "program " + (*own)->tag : "";
    drift.why = *own ? "it decides otherwise: it was replaced, or devices have other numbers now"
                     : "it was detached: what the groups above allow can be opened";
    return std::optional(std::move(drift));
}

StatusOr<std::optional<Drift>> step_drift(const GroupDirectory& group, const Step& step) {
    if (limit_of(step) != nullptr) return limit_drift(group, step);
    if (action_of<Step::LoadFilter>(step) != nullptr) return filter_drift(group, step);
    if (const auto* label = action_of<Step::LabelGroup>(step)) {
        const auto owner = detail::read_label(group);
        if (owner == label->owner) return std::optional<Drift>();
        return std::optional(
            Drift{step.resource, "user.trestle.owner", std::to_string(label->owner.value()),
                  owner ? std::to_string(owner->value()) : "", "the label is not the plan's"});
    }
    const auto* enable = action_of<Step::EnableController>(step);
    if (enable == nullptr)
        return std::optional<Drift>();  // a job does with its scratch as it likes
    TRESTLE_TRY(const auto enabled, detail::words_in(group, "cgroup.subtree_control"));
    if (std::find(enabled.begin(), enabled.end(), enable->controller) != enabled.end()) {
        return std::optional<Drift>();
    }
    return std::optional(Drift{step.resource, "cgroup.subtree_control", enable->controller, "",
                               "the controller is not enabled"});
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
