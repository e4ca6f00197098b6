// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/node_periods.hpp"

#include <algorithm>
#include <span>

namespace trestle {

namespace detail {

std::span<const OwnerPeriod> NodePeriods::on(NodeId node) const {
    if (node.value() >= by_node_.size()) return {};
    return *by_node_[node.value()];
}

void NodePeriods::add(NodeId node, const OwnerPeriod& one) {
    if (node.value() >= by_node_.size()) by_node_.resize(std::size_t{node.value()} + 1);
    List& list = by_node_.write(node.value()).write();
    list.insert(std::lower_bound(list.begin(), list.end(), one), one);
}

void NodePeriods::remove(NodeId node, const OwnerPeriod& one) {
    Cow<List>& slot = by_node_.write(node.value());
    if (slot->size() == 1) {
        slot = {};
        return;
    }
    List& list = slot.write();
    list.erase(std::lower_bound(list.begin(), list.end(), one));
}

}  // namespace detail

}  // namespace trestle
