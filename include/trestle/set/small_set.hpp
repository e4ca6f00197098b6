// SPDX-License-Identifier: Apache-2.0
#pragma once

// SmallSet: the set of things inside one node (cores, threads, devices, memory domains).
//
// Layer: set. Main types: SmallSet<Index>, CoreSet, PuSet, DeviceSet, DomainSet. A bitmap that lies
// in place up to 256 bits and allocates only beyond; for sets over a cluster see IndexSet.
// Complexity: insert, erase and contains are O(1) but for growth, count_in and rank O(length / 64),
// all others O(last member / 64). The functions stand in set/basic_set.hpp.
// Pitfall: members are below 2^20, so that a stray number cannot eat the memory.

#include <cstdint>

#include "trestle/base/ids.hpp"
#include "trestle/set/basic_set.hpp"
#include "trestle/set/detail/word_set.hpp"

namespace trestle {

template <class Index = std::uint32_t>
using SmallSet = BasicSet<Index, detail::WordSet>;

using CoreSet = SmallSet<CoreId>;      ///< cores by their position in the hardware tree
using PuSet = SmallSet<OsIndex>;       ///< hardware threads as the kernel numbers them
using DeviceSet = SmallSet<DeviceId>;  ///< devices of one node
using DomainSet = SmallSet<DomainId>;  ///< memory domains of one node

}  // namespace trestle
