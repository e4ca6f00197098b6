// SPDX-License-Identifier: Apache-2.0
#pragma once

// spec_of: reads a NodeSpec off a node, if one can express it.
//
// Layer: testing. Every number is guessed from the obvious place; the guess counts only when the
// node that it describes is equal to the given one.

#include <optional>
#include <vector>

#include "trestle/testing/node_spec.hpp"

namespace trestle::testing {

namespace detail {

[[nodiscard]] bool is_alike(const Device& a, const Device& b);

/// The strength of each link between the devices [first, last) of a shape, by position.
class LinkTable {
  public:
    explicit LinkTable(const NodeShape& shape);
    /// Between a < b; nothing when they are not linked.
    [[nodiscard]] std::optional<std::uint32_t> between(std::size_t a, std::size_t b) const {
        return strength_[a * size_ + b];
    }

  private:
    std::size_t size_;
    std::vector<std::optional<std::uint32_t>> strength_;
};

/// The linking of the devices [first, last), when none of them is linked to a later one.
[[nodiscard]] bool describe_links(const NodeShape& shape, const LinkTable& links, std::size_t first,
                                  DeviceSpec& spec);

[[nodiscard]] bool describe_nearness(const NodeShape& shape, const NodeSpec& node,
                                     std::size_t first, DeviceSpec& spec);

[[nodiscard]] bool describe_reserved(const NodeShape& shape, std::size_t first, DeviceSpec& spec);

[[nodiscard]] std::optional<std::vector<DeviceSpec>> describe_devices(const NodeShape& shape,
                                                                      const NodeSpec& node);

[[nodiscard]] Bytes memory_of_kind(const NodeShape& shape, MemoryKind kind);

}  // namespace detail

/// The spec that makes this very node, or nothing when the node is not regular enough.
[[nodiscard]] std::optional<NodeSpec> spec_of(const Node& node);

}  // namespace trestle::testing
