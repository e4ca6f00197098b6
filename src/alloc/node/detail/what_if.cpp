// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/detail/what_if.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "alloc/node/detail/fit_problem.hpp"
#include "trestle/alloc/node/fit.hpp"

namespace trestle {

namespace detail {

Verdict<NodePlacement> WhatIf::ask(NodeShape shape, const FreeState& state,
                                   const FitSituation& situation) {
    if (situation.demand.common_attributes.empty()) shape.links.clear();
    auto answer = question(shape, state, situation);
    if (!answer && answer.refusal().constraint == Constraint::gave_up) is_complete_ = false;
    return answer;
}

NodePlacement WhatIf::best(const NodeShape& shape, const FreeState& state,
                           const FitSituation& situation, NodePlacement possible) {
    if (shape.links.empty()) return possible;
    auto answer = question(shape, state, situation);
    return answer ? *std::move(answer) : std::move(possible);
}

Verdict<NodePlacement> WhatIf::question(const NodeShape& shape, const FreeState& state,
                                        const FitSituation& situation) {
    if (asked_ == questions_max) return Refusal{Constraint::gave_up, "no question is left"};
    ++asked_;
    FitOptions options = situation.options;
    options.steps_max = std::max<std::uint64_t>(1, options.steps_max / steps_part);
    return fit(FitProblem(shape, situation.demand, options), state);
}

}  // namespace detail

}  // namespace trestle
