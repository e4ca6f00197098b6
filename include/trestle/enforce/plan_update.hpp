// SPDX-License-Identifier: Apache-2.0
#pragma once

// plan_update: the steps from one plan to another of the same group, while its processes run.
//
// Layer: enforce. Main types: PlanUpdate, UpdateStep; plan_update makes one, steps_back takes it
// back. Pure.
// A reader would get wrong: no moment is looser than both plans, in all respects at once. A group
// that gives up two GPUs and gets more memory has the memory only when the GPUs are gone, and does
// not get it where they could not be taken (Enforcer::update).

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/base/contract.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/enforce/detail/file_order.hpp"
#include "trestle/enforce/detail/kept_parts.hpp"
#include "trestle/enforce/device/common_devices.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/plan_diff.hpp"
#include "trestle/enforce/step.hpp"

namespace trestle {

/// What a step of an update does to what the processes may do.
enum class UpdateEffect {
    none,      ///< nothing: controllers are enabled, processes stand still or go on
    tightens,  ///< less than before
    moves,     ///< something else: two sets of CPUs have nothing in common
    loosens,   ///< more than before
};

constexpr auto enum_names(UpdateEffect) {
    using enum UpdateEffect;
    return std::array{named(none, "none"), named(tightens, "tightens"), named(moves, "moves"),
                      named(loosens, "loosens")};
}

/// One step of an update, and the step that takes it back, when there is anything to take back:
/// a controller that was enabled stays so.
struct UpdateStep {
    Step step;
    std::optional<Step> inverse;
    UpdateEffect effect = UpdateEffect::none;

    static constexpr auto fields(auto list) {
        return list(field("step", &UpdateStep::step), field("inverse", &UpdateStep::inverse),
                    field("effect", &UpdateStep::effect));
    }
    friend bool operator==(const UpdateStep&, const UpdateStep&) = default;
};

/// What leads from one plan to another.
struct PlanUpdate {
    OwnerId owner;
    std::string group;
    std::vector<UpdateStep> steps;
    /// Process settings that differ, as plan_diff() prints them. Running processes keep theirs (the
    /// kernel moves them to CPUs that they may still use); new ones have the new ones.
    std::vector<std::string> for_new_processes;
    /// What differs and no step does, as plan_diff() prints it: how the job is ended, which whoever
    /// keeps its time has to be told; what containers are given; controllers that stay enabled.
    std::vector<std::string> besides = {};

    static constexpr auto fields(auto list) {
        return list(field("owner", &PlanUpdate::owner), field("group", &PlanUpdate::group),
                    field("steps", &PlanUpdate::steps),
                    field("for_new_processes", &PlanUpdate::for_new_processes),
                    field("besides", &PlanUpdate::besides));
    }
    friend bool operator==(const PlanUpdate&, const PlanUpdate&) = default;
};

/// One step a line, numbered from 1, with what takes it back; then what holds for new processes,
/// and what differs besides.
[[nodiscard]] inline std::string to_text(const PlanUpdate& update) {
    std::string text;
    for (std::size_t i = 0; i < update.steps.size(); ++i) {
        const Step& step = update.steps[i].step;
        const auto& inverse = update.steps[i].inverse;
        text += fmt::format("{:3} {}\n", i + 1, to_text(step));
        if (inverse) text += fmt::format("    back: {}\n", to_text(*inverse));
    }
    for (const std::string& line : update.for_new_processes) {
        text += fmt::format("for new processes {}\n", line);
    }
    for (const std::string& line : update.besides) text += fmt::format("besides {}\n", line);
    return text;
}

/// The steps that take back the first `done` steps of the update, in order. Each of them leads
/// to a state that was there on the way, so no moment of the way back is looser either.
/// Requires: done <= update.steps.size().
[[nodiscard]] inline std::vector<Step> steps_back(const PlanUpdate& update, std::size_t done) {
    TRESTLE_EXPECTS(done <= update.steps.size(), "no more steps were done than there are");
    std::vector<Step> back;
    for (std::size_t i = done; i > 0; --i) {
        if (update.steps[i - 1].inverse) back.push_back(*update.steps[i - 1].inverse);
    }
    return back;
}

namespace detail {

/// One file, or one line of it, on its way: the step that writes it, without a value, and what is
/// in it before, between and after. No text between: there is none that is within both.
struct FileChange {
    Step step;
    std::string before;
    std::optional<std::string> between;
    std::string after;
};

/// Which file of a group, and what its line is about.
using FileKey = std::pair<std::string, std::string>;

/// The write of each key in the order of the steps; of two for one key the later counts.
[[nodiscard]] inline std::vector<std::pair<FileKey, Step>> writes_of(const Plan& plan) {
    std::vector<std::pair<FileKey, Step>> writes;
    for (const Step& step : plan.steps) {
        if (step.kind != StepKind::write_value) continue;
        const FileKey key(step.file, subject_of(step.file, step.value));
        const auto at = std::find_if(writes.begin(), writes.end(),
                                     [&](const auto& write) { return write.first == key; });
        if (at == writes.end()) {
            writes.emplace_back(key, step);
        } else {
            at->second = step;
        }
    }
    return writes;
}

/// Errors: InvalidArgument for a file of one plan only whose default is not known.
[[nodiscard]] inline StatusOr<std::vector<FileChange>> file_changes(const Plan& from,
                                                                    const Plan& to) {
    const auto before = writes_of(from);
    const auto after = writes_of(to);
    std::vector<std::pair<FileKey, Step>> all = after;
    for (const auto& write : before) {
        const bool is_known = std::any_of(after.begin(), after.end(), [&](const auto& other) {
            return other.first == write.first;
        });
        if (!is_known) all.push_back(write);
    }
    std::vector<FileChange> changes;
    for (const auto& [key, step] : all) {
        const auto text = [&, &wanted = key](const auto& writes) -> std::optional<std::string> {
            for (const auto& [other, write] : writes) {
                if (other == wanted) return write.value;
            }
            return default_text(wanted.first, wanted.second);
        };
        const auto old_text = text(before);
        const auto new_text = text(after);
        if (!old_text || !new_text) {
            return invalid_argument(
                "{}/{}: only one of the plans writes it, and what it is without"
                " is not known, expected both",
                step.group, step.file);
        }
        if (*old_text == *new_text) continue;
        changes.push_back(
            {step, *old_text, tightest_of(key.first, *old_text, *new_text), *new_text});
    }
    return changes;
}

/// A partition whose CPUs change is dissolved and made again, so that the kernel's verdict on it is
/// looked at. It comes first: it is tightened before and loosened after all else.
inline void arrange_partition(const Plan& from, std::vector<FileChange>& changes) {
    const auto has_change = [&](const std::string& file) {
        return std::any_of(changes.begin(), changes.end(),
                           [&](const FileChange& one) { return one.step.file == file; });
    };
    const std::string partition = "cpuset.cpus.partition";
    if (has_change("cpuset.cpus") && !has_change(partition)) {
        for (const auto& [key, step] : writes_of(from)) {
            if (key.first != partition || step.value == "member") continue;
            changes.push_back({step, step.value, "member", step.value});
        }
    }
    std::stable_partition(changes.begin(), changes.end(),
                          [&](const FileChange& change) { return change.step.file == partition; });
}

/// Lists steps; each is written with what it takes to go back.
class UpdateSteps {
  public:
    void for_good(const Step& step) { steps_.push_back({step, std::nullopt}); }
    void label(const Step& step, const std::string& before) {
        steps_.push_back({step, step});
        steps_.back().inverse->value = before;
    }
    void write(const FileChange& change, const std::string& before, const std::string& after) {
        Step step = change.step;
        Step inverse = change.step;
        step.value = after;
        inverse.value = before;
        steps_.push_back({std::move(step), std::move(inverse), effect_});
    }
    void filter(Step step, const DeviceAllowList& before, const DeviceAllowList& after) {
        Step inverse = step;
        step.devices = after;
        inverse.devices = before;
        steps_.push_back({std::move(step), std::move(inverse), effect_});
    }
    void freeze_or_thaw(const std::string& group, StepKind kind, StepKind inverse) {
        const auto step = [&](StepKind one) {
            return Step{one, Requirement::require, "freezer", group, {}, {}, {}};
        };
        steps_.push_back({step(kind), step(inverse)});
    }
    /// What the values and filters that are listed from now on do.
    void set_effect(UpdateEffect effect) { effect_ = effect; }
    [[nodiscard]] std::vector<UpdateStep> take() && { return std::move(steps_); }

  private:
    std::vector<UpdateStep> steps_;
    UpdateEffect effect_ = UpdateEffect::tightens;
};

/// The filter on its way, as FileChange; nothing where both plans have the same or none.
struct FilterChange {
    Step step;
    DeviceAllowList before, between, after;
};

[[nodiscard]] inline std::optional<FilterChange> filter_change(const Plan& from, const Plan& to) {
    const Step* before = filter_step_of(from.steps);
    const Step* after = filter_step_of(to.steps);
    if (before == nullptr && after == nullptr) return std::nullopt;
    FilterChange change{after != nullptr ? *after : *before, every_device(), {}, every_device()};
    if (before != nullptr) change.before = before->devices;
    if (after != nullptr) change.after = after->devices;
    if (change.before == change.after) return std::nullopt;
    if (is_within(change.after, change.before)) {
        change.between = change.after;
    } else if (is_within(change.before, change.after)) {
        change.between = change.before;
    } else {
        change.between = common_devices(change.before, change.after);
    }
    return change;
}

/// Controllers that only the new plan enables. They limit nothing by themselves.
inline void enable_new(const Plan& from, const Plan& to, UpdateSteps& steps) {
    for (const Step& step : to.steps) {
        if (step.kind != StepKind::enable_controller) continue;
        if (!enables(from, step)) steps.for_good(step);
    }
}

/// The label of another owner. Where there was none before, it stays when the update is taken back.
inline void label_anew(const Plan& from, const Plan& to, UpdateSteps& steps) {
    const Step* before = last_step_of(from.steps, StepKind::label_group);
    const Step* after = last_step_of(to.steps, StepKind::label_group);
    if (after == nullptr) return;
    if (before == nullptr) {
        steps.for_good(*after);
    } else if (before->value != after->value) {
        steps.label(*after, before->value);
    }
}

/// See PlanUpdate::besides.
[[nodiscard]] inline std::vector<std::string> besides_steps(const Plan& from, const Plan& to) {
    std::vector<std::string> lines;
    for (const Step& step : from.steps) {
        if (step.kind != StepKind::enable_controller) continue;
        if (!enables(to, step)) lines.push_back("- " + to_text(step));
    }
    const auto add = [&](const auto& field) {
        for (const char* done : {"owner", "group", "steps", "process"}) {
            if (field.name == done) return;
        }
        for (std::string& line : field_diff(field, from, to)) lines.push_back(std::move(line));
    };
    Plan::fields([&](const auto&... field) { (add(field), ...); });
    return lines;
}

}  // namespace detail

/// The steps from one plan to another of the same group: enable what is new, go down to what both
/// plans allow, then up to the new one. Until the first step up the state is within the old plan,
/// from it on within the new one. What has nothing in common with its successor, two sets of CPUs,
/// goes over in one write in between; where two things are like this, the group is frozen
/// meanwhile. A plan without filter after one with it: the filter then admits every device.
/// Equal plans: no steps. The state before is taken to be that of `from`: best-effort steps that
/// failed may have left it looser. The groups below stay as they are. After a freeze of its own the
/// group is thawed, also where the caller had frozen it. Whether a step is required matters where
/// it is done; that alone is no reason to do it again.
/// Errors: InvalidArgument for plans of different groups, for a file of one plan only that is not
/// known here, and for what cannot change while processes run: another scratch directory, a label
/// that is taken away, an owner whom no label names, and steps that are none of such a plan's.
[[nodiscard]] inline StatusOr<PlanUpdate> plan_update(const Plan& from, const Plan& to) {
    if (from.group != to.group) {
        return invalid_argument("plan {}: the other is for {}, expected plans of one group",
                                from.group, to.group);
    }
    TRESTLE_TRY_STATUS(detail::check_kept(from, to));
    TRESTLE_TRY(std::vector<detail::FileChange> changes, detail::file_changes(from, to));
    detail::arrange_partition(from, changes);
    const auto filter = detail::filter_change(from, to);
    detail::UpdateSteps steps;
    detail::enable_new(from, to, steps);
    detail::label_anew(from, to, steps);
    for (const detail::FileChange& change : changes) {
        if (change.between && *change.between != change.before) {
            steps.write(change, change.before, *change.between);
        }
    }
    if (filter && filter->between != filter->before) {
        steps.filter(filter->step, filter->before, filter->between);
    }
    const auto jumps = std::count_if(changes.begin(), changes.end(),
                                     [](const detail::FileChange& one) { return !one.between; });
    steps.set_effect(UpdateEffect::moves);
    if (jumps > 1) steps.freeze_or_thaw(to.group, StepKind::freeze, StepKind::thaw);
    for (const detail::FileChange& change : changes) {
        if (!change.between) steps.write(change, change.before, change.after);
    }
    if (jumps > 1) steps.freeze_or_thaw(to.group, StepKind::thaw, StepKind::freeze);
    steps.set_effect(UpdateEffect::loosens);
    if (filter && filter->between != filter->after) {
        steps.filter(filter->step, filter->between, filter->after);
    }
    for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
        if (change->between && *change->between != change->after) {
            steps.write(*change, *change->between, change->after);
        }
    }
    return PlanUpdate{to.owner, to.group, std::move(steps).take(),
                      detail::field_diff(field("process", &Plan::process), from, to),
                      detail::besides_steps(from, to)};
}

}  // namespace trestle
