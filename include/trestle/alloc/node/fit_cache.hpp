// SPDX-License-Identifier: Apache-2.0
#pragma once

// FitCache: the answers of fit() for one demand on one shape, remembered.
//
// Layer: alloc. Main type: FitCache. Shape and demand are prepared once; an occupancy that was seen
// before is a look-up. Thousands of nodes share a shape, and most of them are in few states.
// Answers that need no search are not remembered, because the look-up would cost more. Answers are
// exactly those of fit().
// Pitfall: a cache cannot be copied, and two threads must not use one at the same time.

#include <cstddef>
#include <memory>

#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/fit_options.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

namespace detail {
class FitProblem;
}  // namespace detail

class FitCache {
  public:
    /// Remembers at most `answers_max` answers; when there are more it starts anew. With 0 every
    /// answer is worked out, from a demand that is prepared all the same.
    /// Requires: check(*shape) is ok.
    FitCache(Shared<NodeShape> shape, NodeDemand demand, const FitOptions& options = {},
             std::size_t answers_max = 65'536);
    FitCache(FitCache&&) noexcept;
    FitCache& operator=(FitCache&&) noexcept;
    ~FitCache();

    [[nodiscard]] const NodeShape& shape() const;
    [[nodiscard]] const NodeDemand& demand() const;
    /// Answers that are remembered.
    [[nodiscard]] std::size_t size() const;

    /// fit(shape(), usage, demand(), options) for any usage with this free state. The reference
    /// holds until the next call. Requires: `state` is of a node of the shape.
    [[nodiscard]] const Verdict<NodePlacement>& fit(const FreeState& state);

    /// The same answer without storing it: for questions that are asked once, and for callers with
    /// a cache of their own.
    [[nodiscard]] Verdict<NodePlacement> fit_once(const FreeState& state) const;

    /// True when nothing has to be searched for: which of the devices are taken makes no difference
    /// to the rest of the answer.
    [[nodiscard]] bool is_plain() const;
    /// Shape and demand, worked out.
    [[nodiscard]] const detail::FitProblem& problem() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace trestle
