// SPDX-License-Identifier: Apache-2.0
#pragma once

// A placement in the words of its nodes: names of nodes and devices instead of numbers.
//
// Layer: alloc. Main function: to_text(placement, node). For text that needs no
// node see model/placement.hpp.
// A reader would get wrong: the text is for people; it is not read back.

#include <string>

#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

/// `n1 cores=0-7 milli_cpus=500 memory=0:16GiB devices=gpu:0,gpu:1(1/4),gpu:2[1g.10gb@4]`: the node
/// and what is given of it. Requires: the devices exist on the node.
[[nodiscard]] std::string to_text(const NodePlacement& placement, const Node& node);

}  // namespace trestle
