// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/detail/one_node.hpp"

#include <optional>
#include <utility>

#include "alloc/cluster/place/detail/refusals.hpp"
#include "alloc/cluster/place/job_groups.hpp"

namespace trestle {

namespace detail {

bool OneNode::is_all_that_is_asked(const Request& request) {
    const Count tasks_max = request.tasks_per_node.max.value_or(Count::max());
    const bool has_room = request.tasks.value_or(Count(1)) <= tasks_max;
    const bool may_be_one =
        request.nodes.least() <= Count(1) && request.node_counts.empty() && has_room;
    const bool is_one_question = request.device_alternatives.empty() &&
                                 request.feature_sets.empty() && request.feature_counts.empty() &&
                                 request.components.empty();
    const bool is_anywhere = request.required_nodes.empty() && request.excluded_nodes.empty() &&
                             request.partition.empty() && request.topology == TopologyRequest();
    return may_be_one && is_one_question && is_anywhere && request.cluster_counts.empty();
}

std::optional<Placement> OneNode::decide(VariantCache& cache, const Cluster& cluster,
                                         StateCache& states) {
    if (answers_ == nullptr) {
        answers_ = &cache.ranking({0, {0, 1}, 1}, cluster, states);
    } else {
        answers_->follow(cluster, states);
    }
    const auto best = answers_->best(cluster);
    if (!best) return std::nullopt;
    std::optional<Placement> found(std::in_place);
    found->nodes.push_back(answers_->placement(cluster, *best));
    return found;
}

std::optional<Refusal> OneNode::refusal(const VariantCache& cache, const Cluster& cluster) const {
    if (!more_nodes_are_harder(cache.request()) || answers_->has_given_up(cluster)) {
        return std::nullopt;
    }
    RefusalCounts counts(cluster);
    counts.add(*answers_, {}, {});
    return counts.most_frequent();
}

}  // namespace detail

}  // namespace trestle
