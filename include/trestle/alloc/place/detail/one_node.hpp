// SPDX-License-Identifier: Apache-2.0
#pragma once

// OneNode: the short road of a decision, for requests that any one node can meet by its state.
//
// Layer: alloc (detail). Main type: OneNode. Most jobs are like that, and what JobSearch works out
// for the others, sizes, rules, networks, would cost them several times the answer.
// A reader would get wrong: where more nodes might do what one cannot, it says nothing about why;
// JobSearch does.

#include <optional>
#include <utility>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/place/answers.hpp"
#include "trestle/alloc/place/detail/job_memory.hpp"
#include "trestle/alloc/place/detail/refusals.hpp"
#include "trestle/alloc/place/job_groups.hpp"
#include "trestle/alloc/place/state_follower.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

class OneNode {
  public:
    /// True when JobSearch would take the best node by its state alone, where there is any.
    [[nodiscard]] static bool is_all_that_is_asked(const Request& request) {
        const bool may_be_one = request.nodes.least() <= Count(1) && request.node_counts.empty();
        const bool is_one_question = request.device_alternatives.empty() &&
                                     request.feature_sets.empty() &&
                                     request.feature_counts.empty() && request.components.empty();
        const bool is_anywhere = request.required_nodes.empty() && request.excluded_nodes.empty() &&
                                 request.partition.empty() && request.topology == TopologyRequest();
        return may_be_one && is_one_question && is_anywhere && request.cluster_counts.empty();
    }

    /// What the best node gives, or nothing; `memory` is of such a request.
    /// Complexity: what changed since the last time.
    [[nodiscard]] std::optional<Placement> find(RequestMemory& memory, const Cluster& cluster,
                                                StateFollower& states) {
        if (answers_ == nullptr) {
            answers_ = &memory.answers({0, {0, 1}, 1}, cluster, states);
        } else {
            answers_->follow(cluster, states);
        }
        const auto best = answers_->best(cluster);
        if (!best) return std::nullopt;
        std::optional<Placement> found(std::in_place);
        found->nodes.push_back(answers_->placement(cluster, *best));
        return found;
    }

    /// Why no node meets it, where JobSearch would say the same; else nothing. Requires: find() has
    /// just found none in `cluster`, which is `memory`'s.
    [[nodiscard]] std::optional<Refusal> refusal(const RequestMemory& memory,
                                                 const Cluster& cluster) const {
        if (!more_nodes_are_harder(memory.request()) || answers_->has_given_up(cluster)) {
            return std::nullopt;
        }
        RefusalCounts counts(cluster);
        counts.add(*answers_, {}, {});
        return counts.most_frequent();
    }

  private:
    PartAnswers* answers_ = nullptr;  ///< of the memory, where they stay
};

}  // namespace trestle::detail
