// SPDX-License-Identifier: Apache-2.0
#pragma once

// A placement in the words of its nodes: names of nodes and devices instead of numbers.
//
// Layer: alloc. Main functions: units_to_text, to_text(placement, node). For text that needs no
// node see model/placement.hpp.
// A reader would get wrong: the text is for people; it is not read back.

#include <string>

#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

/// `cores=0-7 milli_cpus=500 memory=0:16GiB devices=gpu:0,gpu:1(1/4),gpu:2[1g.10gb@4]`: what is
/// given of a node. Requires: the devices exist on the node.
[[nodiscard]] std::string units_to_text(const NodePlacement& placement, const Node& node);

/// The same behind the node's name: `n1 cores=0-7 ...`. Requires: as above.
[[nodiscard]] inline std::string to_text(const NodePlacement& placement, const Node& node) {
    return node.name + " " + units_to_text(placement, node);
}

}  // namespace trestle
