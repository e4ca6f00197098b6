// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/fit.hpp"

#include <cstdint>
#include <optional>

#include "alloc/node/detail/fit_problem.hpp"
#include "alloc/node/detail/fit_search.hpp"
#include "alloc/node/detail/plain_fit.hpp"
#include "alloc/node/step_budget.hpp"

namespace trestle {

namespace detail {

namespace {

/// True when tasks that do not all lie inside of packages as they are dealt may lie in any cores.
bool may_straddle(const FitProblem& problem, const FreeState& state) {
    const NodeDemand& demand = problem.demand();
    const bool deals_tasks =
        demand.distribution == Distribution::cyclic || demand.distribution == Distribution::plane;
    if (!problem.is_dealt() || !deals_tasks || !demand.tasks_per_socket.is_zero()) return false;
    return problem.cpus_of(state.cores) >= demand.cpus().value() ||
           problem.options().rows > 1;  // rows have cores of their own
}

/// The answer to tasks that are dealt as the problem says.
Verdict<NodePlacement> fit_as_dealt(const FitProblem& problem, const FreeState& state) {
    if (problem.is_plain()) {
        const std::uint32_t available = plain_available(problem, state);
        if (refuse_by_sums(problem, plain_sums(problem, state), available) == Constraint::none) {
            return plain_placement(problem, state, plain_devices(problem, state));
        }
    }
    StepBudget budget{problem.options().steps_max};
    FitSearch search(problem, state, budget);
    const std::uint32_t rows = problem.options().rows;
    const bool is_whole = problem.demand().exclusivity == Exclusivity::whole_node;
    if (rows <= 1 || is_whole) return search.run(std::nullopt);
    auto first = search.run(0);
    if (first || first.refusal().constraint == Constraint::gave_up) return first;
    for (std::uint32_t row = 1; row < state.distinct_rows(rows); ++row) {
        auto answer = FitSearch(problem, state, budget).run(row);
        if (answer || answer.refusal().constraint == Constraint::gave_up) return answer;
    }
    return first;
}

}  // namespace

Verdict<NodePlacement> fit(const FitProblem& problem, const FreeState& state) {
    Verdict<NodePlacement> answer = fit_as_dealt(problem, state);
    const bool is_open = answer || answer.refusal().constraint == Constraint::gave_up;
    if (!is_open && may_straddle(problem, state)) {
        NodeDemand in_block = problem.demand();
        in_block.distribution = Distribution::block;
        answer = fit_as_dealt(FitProblem(problem.shape(), in_block, problem.options()), state);
    }
    return answer;
}

}  // namespace detail

Verdict<NodePlacement> fit(const NodeShape& shape, const NodeLedger& ledger,
                           const NodeDemand& demand, const FitOptions& options) {
    return detail::fit(detail::FitProblem(shape, demand, options), ledger.free());
}

}  // namespace trestle
