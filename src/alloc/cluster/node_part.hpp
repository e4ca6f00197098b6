// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parts of a placement: sum, difference and search.
//
// Layer: alloc (private). Main types: PartsOfNode. Main functions: sum, subtract, parts_on,
// for_each_node.
// Pitfall: a placement has several parts on a node that serves several components.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::detail {

/// `whole` and `more` together. Requires: both are of one node, and in one row.
[[nodiscard]] NodePlacement sum(NodePlacement whole, const NodePlacement& more);

/// `whole` without `part`, which it holds.
[[nodiscard]] NodePlacement subtract(NodePlacement whole, const NodePlacement& part);

[[nodiscard]] bool is_empty(const NodePlacement& part);

/// The order of parts in a placement: by node, then component.
[[nodiscard]] inline bool stands_before(const NodePlacement& a, const NodePlacement& b) {
    return a.node != b.node ? a.node < b.node : a.component < b.component;
}

/// The parts of a placement on one node, by component. Complexity: logarithmic in the parts.
[[nodiscard]] std::span<const NodePlacement> parts_on(const Placement& placement, NodeId node);

/// The part on the node for the component, or null. Complexity: logarithmic in the parts.
[[nodiscard]] const NodePlacement* find_part(const Placement& placement, NodeId node,
                                             std::uint32_t component);

/// visit(parts) for each node of the placement, which is in order: its parts.
template <class Visit>
void for_each_node(const Placement& placement, const Visit& visit) {
    const std::span<const NodePlacement> all(placement.nodes);
    for (std::size_t first = 0; first < all.size();) {
        std::size_t end = first + 1;
        while (end < all.size() && all[end].node == all[first].node) ++end;
        visit(all.subspan(first, end - first));
        first = end;
    }
}

/// What one owner has of a node, or is to have: a part for each component, and all of it together.
/// Requires: the parts lie in one row, here and below.
class PartsOfNode {
  public:
    /// The parts have to stay where they are.
    explicit PartsOfNode(std::span<const NodePlacement> parts) : parts_(parts) {
        if (parts.size() > 1) sum_ = std::make_unique<const NodePlacement>(sum_of(parts));
    }

    [[nodiscard]] std::span<const NodePlacement> parts() const { return parts_; }
    /// All together, as if it were for one component. Requires: there is a part.
    [[nodiscard]] const NodePlacement& whole() const { return sum_ ? *sum_ : parts_.front(); }

  private:
    [[nodiscard]] static NodePlacement sum_of(std::span<const NodePlacement> parts);

    std::span<const NodePlacement> parts_;
    std::unique_ptr<const NodePlacement> sum_;  ///< of more than one
};

/// Ok when the parts can stand side by side on a node of this shape: they take different cores, of
/// one row, and not more than there is. Errors: InvalidArgument that names the component.
[[nodiscard]] Status check_side_by_side(const NodeShape& shape,
                                        std::span<const NodePlacement> parts);

/// Ok when one owner can have `more` beside `held`: cores of one row, for each component used
/// alike, and of a device that is not used up not more than there is. Requires: `more` is free.
[[nodiscard]] Status check_addable(const PartsOfNode& held, const PartsOfNode& more,
                                   const NodeShape& shape);

}  // namespace trestle::detail
