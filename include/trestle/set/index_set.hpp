// SPDX-License-Identifier: Apache-2.0
#pragma once

// IndexSet: a set of things across a cluster (nodes, jobs), sparse or dense, up to billions.
//
// Layer: set. Main types: IndexSet<Index>, NodeSet. A Roaring bitmap; for sets inside one node see
// SmallSet. insert, erase, contains, next and last are O(log n) in chunks of 2^16 numbers. Count,
// nth, rank, order and the operators are O(chunks) plus the work inside. Hash, text and first_run
// are O(runs of members), walking is O(members). The functions stand in set/basic_set.hpp.
// Pitfall: members are below 2^32 - 1, so that [first, end) can name every run.

#include <cstdint>

#include "trestle/base/ids.hpp"
#include "trestle/set/basic_set.hpp"
#include "trestle/set/detail/roaring.hpp"

namespace trestle {

template <class Index = std::uint32_t>
using IndexSet = BasicSet<Index, detail::RoaringSet>;

using NodeSet = IndexSet<NodeId>;  ///< nodes of a cluster

}  // namespace trestle
