// SPDX-License-Identifier: Apache-2.0
#pragma once

// The values behind handles: those that are more than one value of the library, and the kind of
// each.
//
// Main names: ClusterValue, RequestValue, TimelineValue, EnforcerValue, kind_for.
// Pitfall: trials refer to their cluster, so they end before it, the last one first.

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "border.hpp"
#include "handle.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/place_options.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/alloc/cluster/place/prepared_request.hpp"
#include "trestle/alloc/market/offers/catalog.hpp"
#include "trestle/alloc/market/offers/offer_filter.hpp"
#include "trestle/alloc/schedule/earliest_start.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/enforce/enforcer.hpp"
#include "trestle/enforce/memory_enforcer.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::c {

/// A cluster with its memory of decisions and its open trials. One with an open trial is not moved.
struct ClusterValue {
    explicit ClusterValue(Cluster made, PlaceOptions chosen = {})
        : cluster(std::move(made)), options(std::move(chosen)), placer(options) {}
    ClusterValue(ClusterValue&&) = default;
    ClusterValue& operator=(ClusterValue&&) = delete;
    ~ClusterValue() {
        while (!trials.empty()) {
            trials.back()->keep();
            trials.pop_back();
        }
    }

    Cluster cluster;
    PlaceOptions options;
    Placer placer;
    std::vector<std::unique_ptr<Cluster::Trial>> trials;  ///< the innermost last
};

/// A request, and what its text says of offers.
struct RequestValue {
    PreparedRequest prepared;
    OfferFilter filter;
};

struct TimelineValue {
    TimelineValue(Timeline made, PlaceOptions chosen)
        : timeline(std::move(made)), options(std::move(chosen)), finder(options) {}

    Timeline timeline;
    PlaceOptions options;
    StartFinder finder;
};

struct EnforcerValue {
    std::unique_ptr<Enforcer> enforcer;
    MemoryEnforcer* memory = nullptr;  ///< the same, where it is one in memory
};

template <>
inline constexpr Kind kind_for<ClusterValue> = Kind::cluster;
template <>
inline constexpr Kind kind_for<RequestValue> = Kind::request;
template <>
inline constexpr Kind kind_for<Placement> = Kind::placement;
template <>
inline constexpr Kind kind_for<TimelineValue> = Kind::timeline;
template <>
inline constexpr Kind kind_for<Plan> = Kind::plan;
template <>
inline constexpr Kind kind_for<EnforcerValue> = Kind::enforcer;
template <>
inline constexpr Kind kind_for<slurm::Controller> = Kind::controller;
template <>
inline constexpr Kind kind_for<Catalog> = Kind::catalog;

}  // namespace trestle::c
