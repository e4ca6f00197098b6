// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/columns/detail/node_question.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "alloc/cluster/place/detail/job_search.hpp"
#include "alloc/cluster/place/detail/variants.hpp"
#include "alloc/cluster/place/eligibility.hpp"
#include "alloc/cluster/place/split/splits.hpp"
#include "trestle/base/contract.hpp"

namespace trestle {

namespace detail {

NodeQuestion::NodeQuestion(const Cluster& cluster, const Shared<Request>& variant,
                           const FitOptions& fit)
    : cache_(cluster, variant, fit), rules_(node_rules(cluster, request())) {
    if (refuse_job(cluster, cache_) || !has_all_required(cluster)) return;
    const auto partition = find_partition(cluster, request().partition);
    const NodeCounts counts(
        request(), partition ? cluster.partitions()[*partition].nodes_per_job : Range<Count>(),
        static_cast<std::int64_t>(rules_.required.count()));
    const auto nodes = counts.has_any() ? counts.after(0, cluster.node_count()) : std::nullopt;
    if (nodes) group_ = {0, part_of_one(request(), *nodes), 1};
}

void NodeQuestion::follow(const Cluster& cluster, StateCache& states) {
    states.follow(cluster);
    answers_ = &cache_.ranking(*group_, cluster, states);
}

bool NodeQuestion::may_take(const Cluster& cluster, NodeId node) const {
    const NodeSet& required = rules_.required;
    if (is_all(required.count()) && !required.contains(node)) return false;
    for (const FeatureCount& one : request().feature_counts) {
        const std::int64_t nodes = one.nodes.value();
        if (nodes > group_->part.nodes) return false;
        if (nodes < group_->part.nodes) continue;
        if (!matches(one.features, cluster.class_of(node).features)) return false;
    }
    return !rules_.excluded.contains(node);
}

bool NodeQuestion::may_take_all() const {
    return !is_all(rules_.required.count()) && request().feature_counts.empty() &&
           rules_.allow_all();
}

bool NodeQuestion::can_take(const Cluster& cluster, NodeId node, StateId state) const {
    return answers_->fits(state) && may_take(cluster, node) &&
           rules_.allow(node, [&] { return placement(cluster, node); });
}

bool NodeQuestion::has_all_required(const Cluster& cluster) const {
    const auto& names = request().required_nodes;
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        return cluster.find_node(name).has_value();
    });
}

NodeFiller::NodeFiller(const Cluster& cluster, const Scorer& scorer, const Request& request,
                       const FitOptions& fit)
    : filled_(cluster), states_(scorer) {
    for (const Shared<Request>& variant : variants_of(Shared<Request>::borrow(request))) {
        Variant one{variant, std::make_unique<NodeQuestion>(filled_, variant, fit)};
        if (one.asked->is_possible()) variants_.push_back(std::move(one));
    }
}

std::int32_t NodeFiller::fill(NodeId node) {
    std::int32_t count = 0;
    while (take_one(node)) ++count;
    return count;
}

bool NodeFiller::take_one(NodeId node) {
    for (const Variant& one : variants_) {
        one.asked->follow(filled_, states_);
        if (!one.asked->can_take(filled_, node, filled_.states().of(node))) continue;
        NodePlacement part = one.asked->placement(filled_, node);
        const Status taken = filled_.commit({next_owner(), one.request, {{std::move(part)}, {}}});
        TRESTLE_EXPECTS(taken.ok(), "what a node can take it takes");
        return true;
    }
    return false;
}

OwnerId NodeFiller::next_owner() {
    while (filled_.find_allocation(OwnerId(owner_)) != nullptr) ++owner_;
    return OwnerId(owner_);
}

}  // namespace detail

}  // namespace trestle
