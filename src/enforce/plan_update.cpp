// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/plan_update.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "enforce/detail/file_order.hpp"
#include "enforce/detail/kept_parts.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"
#include "trestle/enforce/device/common_devices.hpp"
#include "trestle/enforce/plan_diff.hpp"

namespace trestle {

std::string to_text(const PlanUpdate& update) {
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

std::vector<Step> steps_back(const PlanUpdate& update, std::size_t done) {
    TRESTLE_EXPECTS(done <= update.steps.size(), "no more steps were done than there are");
    std::vector<Step> back;
    for (std::size_t i = done; i > 0; --i) {
        if (update.steps[i - 1].inverse) back.push_back(*update.steps[i - 1].inverse);
    }
    return back;
}

namespace detail {

std::vector<std::pair<FileKey, Step>> writes_of(const Plan& plan) {
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

StatusOr<std::vector<FileChange>> file_changes(const Plan& from, const Plan& to) {
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

void arrange_partition(const Plan& from, std::vector<FileChange>& changes) {
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

void UpdateSteps::for_good(const Step& step) { steps_.push_back({step, std::nullopt}); }

void UpdateSteps::label(const Step& step, const std::string& before) {
    steps_.push_back({step, step});
    steps_.back().inverse->value = before;
}

void UpdateSteps::write(const FileChange& change, const std::string& before,
                        const std::string& after) {
    Step step = change.step;
    Step inverse = change.step;
    step.value = after;
    inverse.value = before;
    steps_.push_back({std::move(step), std::move(inverse), effect_});
}

void UpdateSteps::filter(Step step, const DeviceAllowList& before, const DeviceAllowList& after) {
    Step inverse = step;
    step.devices = after;
    inverse.devices = before;
    steps_.push_back({std::move(step), std::move(inverse), effect_});
}

void UpdateSteps::freeze_or_thaw(const std::string& group, StepKind kind, StepKind inverse) {
    const auto step = [&](StepKind one) {
        return Step{one, Requirement::require, "freezer", group, {}, {}, {}};
    };
    steps_.push_back({step(kind), step(inverse)});
}

std::optional<FilterChange> filter_change(const Plan& from, const Plan& to) {
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

void enable_new(const Plan& from, const Plan& to, UpdateSteps& steps) {
    for (const Step& step : to.steps) {
        if (step.kind != StepKind::enable_controller) continue;
        if (!enables(from, step)) steps.for_good(step);
    }
}

void label_anew(const Plan& from, const Plan& to, UpdateSteps& steps) {
    const Step* before = last_step_of(from.steps, StepKind::label_group);
    const Step* after = last_step_of(to.steps, StepKind::label_group);
    if (after == nullptr) return;
    if (before == nullptr) {
        steps.for_good(*after);
    } else if (before->value != after->value) {
        steps.label(*after, before->value);
    }
}

std::vector<std::string> besides_steps(const Plan& from, const Plan& to) {
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

StatusOr<PlanUpdate> plan_update(const Plan& from, const Plan& to) {
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
