// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/cluster.hpp"

#include <cstdint>
#include <utility>

namespace trestle {

Node Cluster::node(NodeId id) const {
    const NodeClass& one = class_of(id);
    return {name(id), one.shape, one.features, one.weight, one.state, one.health};
}

const NodeStateData& Cluster::state(NodeId id) const {
    TRESTLE_EXPECTS(id.value() < node_count(), "the node exists");
    return states_.of_node(id);
}

const Allocation* Cluster::find_allocation(OwnerId owner) const {
    const detail::KeptAllocation* const found = allocations_.find(owner);
    return found ? &**found : nullptr;
}

Status Cluster::adopt(OwnerId owner, Placement placement, const TraceSink& sink) {
    return commit({owner, Request(), std::move(placement)}, sink);
}

void Cluster::hash_into(HashState& state) const {
    trestle::hash_into(state, std::uint64_t{node_count()});
    trestle::hash_into(state, allocations_);
}

void Cluster::prefetch(NodeId node) const {
    owners_.prefetch(node);
    states_.prefetch_move(node);
}

void Cluster::begin_plan() {
    plan_.clear();
    states_.tidy();
}

Trial::Trial(Cluster& cluster) : cluster_(cluster), size_(cluster.undo_.size()) {
    cluster_.undo_.open();
}

Trial::~Trial() {
    if (!is_kept_) undo();
    cluster_.undo_.close();
}

void Trial::undo() {
    marks_.forget();
    cluster_.undo(size_);
}

Trial Cluster::trial() { return Trial(*this); }

}  // namespace trestle
