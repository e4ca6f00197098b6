// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/cluster_impl.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

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
    std::vector<ClassId> by_state(states_.limit());  // nodes are many
    states_.for_each([&](StateId state) { by_state[state.value()] = states_[state]->node_class; });
    ClassId like;
    std::uint32_t alike = 0;
    const auto append = [&] {
        if (alike != 0) idle.states_.append(alike, {like, 0, classes().known(like).idle});
        alike = 0;
    };
    states_.by_node().for_each([&](std::size_t, StateId state) {
        const ClassId here = by_state[state.value()];
        if (here != like) append();
        like = here;
        ++alike;
    });
    append();
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
