// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/kept_allocation.hpp"

#include <utility>

#include "alloc/cluster/cluster_impl.hpp"

namespace trestle {

namespace detail {

KeptAllocation::KeptAllocation(Cow<Allocation> allocation) : value_(std::move(allocation)) {
    if (!value_->placement.nodes.empty()) first_node_ = value_->placement.nodes.front().node;
}

AllocationFinder::AllocationFinder(const Cluster& cluster)
    : allocations_(cluster.impl().allocations_) {}

}  // namespace detail

}  // namespace trestle
