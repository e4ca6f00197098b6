// SPDX-License-Identifier: Apache-2.0
#pragma once

// MoveTrials: a cluster to try moves on, and a budget for that.
//
// Layer: alloc (detail). Main types: Mover, Destination, MoveTrials; movers_of. A move is checked
// and made as the caller would carry it out.
// Pitfall: an owner that is away keeps its licences and the like, since wherever it goes it takes
// them along.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/alloc/schedule/compaction_plan.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/request.hpp"
#include "trestle/model/tres.hpp"

namespace trestle::detail {

/// CPUs, memory, devices by name and cluster-wide counts, all nodes together; types and the number
/// of nodes may change in a move.
[[nodiscard]] TresCounts held_amounts(const Cluster& cluster, const Placement& placement);

/// True when nothing of `least` is missing.
[[nodiscard]] bool has_all(const TresCounts& amounts, const TresCounts& least);

/// An owner that may move.
struct Mover {
    const Allocation& held;  ///< in the cluster that was asked for it

    [[nodiscard]] OwnerId owner() const { return held.owner; }
};

/// By owner, good until the cluster changes; owners without a known request stay. Errors: those of
/// plan_compaction() for `movable`.
[[nodiscard]] StatusOr<std::vector<Mover>> movers_of(const Cluster& cluster,
                                                     std::span<const OwnerId> movable);

/// What place() says to an owner that is to move.
struct Destination {
    bool fits = false;            ///< it has a place
    std::optional<Placement> to;  ///< which is another than it has, and not less
};

class MoveTrials {
  public:
    MoveTrials(const Cluster& cluster, const PlaceOptions& options, const CompactionRules& rules,
               const std::function<void()>& watch)
        : cluster_(cluster), placer_(options), rules_(rules), left_(rules.trials_max) {
        placer_.set_watch(watch);
    }

    [[nodiscard]] Cluster& cluster() { return cluster_; }
    [[nodiscard]] const CompactionRules& rules() const { return rules_; }
    [[nodiscard]] const NodePolicy& policy() const { return placer_.options().policy; }
    /// The nodes that the rules let moved owners come to.
    [[nodiscard]] NodeSet destinations() const;
    /// True when something was not tried for want of a budget.
    [[nodiscard]] bool is_over() const { return is_over_; }
    /// True when every no was one: nothing was left out, and place() has never given up.
    [[nodiscard]] bool is_sure() const { return !is_over_ && !has_given_up_; }
    [[nodiscard]] std::uint64_t left() const { return left_; }
    /// False, with nothing done from now on, when there are fewer than `trials`.
    [[nodiscard]] bool spend(std::uint64_t trials);
    /// What is done within some of the budget; what was not sure there is forgotten behind it.
    void set_aside(std::uint64_t trials);
    void bring_back();

    /// What place() says of the request as things are; no trial.
    [[nodiscard]] Verdict<Placement> place(const PreparedRequest& request,
                                           const NodeFilter& filter);

    /// What place() gives when these are away, while there is a budget.
    [[nodiscard]] std::optional<Placement> place_without(std::span<const Mover* const> away,
                                                         const PreparedRequest& request,
                                                         const NodeFilter& filter);

    /// Where the owner can go among `nodes`, and those that the rules name; null: all.
    [[nodiscard]] Destination destination(const Mover& mover, const NodeSet* nodes);
    /// Requires: destination() has just said so.
    void make(const Mover& mover, const Placement& to);

  private:
    /// What an owner takes along. Of the many that may move few are ever asked for it.
    struct Baggage {
        PreparedRequest request;  ///< that it was made with
        TresCounts amounts;
    };

    [[nodiscard]] const Baggage& baggage_of(const Mover& mover);
    void put_away(const Mover& mover);

    Cluster cluster_;
    Placer placer_;
    const CompactionRules& rules_;
    std::unordered_map<const Mover*, Baggage> baggage_;
    std::uint64_t left_;
    std::uint64_t aside_ = 0;
    bool is_over_ = false;
    bool has_given_up_ = false;  ///< place() did
};

}  // namespace trestle::detail
