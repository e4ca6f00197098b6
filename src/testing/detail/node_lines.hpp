// SPDX-License-Identifier: Apache-2.0
#pragma once

// Descriptions of nodes from text and back; the grammar is in node_text.hpp.
//
// Layer: testing (private). Main functions: parse_node, node_line. Bodies: node_text.cpp.

#include <string>

#include "trestle/base/text.hpp"
#include "trestle/model/node_builder.hpp"

namespace trestle::testing::detail {

/// The description that all of `text` gives.
[[nodiscard]] TextResult<NodeDescription> parse_node(TextCursor text);

/// The canonical line, which parse_node reads back. It omits defaults and the fields that lines
/// cannot express, such as attributes.
[[nodiscard]] std::string node_line(const NodeDescription& node);

}  // namespace trestle::testing::detail
