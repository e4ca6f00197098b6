// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a node gives, in the words of its devices.
//
// Layer: model. Main function: units_to_text.

#include <string>

#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

/// `cores=0-7 milli_cpus=500 memory=0:16GiB devices=gpu:0,gpu:1(1/4),gpu:2[1g.10gb@4]`: what is
/// given of a node. Requires: the devices exist on the node.
[[nodiscard]] std::string units_to_text(const NodePlacement& placement, const Node& node);

}  // namespace trestle
