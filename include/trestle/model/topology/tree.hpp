// SPDX-License-Identifier: Apache-2.0
#pragma once

// A tree of switches, of any depth: leaf switches hold nodes, inner switches hold switches.
//
// Layer: model. Main types: Switch, TreeTopology.
// There may be several trees side by side; nodes of two of them have no switch in common.
// Pitfall: a parent stands before its children in `switches`, so a walk from the back sees children
// first.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

/// Switches above nodes.
struct TreeTopology {
    using SwitchId = Id<struct SwitchIdTag>;  ///< position in TreeTopology::switches

    /// A switch of the network. A leaf switch has nodes, an inner one is the parent of others; one
    /// with neither is an empty leaf.
    struct Switch {
        std::string name;
        std::optional<SwitchId> parent;
        NodeSet nodes;  ///< connected to it directly

        static constexpr auto fields(auto list) {
            return list(field("name", &Switch::name), field("parent", &Switch::parent),
                        field("nodes", &Switch::nodes));
        }
        friend bool operator==(const Switch&, const Switch&) = default;
    };

    std::string name;
    std::vector<Switch> switches;  ///< by SwitchId, parents before children

    static constexpr auto fields(auto list) {
        return list(field("name", &TreeTopology::name), field("switches", &TreeTopology::switches));
    }
    friend bool operator==(const TreeTopology&, const TreeTopology&) = default;
};

/// Ok when switches have names of their own and parents stand before children. A switch holds nodes
/// or switches but not both, and no node hangs at two. Errors: InvalidArgument that names the
/// switch.
[[nodiscard]] Status check(const TreeTopology& tree);

}  // namespace trestle
