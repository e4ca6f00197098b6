// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the groups of a run go in one fleet: one after the other, each with its own resources.
//
// Layer: dialect/dstack, inside. Main names: GroupDemands, GroupsProposal, propose_groups.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "candidates.hpp"
#include "proposal.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/dstack/run/plan.hpp"

namespace trestle::dstack {

/// What each group of a run asks of its nodes.
struct GroupDemands {
    std::vector<std::unique_ptr<RunConfiguration>> runs;  ///< of which the demands are
    std::vector<RunDemand> demands;
    bool is_one_place = false;  ///< nodes of one task, which have to reach each other
};

/// One replica of each group of a service that may have some; all nodes of a task.
/// Errors: as at demand_of, and for resources as at check(request); with the name of the group.
[[nodiscard]] StatusOr<GroupDemands> group_demands_of(const RunConfiguration& run,
                                                      const MatchOptions& options);

/// How a fleet would take all groups.
struct GroupsProposal {
    RunPlan plan;  ///< nodes, group by group, and new instances
    FleetAnswer answer;
    /// Of new instances; where they are more than created_blocks_limit the plan ends there.
    std::int64_t created_blocks = 0;

    /// Less is better; only with capacity.
    [[nodiscard]] std::tuple<std::size_t, Microdollars, Microdollars> key() const;
};

/// All groups or none; of several places that of the fewest new instances, the cheapest reused
/// ones, the cheapest first offer, the first.
[[nodiscard]] GroupsProposal propose_groups(const World& world, const FleetConfiguration& fleet,
                                            const GroupDemands& demands, OwnerId owner);

}  // namespace trestle::dstack
