// SPDX-License-Identifier: Apache-2.0
#pragma once

// What of a fleet could be a node of a run, and why the rest could not.
//
// Layer: dialect/dstack, inside. Main type: FleetCandidates.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/dialect/dstack/configuration.hpp"
#include "trestle/model/instance.hpp"
#include "trestle/model/offer.hpp"
#include "trestle/model/request.hpp"

namespace trestle::dstack {

/// A run, and what it asks of one node.
struct RunDemand {
    const RunConfiguration& run;
    Request request;

    [[nodiscard]] std::size_t nodes() const { return static_cast<std::size_t>(run.nodes.value()); }
};

/// Whole instances where there are several nodes. Requires: run.nodes is not 0.
[[nodiscard]] RunDemand demand_of(const RunConfiguration& run);

/// An instance that can be reused. The order is that of preference.
struct ReuseCandidate {
    bool is_provisioning = false;
    Microdollars price;
    Count gpus;
    Count cpus;
    Bytes memory;
    Count gpus_left;  ///< in usable blocks beside the share
    Count cpus_left;
    std::size_t instance = 0;
    BlockSet blocks;

    friend auto operator<=>(const ReuseCandidate&, const ReuseCandidate&) = default;
};

/// An offer that can be made into an instance. The order is that of preference.
struct NewCandidate {
    Microdollars price;
    std::size_t backend = 0;  ///< its place among those that the run names
    std::size_t offer = 0;
    Count blocks;  ///< that the instance is cut into
    Count taken;   ///< of them by the run

    friend auto operator<=>(const NewCandidate&, const NewCandidate&) = default;
};

/// Why candidates are none, as one reason. `what` are they, in the plural.
class Refusals {
  public:
    explicit Refusals(std::string what) : what_(std::move(what)) {}

    void add(Refusal refusal);
    /// How many of each constraint, and an example of each; `none` where nothing was refused.
    [[nodiscard]] Refusal summary(const Refusal& none) const;

  private:
    struct Kind {
        Refusal first;
        std::int64_t count = 0;
    };

    std::string what_;
    std::vector<Kind> kinds_;
    std::int64_t count_ = 0;
};

/// All candidates of a fleet, best first.
struct FleetCandidates {
    std::vector<ReuseCandidate> reusable;
    std::vector<NewCandidate> creatable;
    Refusal reuse;         ///< why the other instances cannot be reused
    Refusal creation;      ///< why the other offers cannot be made into one
    std::size_t room = 0;  ///< how many instances may be made
};

[[nodiscard]] FleetCandidates candidates_of(const FleetConfiguration& fleet,
                                            std::span<const Instance> instances,
                                            std::span<const Offer> offers, const RunDemand& demand);

/// The offer as the fleet would cut it.
[[nodiscard]] Offer cut_offer(const FleetConfiguration& fleet, const Offer& offer);
/// True when the two lie in one backend and region.
[[nodiscard]] bool is_same_place(const Offer& a, const Offer& b);
/// True while the instance takes new work.
[[nodiscard]] bool takes_work(const Instance& instance);
/// The zones that an instance made for both may be in; empty: any, or none when both name some.
[[nodiscard]] std::vector<std::string> common_zones(const Profile& fleet, const Profile& run);
/// The reservation of either.
[[nodiscard]] const std::string& common_reservation(const Profile& fleet, const Profile& run);

}  // namespace trestle::dstack
