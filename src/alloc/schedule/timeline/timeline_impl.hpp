// SPDX-License-Identifier: Apache-2.0
#pragma once

// Timeline::Impl: how a timeline keeps its periods and reservations, and every change of them.
//
// Layer: alloc (private). Each change checks everything first; a sink hears of it when all is done.

#include <absl/functional/function_ref.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "alloc/cluster/states/journal.hpp"
#include "alloc/schedule/detail/least_free.hpp"
#include "alloc/schedule/detail/node_periods.hpp"
#include "alloc/schedule/timeline/owner_moment.hpp"
#include "base/cow/cow.hpp"
#include "base/cow/cow_map.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/hash.hpp"

namespace trestle {

class Timeline::Impl {
  public:
    Impl() = default;
    Impl(Cluster cluster, Instant now);
    [[nodiscard]] static StatusOr<Impl> create(Cluster cluster, const TimelineParts& parts);

    [[nodiscard]] const Cluster& cluster() const { return cluster_; }
    [[nodiscard]] Instant now() const { return now_; }
    [[nodiscard]] std::size_t size() const { return periods_.size(); }
    [[nodiscard]] std::optional<Period> period_of(OwnerId owner) const;
    [[nodiscard]] const Allocation* find_allocation(OwnerId owner) const;
    [[nodiscard]] std::vector<TimedAllocation> reservations() const;
    [[nodiscard]] TimelineParts parts() const;
    [[nodiscard]] std::optional<Instant> next_change() const;
    [[nodiscard]] StatusOr<Cluster> free_at(Instant at) const;
    [[nodiscard]] std::vector<ClusterCount> free_counts(const Period& period) const;
    [[nodiscard]] Status reserve(Allocation allocation, const Period& period,
                                 const TraceSink& sink);
    [[nodiscard]] StatusOr<TimedAllocation> cancel(OwnerId owner, const TraceSink& sink);
    [[nodiscard]] Status set_end(OwnerId owner, Instant end);
    [[nodiscard]] StatusOr<Timeline::Advance> advance(Instant to, const TraceSink& sink);
    [[nodiscard]] Status change_cluster(absl::FunctionRef<Status(Cluster&)> change);
    [[nodiscard]] const CowMap<OwnerId, Period>& periods() const { return periods_; }
    [[nodiscard]] const CowMap<OwnerId, Cow<Allocation>>& reserved() const { return reserved_; }
    [[nodiscard]] const Moments& starts() const { return starts_; }
    [[nodiscard]] const Moments& ends() const { return ends_; }
    [[nodiscard]] NodeStateData state(NodeId node, const Period& period) const;
    [[nodiscard]] Period starts_around(NodeId node, Instant at) const;
    [[nodiscard]] MilliCpu most_cpus(NodeId node, const std::string& partition,
                                     const Period& period) const;
    [[nodiscard]] const OwnerJournal& journal() const { return journal_; }
    void for_each_different_owner(const Impl& other, absl::FunctionRef<void(OwnerId)> visit) const;
    [[nodiscard]] bool equals(const Impl& other) const;
    void hash_into(HashState& state) const;

  private:
    /// The owners on the node in the period, by their start; without one of them.
    [[nodiscard]] std::vector<detail::PartPeriod> parts_on(NodeId node, const Period& period,
                                                           std::optional<OwnerId> but = {}) const;
    /// Ok when the owner can have the placement all through the period, beside all others.
    [[nodiscard]] Status check_free(const Allocation& allocation, const Period& period) const;
    [[nodiscard]] Status check_free(const NodePlacement& part, OwnerId owner,
                                    const Period& period) const;
    [[nodiscard]] Status check_free_counts(const Allocation& allocation,
                                           const Period& period) const;
    /// Owners with licences or the like and their periods, by their start; without one of them.
    [[nodiscard]] std::vector<OwnerPeriod> counted_in(const Period& period,
                                                      std::optional<OwnerId> but = {}) const;
    template <class Visit>
    void for_each_free_counts(const std::vector<OwnerPeriod>& there, const Period& period,
                              const Visit& visit) const;

    // The changes, without a word to a sink of their refusals.
    [[nodiscard]] Status take(Allocation allocation, const Period& period, const TraceSink& sink);
    [[nodiscard]] StatusOr<TimedAllocation> give_back(OwnerId owner, const TraceSink& sink);

    void enter(OwnerId owner, const Period& period);
    void forget(OwnerId owner, const Period& period);
    void enter_reserved(Cow<Allocation> allocation, const Period& period);
    [[nodiscard]] Cow<Allocation> take_reserved(OwnerId owner, const Period& period);

    Cluster cluster_;
    Instant now_;
    CowMap<OwnerId, Period> periods_;
    CowMap<OwnerId, Cow<Allocation>> reserved_;  ///< what does not run yet
    // What follows is made of these.
    Moments starts_;
    Moments ends_;
    CowMap<OwnerPeriod, char> counted_;  ///< of owners with cluster-wide counts
    detail::NodePeriods planned_;        ///< of what is reserved
    OwnerJournal journal_;
};

}  // namespace trestle
