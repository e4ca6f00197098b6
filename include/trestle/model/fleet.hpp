// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sets of nodes with a name: partitions (may overlap, carry limits) and fleets (exclusive).
//
// Layer: model. Main types: Partition, Fleet. Plain descriptions; that a node belongs to one fleet
// only is checked where fleets meet, by check(fleets).
// A reader would get wrong: the same node may be in two partitions, never in two fleets; and of the
// limits place() reads the nodes and the state of a partition only, the others are carried.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

/// Whether a partition takes and starts jobs.
enum class PartitionState { up, down, drain, inactive };

constexpr auto enum_names(PartitionState) {
    using enum PartitionState;
    return std::array{named(up, "up"), named(down, "down"), named(drain, "drain"),
                      named(inactive, "inactive")};
}

/// A named set of nodes with limits; partitions may overlap.
struct Partition {
    std::string name;
    NodeSet nodes;
    bool is_default = false;
    PartitionState state = PartitionState::up;
    Range<Count> nodes_per_job;
    std::optional<Seconds> max_time;
    std::optional<Seconds> default_time;

    static constexpr auto fields() {
        return field_list(field("name", &Partition::name), field("nodes", &Partition::nodes),
                          field("is_default", &Partition::is_default),
                          field("state", &Partition::state),
                          field("nodes_per_job", &Partition::nodes_per_job),
                          field("max_time", &Partition::max_time),
                          field("default_time", &Partition::default_time));
    }
    friend bool operator==(const Partition&, const Partition&) = default;
};

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

    static constexpr auto fields() {
        return field_list(field("name", &Fleet::name), field("nodes", &Fleet::nodes),
                          field("size", &Fleet::size), field("placement", &Fleet::placement),
                          field("blocks", &Fleet::blocks));
    }
    friend bool operator==(const Fleet&, const Fleet&) = default;
};

/// Ok when no node is in two fleets and every fleet cuts into at least one block.
/// Errors: InvalidArgument that names both fleets and the node.
[[nodiscard]] inline Status check(const std::vector<Fleet>& fleets) {
    for (std::size_t i = 0; i < fleets.size(); ++i) {
        if (fleets[i].blocks.is_zero()) {
            return invalid_argument("fleet {}: blocks=0, expected 1 or more", fleets[i].name);
        }
        for (std::size_t j = 0; j < i; ++j) {
            const auto common = (fleets[i].nodes & fleets[j].nodes).first();
            if (common) {
                return invalid_argument("fleet {}: node {} belongs to fleet {} already",
                                        fleets[i].name, common->value(), fleets[j].name);
            }
        }
    }
    return {};
}

}  // namespace trestle
