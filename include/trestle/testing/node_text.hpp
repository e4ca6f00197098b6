// SPDX-License-Identifier: Apache-2.0
#pragma once

// Nodes from one line and back: node_from_text("2s16c2t mem=512G gpu:a100-80G:8@nvlink nic:2").
//
// Layer: testing. The first word is the hardware: `2s16c2t`, 2 sockets of 16 cores of 2 threads;
// `s` and `t` may be left out. Then, separated by blanks, in any order, all optional:
//   mem=512G numa=2 l3=4 system=0-1   memory of the node. Domains, caches of a socket. Core ids
//   hbm=64G pmem=1T disk=2T           memory-only domains, one a socket. Local disk
//   arch=arm name=n0 weight=2 features=a,b state=drained health=warning
//   NAME[:TYPE][-SIZE][:COUNT][/SHARES][@WORD]...: devices such as gpu:a100-80G:8/4@nvlink@s1
//     WORD nvlink, nvlink-pairs, both with *STRENGTH. Any, s0, s1...: near to, by default spread.
//     Switch0...: PCI switches above, outermost first. Reserve2: cores of each for its users only.
//     Slices=a100-40gb. Warning, failure, unknown, drained
// Pitfall: mem= is the whole node's, and devices are dealt to sockets in order. A size has a unit:
// B, K, M, G, T or P, in powers of 1024.

#include <optional>
#include <string>
#include <string_view>

#include "trestle/base/status.hpp"
#include "trestle/base/text.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/node_builder.hpp"

namespace trestle::testing {

/// The node that a line describes: make_node of the description that it gives.
/// Errors: InvalidArgument, one line: what is wrong, the offset and word, what was expected; errors
/// of make_node.
[[nodiscard]] StatusOr<Node> node_from_text(std::string_view text);

/// The line that makes this very node: node_from_text(*node_to_text(x)) == x. Nullopt if there is
/// none: the node is irregular, or has what lines cannot express, such as device files.
[[nodiscard]] std::optional<std::string> node_to_text(const Node& node);

}  // namespace trestle::testing
