// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a run goes: into blocks of instances that are there, into new instances, or nowhere.
//
// Layer: dialect/dstack. Main names: plan_run (one decision, nothing changes), RunPlan,
// apply_plan and release_run (state in, state out).
// Pitfall: a fleet's resources describe whole instances, a run's resources its share. So a run for
// one GPU goes into a fleet of 8-GPU hosts in blocks. Existing instances are compared with the
// run's resources only.

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
    Instance::Share share;  ///< names the instance and the blocks
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
/// Instances and offers are judged alike, by check_offer. Its filter is filter_of the profile. Its
/// request is request_of the profile and resources_of the run, which adds what dstack infers.
/// options_of the run applies too. A run that names instances (`instances:`) gets those only, and
/// none is created for it.
///
/// An instance is reused under these conditions: it is running or being created, reachable and not
/// failed. It is of the reservation that the run names, if any. It meets the run's profile; and the
/// smallest number of its blocks that meets the resources is free. An unknown zone matches any.
///
/// An offer becomes an instance of a fleet under these conditions: the fleet has room below the
/// upper end of its nodes. The run may create instances. The offer meets both profiles together
/// (combine). In the fleet's blocks, the offer meets the fleet's resources as a whole and the run's
/// in the smallest number of blocks. Without a policy a run takes on-demand instances only, and a
/// fleet creates no others.
///
/// `options` have needs of the run beside those that it states, and what backends can do. Its
/// `nodes` and `blocks` are replaced by those of the run and the fleets, and `offers_max` is
/// ignored. A fleet with placement cluster creates only offers of backends with several nodes, for
/// any run.
///
/// The first difference decides between instances of a fleet. Running ones come first, then
/// cheapest, smallest share (GPUs, CPUs, bytes), fewest usable GPUs and CPUs left beside it, first
/// in the list. Offers come in the catalog's order: cheapest, earlier backend, earlier row.
///
/// A run of several nodes takes whole instances, all or none. All are of one fleet with placement
/// cluster and of one backend and region. It takes as many existing ones as possible, then new ones
/// of the first offer. Of several places the first difference decides: fewest new instances,
/// cheapest reused ones, cheapest offer, first in the lists. In a fleet with that placement new
/// instances are created only where it has some.
///
/// Between fleets that can take the run the same order decides; for one node that is dstack's.
///
/// Errors: InvalidArgument for a fleet without a unique name, an instance that check(instance)
/// rejects, and a name used twice. The same for a run of no nodes or of more than run_nodes_limit,
/// more than created_blocks_limit blocks in all new instances. The same for what options_of and
/// instances_of reject, and resources that check(request) rejects. FailedPrecondition, naming the
/// instance, when the owner has blocks already. Complexity: fleets, times instances and
/// match_offers of the catalog. A fleet that can create nothing looks once at each offer; without
/// capacity each bare value of the run is one plan more.
[[nodiscard]] StatusOr<RunPlan> plan_run(std::span<const FleetConfiguration> fleets,
                                         std::span<const Instance> instances,
                                         const Catalog& catalog, const RunConfiguration& run,
                                         OwnerId owner, const MatchOptions& options = {});

/// The instances after a plan: new ones added, blocks taken. The state may differ from the one that
/// was planned for. Blocks that were taken since are an error, so nothing is assigned twice.
/// Errors: NotFound for a missing instance. AlreadyExists for a new one with a known name.
/// InvalidArgument as at check(instance), for a new one and for one with taken blocks, and as at
/// take_blocks. FailedPrecondition as there, and for an instance that takes no more work.
[[nodiscard]] StatusOr<std::vector<Instance>> apply_plan(std::vector<Instance> instances,
                                                         const RunPlan& plan);

/// The instances after the end of a run: all blocks of `owner` are free.
/// Errors: NotFound when it has none.
[[nodiscard]] StatusOr<std::vector<Instance>> release_run(std::vector<Instance> instances,
                                                          OwnerId owner);

}  // namespace trestle::dstack
