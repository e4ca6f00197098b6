// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/cluster_impl.hpp"

#include <cstdint>
#include <utility>

namespace trestle {

Node Cluster::Impl::node(NodeId id) const {
    const NodeClass& one = class_of(id);
    return {name(id), one.shape, one.features, one.weight, one.state, one.health};
}

const NodeStateData& Cluster::Impl::state(NodeId id) const {
    TRESTLE_EXPECTS(id.value() < node_count(), "the node exists");
    return states_.of_node(id);
}

Cluster::Impl Cluster::Impl::without_owners() const {
    Impl idle;
    idle.description_ = description_;
    idle.free_counts_ = description_->counts;
    for (std::uint32_t at = 0; at < node_count();) {
        const std::uint32_t first = at;
        const ClassId like = state(NodeId(first)).node_class;
        while (at < node_count() && state(NodeId(at)).node_class == like) ++at;
        idle.states_.append(at - first, {like, 0, classes().known(like).idle});
    }
    return idle;
}

const Allocation* Cluster::Impl::find_allocation(OwnerId owner) const {
    const detail::KeptAllocation* const found = allocations_.find(owner);
    return found ? &**found : nullptr;
}

Status Cluster::Impl::adopt(OwnerId owner, Placement placement, const TraceSink& sink) {
    return commit({owner, Request(), std::move(placement)}, sink);
}

void Cluster::Impl::hash_into(HashState& state) const {
    trestle::hash_into(state, std::uint64_t{node_count()});
    trestle::hash_into(state, allocations_);
}

void Cluster::Impl::prefetch(NodeId node) const {
    owners_.prefetch(node);
    states_.prefetch_move(node);
}

void Cluster::Impl::begin_plan() {
    plan_.clear();
    states_.tidy();
}

}  // namespace trestle
