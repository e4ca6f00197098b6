// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a run goes: into blocks of instances that are there, into new instances, or nowhere.
//
// Layer: dialect/dstack. Main names: plan_run (one decision, nothing changes), RunPlan,
// apply_plan and release_run (state in, state out).
// Pitfall: a fleet's resources are about whole instances, a run's about its share, so a run for one
// GPU goes into a fleet of 8-GPU hosts in blocks; and what is there already is held against the
// run's wishes alone.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trestle/alloc/market/offers/catalog.hpp"
#include "trestle/alloc/market/offers/instance.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/dialect/dstack/configuration.hpp"
#include "trestle/dialect/dstack/offers/match.hpp"

namespace trestle::dstack {

/// One node of a run.
struct PlannedNode {
    InstanceShare share;  ///< names the instance and the blocks
    std::optional<std::uint32_t>
        offer;           ///< position in the catalog of what is bought; absent: reuse
    Microdollars price;  ///< of the whole instance, an hour

    static constexpr auto fields(auto list) {
        return list(field("share", &PlannedNode::share), field("offer", &PlannedNode::offer),
                    field("price", &PlannedNode::price));
    }
    friend bool operator==(const PlannedNode&, const PlannedNode&) = default;
};

/// What a fleet can do for a run.
struct FleetAnswer {
    std::string fleet;
    bool has_capacity = false;
    std::optional<Refusal> reuse;             ///< why not all nodes are instances that are there
    std::optional<Refusal> creation;          ///< why no instance can be made
    std::optional<Microdollars> reuse_price;  ///< of the reused instances together, an hour
    std::optional<Microdollars> offer_price;  ///< of the cheapest instance that can be made

    static constexpr auto fields(auto list) {
        return list(field("fleet", &FleetAnswer::fleet),
                    field("has_capacity", &FleetAnswer::has_capacity),
                    field("reuse", &FleetAnswer::reuse), field("creation", &FleetAnswer::creation),
                    field("reuse_price", &FleetAnswer::reuse_price),
                    field("offer_price", &FleetAnswer::offer_price));
    }
    friend bool operator==(const FleetAnswer&, const FleetAnswer&) = default;
};

/// The most blocks that the new instances of one plan have together.
inline constexpr std::int64_t created_blocks_limit = std::int64_t{1} << 22;

/// The decision for a run.
struct RunPlan {
    OwnerId owner;
    std::string fleet;                ///< empty: there is no capacity, and `fleets` says why
    std::vector<Instance> created;    ///< to be created; their blocks are free yet
    std::vector<PlannedNode> nodes;   ///< by rank, each on an instance of its own
    std::vector<FleetAnswer> fleets;  ///< in the order of the fleets, then unknown ones
    /// Without capacity: the bare values of the run to blame, as in OffersExplanation (hints_text).
    std::vector<BareHint> hints;
    bool is_together = false;  ///< the hints count together only

    [[nodiscard]] bool has_capacity() const { return !nodes.empty(); }

    static constexpr auto fields(auto list) {
        return list(field("owner", &RunPlan::owner), field("fleet", &RunPlan::fleet),
                    field("created", &RunPlan::created), field("nodes", &RunPlan::nodes),
                    field("fleets", &RunPlan::fleets), field("hints", &RunPlan::hints),
                    field("is_together", &RunPlan::is_together));
    }
    friend bool operator==(const RunPlan&, const RunPlan&) = default;
};

/// Decides where a run goes.
///
/// What is there and what is offered is judged alike, by check_offer with filter_of and request_of
/// the profile, resources_of the run, which adds what dstack infers of them, and options_of it.
/// A run that names instances (`instances:`) has those only, and none is made for it. An instance
/// is reused when it is running or being made, reachable, not failed, of the reservation that the
/// run names, if any, when it meets the run's profile and the smallest number of its blocks that
/// meets the resources is free; where its zone is unknown it may be any. An offer is made into an
/// instance of a fleet when the fleet has room below the end of its nodes, the run may create, the
/// offer meets what both profiles say together (combine) and, in the fleet's blocks, the fleet's
/// resources as a whole and the run's in the smallest number of blocks. Without a policy a run
/// takes on-demand instances only, and a fleet makes no others. `options` say what the run needs
/// beside what it says itself, and what backends can do; `nodes` and `blocks` are those of the run
/// and the fleets whatever they say, and `offers_max` plays no part. In a fleet with placement
/// cluster only what backends with several nodes offer is made, for whatever run.
///
/// Instances of a fleet are tried in this order: running ones first, cheapest, smallest share
/// (GPUs, CPUs, bytes), fewest usable GPUs and CPUs left beside it, first in the list.
/// Offers: in the catalog's order, that is cheapest, earlier backend, earlier row.
///
/// A run of several nodes takes whole instances, all of one fleet with placement cluster and of one
/// backend and region: as many that are there as possible, then new ones of the first offer; all or
/// none. Of several places the one with the fewest new instances, then the cheapest reused ones,
/// the cheapest offer, the first in the lists. In a fleet with that placement new instances are
/// made only where it has some.
///
/// Of the fleets that can take the run, the order is that of places: fewest new instances, cheapest
/// reused ones, cheapest offer, first in the list; for one node that is dstack's.
///
/// Errors: InvalidArgument for a fleet without a name of its own, an instance as at
/// check(instance), a name that two have, a run of no nodes or of more than run_nodes_limit, new
/// instances with more than created_blocks_limit blocks together, what options_of and instances_of
/// refuse, or resources of a run or fleet as at check(request); FailedPrecondition, naming the
/// instance, when the owner has blocks already. Complexity: fleets, times instances and
/// match_offers of the catalog; a fleet that can make nothing looks once at each offer; without
/// capacity each bare value of the run is one plan more.
[[nodiscard]] StatusOr<RunPlan> plan_run(std::span<const FleetConfiguration> fleets,
                                         std::span<const Instance> instances,
                                         const Catalog& catalog, const RunConfiguration& run,
                                         OwnerId owner, const MatchOptions& options = {});

/// The instances after a plan: new ones added, blocks taken. It need not be the state that was
/// planned for: what others have taken since is an error, so nothing is assigned twice.
/// Errors: NotFound for an instance that is gone; AlreadyExists for a new one whose name is taken;
/// InvalidArgument as at check(instance), for a new one and for one of which blocks are taken, and
/// as at take_blocks; FailedPrecondition as there, and for an instance that no longer takes work.
[[nodiscard]] StatusOr<std::vector<Instance>> apply_plan(std::vector<Instance> instances,
                                                         const RunPlan& plan);

/// The instances after the end of a run: all blocks of `owner` are free.
/// Errors: NotFound when it has none.
[[nodiscard]] StatusOr<std::vector<Instance>> release_run(std::vector<Instance> instances,
                                                          OwnerId owner);

}  // namespace trestle::dstack
