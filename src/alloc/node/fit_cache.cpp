// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/fit_cache.hpp"

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>

#include "alloc/node/detail/fit_problem.hpp"
#include "trestle/alloc/node/fit.hpp"
#include "trestle/base/hash.hpp"

namespace trestle {

/// The problem refers to shape and demand, which therefore stay where they are.
class FitCache::Impl {
  public:
    Impl(Shared<NodeShape> s, NodeDemand d, const FitOptions& options, std::size_t max)
        : shape(std::move(s)),
          demand(std::move(d)),
          problem(*shape, demand, options),
          answers_max(max) {}
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    Shared<NodeShape> shape;
    NodeDemand demand;
    detail::FitProblem problem;
    std::size_t answers_max;
    std::unordered_map<FreeState, Verdict<NodePlacement>, Hash> answers;
    Verdict<NodePlacement> last = Refusal{};  ///< that is not remembered
};

FitCache::FitCache(Shared<NodeShape> shape, NodeDemand demand, const FitOptions& options,
                   std::size_t answers_max)
    : impl_(std::make_unique<Impl>(std::move(shape), std::move(demand), options, answers_max)) {}
FitCache::FitCache(FitCache&&) noexcept = default;
FitCache& FitCache::operator=(FitCache&&) noexcept = default;
FitCache::~FitCache() = default;

const NodeShape& FitCache::shape() const { return *impl_->shape; }
const NodeDemand& FitCache::demand() const { return impl_->demand; }
std::size_t FitCache::size() const { return impl_->answers.size(); }
bool FitCache::is_plain() const { return impl_->problem.is_plain(); }
const detail::FitProblem& FitCache::problem() const { return impl_->problem; }

const Verdict<NodePlacement>& FitCache::fit(const FreeState& state) {
    if (impl_->answers_max == 0 || is_plain()) {
        return impl_->last = detail::fit(impl_->problem, state);
    }
    const auto known = impl_->answers.find(state);
    if (known != impl_->answers.end()) return known->second;
    if (impl_->answers.size() == impl_->answers_max) impl_->answers.clear();
    return impl_->answers.emplace(state, detail::fit(impl_->problem, state)).first->second;
}

Verdict<NodePlacement> FitCache::fit_once(const FreeState& state) const {
    return detail::fit(impl_->problem, state);
}

}  // namespace trestle
