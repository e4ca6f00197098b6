// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a step does, by kind, and which of several steps counts.
//
// Layer: enforce (private). Main functions: action_of, limit_of, last_step_of, filter_step_of.

#include <algorithm>
#include <variant>
#include <vector>

#include "trestle/enforce/step.hpp"

namespace trestle {

/// The step's action when it is of this kind, else null.
template <class Kind>
[[nodiscard]] const Kind* action_of(const Step& step) {
    return std::get_if<Kind>(&step.action);
}
template <class Kind>
[[nodiscard]] Kind* action_of(Step& step) {
    return std::get_if<Kind>(&step.action);
}

/// The limit that the step sets; null for a step that sets none.
[[nodiscard]] inline const Limit* limit_of(const Step& step) {
    const auto* set = action_of<Step::SetLimit>(step);
    return set == nullptr ? nullptr : &set->limit;
}

/// The step of a kind that counts: one done later replaces those before. Null: there is none.
template <class Kind>
[[nodiscard]] const Step* last_step_of(const std::vector<Step>& steps) {
    const auto at = std::find_if(steps.rbegin(), steps.rend(),
                                 [](const Step& step) { return action_of<Kind>(step) != nullptr; });
    return at == steps.rend() ? nullptr : &*at;
}

/// The step whose filter counts; null: there is none.
[[nodiscard]] inline const Step* filter_step_of(const std::vector<Step>& steps) {
    return last_step_of<Step::LoadFilter>(steps);
}

}  // namespace trestle
