// SPDX-License-Identifier: Apache-2.0
#pragma once

// WhatIf: what if? A limited number of further questions to fit().
//
// Layer: alloc, internal to explain_fit. Main types: FitSituation (what can be changed),
// WhatIf.
// Pitfall: a question that ran out of steps is neither a yes nor a no; is_complete() remembers that
// there was one.

#include <cstdint>

#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/fit_options.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::detail {

/// What is asked, and what the site allows.
struct FitSituation {
    NodeDemand demand;
    FitOptions options;
};

class WhatIf {
  public:
    /// All questions together cost at most four times `steps_max`.
    static constexpr std::uint32_t questions_max = 256;
    static constexpr std::uint64_t steps_part = 64;

    /// False when a question had no answer.
    [[nodiscard]] bool is_complete() const { return is_complete_; }

    /// Whether it fits. Links between devices decide what is best, never what fits; without them
    /// more devices are alike, and there is less to look at.
    [[nodiscard]] Verdict<NodePlacement> ask(NodeShape shape, const FreeState& state,
                                             const FitSituation& situation);
    /// What fit() gives; where it does not get that far, `possible`, the answer to ask().
    [[nodiscard]] NodePlacement best(const NodeShape& shape, const FreeState& state,
                                     const FitSituation& situation, NodePlacement possible);

  private:
    [[nodiscard]] Verdict<NodePlacement> question(const NodeShape& shape, const FreeState& state,
                                                  const FitSituation& situation);

    std::uint32_t asked_ = 0;
    bool is_complete_ = true;
};

/// True when the answer proves that nothing fits.
[[nodiscard]] inline bool is_proven_no(const Verdict<NodePlacement>& answer) {
    return !answer && answer.refusal().constraint != Constraint::gave_up;
}

}  // namespace trestle::detail
