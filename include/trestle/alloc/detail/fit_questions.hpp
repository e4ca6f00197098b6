// SPDX-License-Identifier: Apache-2.0
#pragma once

// FitQuestions: what if? A limited number of further questions to fit().
//
// Layer: alloc, internal to explain_fit. Main types: FitSituation (what can be changed),
// FitQuestions. A reader would get wrong: a question that ran out of steps is neither a yes nor a
// no; is_complete() remembers that there was one.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "trestle/alloc/demand.hpp"
#include "trestle/alloc/fit.hpp"
#include "trestle/alloc/fit_options.hpp"
#include "trestle/alloc/free_state.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::detail {

/// What is asked, and what the site allows.
struct FitSituation {
    NodeDemand demand;
    FitOptions options;
};

class FitQuestions {
  public:
    /// All questions together cost at most four times `steps_max`.
    static constexpr std::uint32_t questions_max = 256;
    static constexpr std::uint64_t steps_part = 64;

    /// False when a question had no answer.
    [[nodiscard]] bool is_complete() const { return is_complete_; }

    [[nodiscard]] Verdict<NodePlacement> ask(const NodeShape& shape, const FreeState& state,
                                             const FitSituation& situation) {
        Verdict<NodePlacement> answer = Refusal{Constraint::gave_up, "no question is left"};
        if (asked_ < questions_max) {
            ++asked_;
            FitOptions options = situation.options;
            options.steps_max = std::max<std::uint64_t>(1, options.steps_max / steps_part);
            answer = fit(FitProblem(shape, situation.demand, options), state);
        }
        if (!answer && answer.refusal().constraint == Constraint::gave_up) is_complete_ = false;
        return answer;
    }

  private:
    std::uint32_t asked_ = 0;
    bool is_complete_ = true;
};

/// True when the answer proves that nothing fits.
[[nodiscard]] inline bool is_proven_no(const Verdict<NodePlacement>& answer) {
    return !answer && answer.refusal().constraint != Constraint::gave_up;
}

}  // namespace trestle::detail
