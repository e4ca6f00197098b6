// SPDX-License-Identifier: Apache-2.0
#include "enforce/detail/kept_parts.hpp"

#include <algorithm>
#include <string>

#include "trestle/base/status.hpp"
#include "trestle/base/text.hpp"

namespace trestle {

namespace detail {

bool enables(const Plan& plan, const Step& step) {
    return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& one) {
        return one.kind == step.kind && one.group == step.group && one.value == step.value;
    });
}

Status check_steps(const Plan& plan) {
    for (const Step& step : plan.steps) {
        if (step.kind == StepKind::freeze || step.kind == StepKind::thaw) {
            return invalid_argument("plan {}: {}: no step of a plan to update", plan.group,
                                    to_text(step));
        }
        if (step.kind != StepKind::enable_controller && step.group != plan.group) {
            return invalid_argument("plan {}: {}: it is for {}, expected the plan's group",
                                    plan.group, to_text(step), detail::quoted(step.group));
        }
    }
    return {};
}

Status check_kept(const Plan& from, const Plan& to) {
    TRESTLE_TRY_STATUS(check_steps(from));
    TRESTLE_TRY_STATUS(check_steps(to));
    const auto text_of = [](const Step* step) {
        return step == nullptr ? std::string("none") : to_text(*step);
    };
    for (const StepKind kind : {StepKind::make_group, StepKind::make_scratch}) {
        const Step* before = last_step_of(from.steps, kind);
        const Step* after = last_step_of(to.steps, kind);
        const bool is_same = before == nullptr || after == nullptr
                                 ? before == after
                                 : before->scratch == after->scratch;
        if (is_same) continue;
        return invalid_argument("plan {}: its {} cannot change: {} before, {} after", from.group,
                                kind == StepKind::make_group ? "group" : "scratch directory",
                                text_of(before), text_of(after));
    }
    const Step* before = last_step_of(from.steps, StepKind::label_group);
    const Step* after = last_step_of(to.steps, StepKind::label_group);
    if (before != nullptr && after == nullptr) {
        return invalid_argument("plan {}: its label cannot be taken away: {} before, none after",
                                from.group, to_text(*before));
    }
    if (from.owner == to.owner) return {};
    const bool is_labelled = after != nullptr && after->value == std::to_string(to.owner.value()) &&
                             (before == nullptr || before->value != after->value);
    if (is_labelled) return {};
    return invalid_argument("plan {}: owner {} cannot become {}: no step labels the group so",
                            from.group, from.owner.value(), to.owner.value());
}

}  // namespace detail

}  // namespace trestle
