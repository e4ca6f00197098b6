// SPDX-License-Identifier: Apache-2.0
#pragma once

// The class that a node is of.
//
// Layer: alloc. Main function: class_of.

#include "trestle/alloc/cluster/node_class.hpp"
#include "trestle/model/node.hpp"

namespace trestle {

[[nodiscard]] NodeClass class_of(const Node& node);

}  // namespace trestle
