// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/node_owners.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace trestle {

namespace detail {

std::uint64_t NodeOwner::kinds() const { return kind == no_kind ? 0 : std::uint64_t{1} << kind; }

std::span<const NodeOwner> NodeOwners::on(NodeId node) const {
    if (node.value() >= by_node_.size()) return {};
    return *by_node_[node.value()];
}

void NodeOwners::add(NodeId node, NodeOwner owner) {
    if (node.value() >= by_node_.size()) by_node_.resize(std::size_t{node.value()} + 1);
    List& owners = by_node_.write(node.value()).write();
    if (owners.empty() || owners.back().owner < owner.owner) {
        owners.push_back(owner);  // the usual case: owner ids rise
    } else {
        owners.insert(place_of(owners, owner.owner), owner);
    }
}

void NodeOwners::remove(NodeId node, OwnerId owner) {
    Cow<List>& slot = by_node_.write(node.value());
    if (slot->size() == 1) {
        slot = {};
        return;
    }
    List& owners = slot.write();
    owners.erase(place_of(owners, owner));
}

NodeOwners::List::iterator NodeOwners::place_of(List& owners, OwnerId owner) {
    return std::lower_bound(
        owners.begin(), owners.end(), owner,
        [](const NodeOwner& one, OwnerId wanted) { return one.owner < wanted; });
}

}  // namespace detail

}  // namespace trestle
