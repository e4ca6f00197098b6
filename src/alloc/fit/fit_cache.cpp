// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/fit/fit_cache.hpp"

#include <cstddef>
#include <memory>
#include <utility>

namespace trestle {

FitCache::FitCache(Shared<NodeShape> shape, NodeDemand demand, const FitOptions& options,
                   std::size_t answers_max)
    : question_(std::make_unique<Question>(std::move(shape), std::move(demand), options)),
      answers_max_(answers_max) {}

const Verdict<NodePlacement>& FitCache::fit(const FreeState& state) {
    if (answers_max_ == 0 || is_plain()) {
        return last_ = detail::fit(question_->problem, state);
    }
    const auto known = answers_.find(state);
    if (known != answers_.end()) return known->second;
    if (answers_.size() == answers_max_) answers_.clear();
    return answers_.emplace(state, detail::fit(question_->problem, state)).first->second;
}

}  // namespace trestle
