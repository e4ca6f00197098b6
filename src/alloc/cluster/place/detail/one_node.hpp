// SPDX-License-Identifier: Apache-2.0
#pragma once

// OneNode: the short road of a decision, for requests that any one node can meet by its state.
//
// Layer: alloc (detail). Main type: OneNode. Most jobs are like that, and what JobSearch works out
// for the others, sizes, rules, networks, would cost them several times the answer.
// Pitfall: where more nodes might do what one cannot, it says nothing about why; JobSearch does.

#include <optional>

#include "alloc/cluster/place/detail/request_cache.hpp"
#include "alloc/cluster/place/node_ranking.hpp"
#include "alloc/cluster/place/state_cache.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

class OneNode {
  public:
    /// True when JobSearch would take the best node by its state alone, where there is any.
    [[nodiscard]] static bool is_all_that_is_asked(const Request& request);

    /// What the best node gives, or nothing when no node meets the request.
    /// Requires: `cache` is of such a request, and the same at all calls.
    /// Complexity: what changed since the last time.
    [[nodiscard]] std::optional<Placement> decide(VariantCache& cache, const Cluster& cluster,
                                                  StateCache& states);

    /// Why no node meets the request, or nothing where JobSearch might say more.
    /// Requires: decide() has just found no node.
    [[nodiscard]] std::optional<Refusal> refusal(const VariantCache& cache,
                                                 const Cluster& cluster) const;

  private:
    NodeRanking* answers_ = nullptr;  ///< of the cache, where they stay
};

}  // namespace trestle::detail
