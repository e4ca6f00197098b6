// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/explain_fit.hpp"

#include <optional>

#include "alloc/node/detail/fit_conditions.hpp"
#include "alloc/node/detail/fit_problem.hpp"
#include "alloc/node/detail/relaxation_search.hpp"
#include "alloc/node/detail/removal_counter.hpp"
#include "alloc/node/detail/what_if.hpp"
#include "trestle/alloc/node/fit.hpp"
#include "trestle/base/verdict.hpp"

namespace trestle {

FitExplanation explain_fit(const NodeShape& shape, const NodeLedger& ledger,
                           const NodeDemand& demand, const FitOptions& options) {
    FitExplanation result;
    const detail::FitProblem problem(shape, demand, options);
    const auto answer = detail::fit(problem, ledger.free());
    result.fits = answer.has_value();
    result.removed = detail::RemovalCounter(problem, ledger).run();
    if (result.fits) return result;
    result.why = answer.refusal();
    result.is_complete = detail::is_proven_no(answer);
    if (!result.is_complete) return result;

    detail::WhatIf questions;
    const detail::FitConditions conditions(demand);
    const auto refuses =
        [&](const detail::FitConditions::Choice& choice) -> std::optional<Constraint> {
        const auto reduced =
            questions.ask(shape, ledger.free(), {conditions.reduced(choice), options});
        if (!detail::is_proven_no(reduced)) return std::nullopt;
        return reduced.refusal().constraint;
    };
    detail::find_binding(conditions, refuses, result);
    result.relaxations =
        detail::RelaxationSearch(shape, ledger, {demand, options}, questions).run();
    result.is_complete = questions.is_complete();
    return result;
}

}  // namespace trestle
