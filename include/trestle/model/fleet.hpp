// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fleets: sets of nodes with a name, of which no node is in two.
//
// Layer: model. Main type: Fleet. A plain description; that a node belongs to one fleet only is
// checked where fleets meet: by check(fleets), and by Cluster when one joins.
// Pitfall: the same node may be in two partitions, never in two fleets.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

/// Where the nodes of a fleet are wanted.
enum class FleetPlacement { any, cluster };

constexpr auto enum_names(FleetPlacement) {
    return std::array{named(FleetPlacement::any, "any"), named(FleetPlacement::cluster, "cluster")};
}

/// Nodes that belong together; no node is in two fleets.
struct Fleet {
    std::string name;
    NodeSet nodes;
    Range<Count> size;  ///< how many nodes it may have
    FleetPlacement placement = FleetPlacement::any;
    Count blocks{1};  ///< the equal parts that each node is cut into

    static constexpr auto fields(auto list) {
        return list(field("name", &Fleet::name), field("nodes", &Fleet::nodes),
                    field("size", &Fleet::size), field("placement", &Fleet::placement),
                    field("blocks", &Fleet::blocks));
    }
    friend bool operator==(const Fleet&, const Fleet&) = default;
};

/// Ok when no node is in two fleets and every fleet cuts into at least one block.
/// Errors: InvalidArgument that names both fleets and the node.
[[nodiscard]] Status check(const std::vector<Fleet>& fleets);

}  // namespace trestle
