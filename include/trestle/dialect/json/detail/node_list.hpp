// SPDX-License-Identifier: Apache-2.0
#pragma once

// A list of nodes as JSON, in which each shape stands once: `"shape":0` is that of the list's first
// node.
//
// Layer: dialect. For codec.hpp, which includes it.
// Pitfall: the number is a position in the list, so a node that is cut out of it says nothing.

#include <vector>

#include "trestle/dialect/json/detail/codecs.hpp"
#include "trestle/model/node.hpp"

namespace trestle::json::detail {

template <>
struct Codec<std::vector<Node>> {
    static Value write(const std::vector<Node>& nodes);
    static bool read(const Value& value, const Place& place, std::vector<Node>& result);
};

}  // namespace trestle::json::detail
