// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/plan_update.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "enforce/detail/field_diff.hpp"
#include "enforce/detail/kept_parts.hpp"
#include "enforce/detail/step_parts.hpp"
#include "enforce/detail/steps_back.hpp"
#include "enforce/device/common_devices.hpp"
#include "enforce/limits/limit_lines.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"

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

namespace {

/// One limit on its way: the step that sets it, and what it is before, between and after. Nothing
/// between: there is no value that is within both.
struct LimitChange {
    Step step;
    Limit before;
    std::optional<Limit> between;
    Limit after;
};

/// Lists steps; each is written with what it takes to go back.
class UpdateSteps {
  public:
    void for_good(const Step& step);
    /// The step with `after` for its action, and with `before` to go back; of effect none.
    void change(const Step& step, Step::Action before, Step::Action after);
    /// As change, with the effect that was set.
    void limit(const LimitChange& change, const Limit& before, const Limit& after);
    void filter(const Step& step, const DeviceAllowList& before, const DeviceAllowList& after);
    void freeze_or_thaw(const std::string& group, bool is_frozen);
    /// What the limits and filters that are listed from now on do.
    void set_effect(UpdateStep::Effect effect) { effect_ = effect; }
    [[nodiscard]] std::vector<UpdateStep> take() && { return std::move(steps_); }

  private:
    std::vector<UpdateStep> steps_;
    UpdateStep::Effect effect_ = UpdateStep::Effect::tightens;
};

/// The filter on its way, as LimitChange; nothing where both plans have the same or none.
struct FilterChange {
    Step step;
    DeviceAllowList before, between, after;
};

/// The steps that set limits, in order; of two for one line of a file the later counts.
std::vector<Step> limit_steps_of(const Plan& plan) {
    std::vector<Step> steps;
    for (const Step& step : plan.steps) {
        if (limit_of(step) == nullptr) continue;
        const auto at = std::find_if(steps.begin(), steps.end(), [&](const Step& one) {
            return is_same_line(*limit_of(one), *limit_of(step));
        });
        if (at == steps.end()) {
            steps.push_back(step);
        } else {
            *at = step;
        }
    }
    return steps;
}

/// What only one of the plans sets has the kernel's default in the other.
std::vector<LimitChange> limit_changes(const Plan& from, const Plan& to) {
    const std::vector<Step> before = limit_steps_of(from);
    const std::vector<Step> after = limit_steps_of(to);
    const auto limit_in = [](const std::vector<Step>& steps, const Limit& line) {
        for (const Step& step : steps) {
            if (is_same_line(*limit_of(step), line)) return std::optional(*limit_of(step));
        }
        return std::optional<Limit>();
    };
    std::vector<Step> all = after;
    for (const Step& step : before) {
        if (!limit_in(after, *limit_of(step))) all.push_back(step);
    }
    std::vector<LimitChange> changes;
    for (const Step& step : all) {
        const Limit& line = *limit_of(step);
        Limit old_limit = limit_in(before, line).value_or(default_of(line));
        Limit new_limit = limit_in(after, line).value_or(default_of(line));
        if (old_limit == new_limit) continue;
        std::optional<Limit> between = tightest(old_limit, new_limit);
        changes.push_back({step, std::move(old_limit), std::move(between), std::move(new_limit)});
    }
    return changes;
}

/// A partition whose CPUs change is dissolved and made again, so that the kernel's verdict on it is
/// looked at. It comes first: it is tightened before and loosened after all else.
void arrange_partition(const Plan& from, std::vector<LimitChange>& changes) {
    const auto is_of = []<class Kind>(const LimitChange& one, std::type_identity<Kind>) {
        return std::holds_alternative<Kind>(one.after);
    };
    const auto has_change = [&](auto kind) {
        return std::any_of(changes.begin(), changes.end(),
                           [&](const LimitChange& one) { return is_of(one, kind); });
    };
    constexpr std::type_identity<PartitionLimit> partition;
    if (has_change(std::type_identity<CpusLimit>()) && !has_change(partition)) {
        for (const Step& step : limit_steps_of(from)) {
            const auto* set = std::get_if<PartitionLimit>(limit_of(step));
            if (set == nullptr || set->partition == CpusetPartition::member) continue;
            changes.push_back({step, *set, PartitionLimit{}, *set});
        }
    }
    std::stable_partition(changes.begin(), changes.end(),
                          [&](const LimitChange& change) { return is_of(change, partition); });
}

void UpdateSteps::for_good(const Step& step) { steps_.push_back({step, std::nullopt}); }

void UpdateSteps::change(const Step& step, Step::Action before, Step::Action after) {
    steps_.push_back({step, step});
    steps_.back().step.action = std::move(after);
    steps_.back().inverse->action = std::move(before);
}

void UpdateSteps::limit(const LimitChange& change, const Limit& before, const Limit& after) {
    this->change(change.step, Step::SetLimit{before}, Step::SetLimit{after});
    steps_.back().effect = effect_;
}

void UpdateSteps::filter(const Step& step, const DeviceAllowList& before,
                         const DeviceAllowList& after) {
    change(step, Step::LoadFilter{before}, Step::LoadFilter{after});
    steps_.back().effect = effect_;
}

void UpdateSteps::freeze_or_thaw(const std::string& group, bool is_frozen) {
    change({{}, Requirement::require, "freezer", group}, Step::SetFrozen{!is_frozen},
           Step::SetFrozen{is_frozen});
}

std::optional<FilterChange> filter_change(const Plan& from, const Plan& to) {
    const Step* before = filter_step_of(from.steps);
    const Step* after = filter_step_of(to.steps);
    if (before == nullptr && after == nullptr) return std::nullopt;
    FilterChange change{after != nullptr ? *after : *before, every_device(), {}, every_device()};
    if (before != nullptr) change.before = action_of<Step::LoadFilter>(*before)->devices;
    if (after != nullptr) change.after = action_of<Step::LoadFilter>(*after)->devices;
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
void enable_new(const Plan& from, const Plan& to, UpdateSteps& steps) {
    for (const Step& step : to.steps) {
        if (action_of<Step::EnableController>(step) == nullptr) continue;
        if (!detail::does_same(from, step)) steps.for_good(step);
    }
}

/// The label of another owner. Where there was none before, it stays when the update is taken back.
void label_anew(const Plan& from, const Plan& to, UpdateSteps& steps) {
    const Step* before = last_step_of<Step::LabelGroup>(from.steps);
    const Step* after = last_step_of<Step::LabelGroup>(to.steps);
    if (after == nullptr) return;
    if (before == nullptr) {
        steps.for_good(*after);
    } else if (before->action != after->action) {
        steps.change(*after, before->action, after->action);
    }
}

/// See PlanUpdate::besides.
std::vector<std::string> besides_steps(const Plan& from, const Plan& to) {
    std::vector<std::string> lines;
    for (const Step& step : from.steps) {
        if (action_of<Step::EnableController>(step) == nullptr) continue;
        if (!detail::does_same(to, step)) lines.push_back("- " + to_text(step));
    }
    const auto add = [&](const auto& field) {
        for (const char* done : {"owner", "group", "steps", "process", "behind_filter"}) {
            if (field.name == done) return;
        }
        for (std::string& line : field_diff(field, from, to)) lines.push_back(std::move(line));
    };
    Plan::fields([&](const auto&... field) { (add(field), ...); });
    return lines;
}

}  // namespace

StatusOr<PlanUpdate> plan_update(const Plan& from, const Plan& to) {
    if (from.group != to.group) {
        return invalid_argument("plan {}: the other is for {}, expected plans of one group",
                                from.group, to.group);
    }
    TRESTLE_TRY_STATUS(detail::check_kept(from, to));
    std::vector<LimitChange> changes = limit_changes(from, to);
    arrange_partition(from, changes);
    const auto filter = filter_change(from, to);
    UpdateSteps steps;
    enable_new(from, to, steps);
    label_anew(from, to, steps);
    for (const LimitChange& change : changes) {
        if (change.between && *change.between != change.before) {
            steps.limit(change, change.before, *change.between);
        }
    }
    if (filter && filter->between != filter->before) {
        steps.filter(filter->step, filter->before, filter->between);
    }
    const auto jumps = std::count_if(changes.begin(), changes.end(),
                                     [](const LimitChange& one) { return !one.between; });
    steps.set_effect(UpdateStep::Effect::moves);
    if (jumps > 1) steps.freeze_or_thaw(to.group, true);
    for (const LimitChange& change : changes) {
        if (!change.between) steps.limit(change, change.before, change.after);
    }
    if (jumps > 1) steps.freeze_or_thaw(to.group, false);
    steps.set_effect(UpdateStep::Effect::loosens);
    if (filter && filter->between != filter->after) {
        steps.filter(filter->step, filter->between, filter->after);
    }
    for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
        if (change->between && *change->between != change->after) {
            steps.limit(*change, *change->between, change->after);
        }
    }
    std::vector<std::string> for_new =
        detail::field_diff(field("process", &Plan::process), from, to);
    for (std::string& line :
         detail::field_diff(field("behind_filter", &Plan::behind_filter), from, to)) {
        for_new.push_back(std::move(line));
    }
    return PlanUpdate{to.owner, to.group, std::move(steps).take(), std::move(for_new),
                      besides_steps(from, to)};
}

}  // namespace trestle
