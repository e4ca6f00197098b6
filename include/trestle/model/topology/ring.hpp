// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rings of nodes, each connected to the next and the last one to the first.
//
// Layer: model. Main types: Ring, RingTopology.
// Pitfall: the order of `nodes` is the order around the ring, not that of ids.

#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

/// Rings beside each other; a job lies on one of them.
struct RingTopology {
    /// One ring.
    struct Ring {
        std::string name;
        std::vector<NodeId> nodes;  ///< in order, the first follows the last

        static constexpr auto fields(auto list) {
            return list(field("name", &Ring::name), field("nodes", &Ring::nodes));
        }
        friend bool operator==(const Ring&, const Ring&) = default;
    };

    std::string name;
    std::vector<Ring> rings;

    static constexpr auto fields(auto list) {
        return list(field("name", &RingTopology::name), field("rings", &RingTopology::rings));
    }
    friend bool operator==(const RingTopology&, const RingTopology&) = default;
};

/// Ok when rings have names of their own and no node has two places on them.
/// Errors: InvalidArgument that names the ring.
[[nodiscard]] Status check(const RingTopology& topology);

}  // namespace trestle
