// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/kept_allocation.hpp"

#include <utility>

namespace trestle {

namespace detail {

KeptAllocation::KeptAllocation(Cow<Allocation> allocation) : value_(std::move(allocation)) {
    if (!value_->placement.nodes.empty()) first_node_ = value_->placement.nodes.front().node;
}

}  // namespace detail

}  // namespace trestle
