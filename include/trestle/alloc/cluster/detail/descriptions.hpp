// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a cluster comes to be and is described anew: the member functions of Cluster about what
// there is.
//
// Layer: alloc (detail). Included by alloc/cluster.hpp.
// A reader would get wrong: the classes of a description only grow, so that states which a trial
// goes back to still have theirs; undoing goes back to a description that had fewer.

#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"

namespace trestle {

namespace detail {

/// Ok when nodes that were not removed have names, and removed ones none.
[[nodiscard]] Status check_name(const Node& node, std::size_t position);

[[nodiscard]] bool has_same_class(const Node& a, const Node& b);

/// Names and shapes of nodes that begin at `first` in the cluster.
[[nodiscard]] Status append_names(NodeNames& names, const std::vector<Node>& nodes);

/// The names of an outline, whose shapes and kinds are in order.
[[nodiscard]] StatusOr<NodeNames> names_of(const ClusterOutline& outline);

}  // namespace detail

template <class Visit>
void Cluster::for_each_different_node(const Cluster& other, const Visit& visit) const {
    if (!description_->names.is_same_object(other.description_->names)) {
        description_->names->for_each_difference(*other.description_->names, visit);
    }
    states_.for_each_difference(other.states_, visit);
}

bool operator==(const Cluster& a, const Cluster& b);

}  // namespace trestle
