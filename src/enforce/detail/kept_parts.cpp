// SPDX-License-Identifier: Apache-2.0
#include "enforce/detail/kept_parts.hpp"

#include <algorithm>
#include <string>

#include "enforce/detail/step_parts.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/text.hpp"

namespace trestle {

namespace {

/// Ok when both plans have the same action of this kind, or none.
template <class Kind>
Status check_same(const Plan& from, const Plan& to, const char* what) {
    const Step* before = last_step_of<Kind>(from.steps);
    const Step* after = last_step_of<Kind>(to.steps);
    const bool is_same =
        before == nullptr || after == nullptr ? before == after : before->action == after->action;
    if (is_same) return {};
    const auto text_of = [](const Step* step) {
        return step == nullptr ? std::string("none") : to_text(*step);
    };
    return invalid_argument("plan {}: its {} cannot change: {} before, {} after", from.group, what,
                            text_of(before), text_of(after));
}

}  // namespace

namespace detail {

bool does_same(const Plan& plan, const Step& step) {
    return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& one) {
        return one.group == step.group && one.action == step.action;
    });
}

Status check_steps(const Plan& plan) {
    for (const Step& step : plan.steps) {
        if (action_of<Step::SetFrozen>(step) != nullptr) {
            return invalid_argument("plan {}: {}: no step of a plan to update", plan.group,
                                    to_text(step));
        }
        if (action_of<Step::EnableController>(step) == nullptr && step.group != plan.group) {
            return invalid_argument("plan {}: {}: it is for {}, expected the plan's group",
                                    plan.group, to_text(step), detail::quoted(step.group));
        }
    }
    return {};
}

Status check_kept(const Plan& from, const Plan& to) {
    TRESTLE_TRY_STATUS(check_steps(from));
    TRESTLE_TRY_STATUS(check_steps(to));
    TRESTLE_TRY_STATUS(check_same<Step::MakeGroup>(from, to, "group"));
    TRESTLE_TRY_STATUS(check_same<Step::MakeScratch>(from, to, "scratch directory"));
    const Step* before = last_step_of<Step::LabelGroup>(from.steps);
    const Step* after = last_step_of<Step::LabelGroup>(to.steps);
    if (before != nullptr && after == nullptr) {
        return invalid_argument("plan {}: its label cannot be taken away: {} before, none after",
                                from.group, to_text(*before));
    }
    if (from.owner == to.owner) return {};
    const Step::LabelGroup wanted{to.owner};
    const bool is_labelled = after != nullptr && after->action == Step::Action(wanted) &&
                             (before == nullptr || before->action != after->action);
    if (is_labelled) return {};
    return invalid_argument("plan {}: owner {} cannot become {}: no step labels the group so",
                            from.group, from.owner.value(), to.owner.value());
}

}  // namespace detail

}  // namespace trestle
