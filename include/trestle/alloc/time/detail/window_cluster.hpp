// SPDX-License-Identifier: Apache-2.0
#pragma once

// WindowCluster: a cluster in which all that is taken at any moment of a period is taken.
//
// Layer: alloc (detail). Main type: WindowCluster. What place() finds in it is free all through the
// period. It follows a timeline and moves on in time, and does only what differs: nodes on which
// somebody comes or goes. The journal of its cluster goes on all the while, so that a Placer that
// is asked about it stays quick.
// A reader would get wrong: its cluster is for place() and nothing else. Nodes are in states that
// no owners make up; owners are there only where a partition counts the CPUs of its jobs, all those
// of the period together, even if they do not meet.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/time/period.hpp"
#include "trestle/alloc/timeline.hpp"
#include "trestle/base/ids.hpp"

namespace trestle::detail {

class WindowCluster {
  public:
    [[nodiscard]] const Cluster& cluster() const { return cluster_; }

    /// Looks at a timeline, in a period that begins at now() or later and has a moment.
    /// Complexity: what changed since the last time, and differed then or does now.
    void open(const Timeline& timeline, const Period& period) {
        follow(timeline.cluster());
        period_ = period;
        const Instant first = period.first;
        for_each_until(timeline.ends(), first, [&](OwnerId owner) { change(timeline, owner); });
        for_each_before(timeline.starts(), {Instant(), period.last}, [&](OwnerId owner) {
            if (first < timeline.periods().find(owner)->last) change(timeline, owner);
        });
        settle(timeline);
    }
    /// Goes on to a period that begins and ends later, of the same timeline.
    /// Complexity: who ends or begins between.
    void move_on(const Timeline& timeline, const Period& period) {
        for (auto end = timeline.ends().lower_bound({period_.first, OwnerId(0)});
             end != timeline.ends().end() && end->key.at <= period.first; ++end) {
            change(timeline, end->key.owner);
        }
        for_each_before(timeline.starts(), {period_.last, period.last},
                        [&](OwnerId owner) { change(timeline, owner); });
        period_ = period;
        settle(timeline);
    }

  private:
    template <class Visit>
    static void for_each_until(const Timeline::Moments& moments, Instant last, const Visit& visit) {
        for (auto at = moments.begin(); at != moments.end() && at->key.at <= last; ++at) {
            visit(at->key.owner);
        }
    }
    template <class Visit>
    static void for_each_before(const Timeline::Moments& moments, const Period& between,
                                const Visit& visit) {
        for (auto at = moments.lower_bound({between.first, OwnerId(0)});
             at != moments.end() && at->key.at < between.last; ++at) {
            visit(at->key.owner);
        }
    }

    /// Takes the nodes back to what they are now, those that changed and those that differ.
    void follow(const Cluster& now) {
        const auto changed = now.journal().since(followed_);
        if (!changed || !description_.is_same_object(now.description())) {
            cluster_ = now;
            description_ = now.description();
            differing_.clear();
            stale_.clear();
        } else {
            stale_.insert(stale_.end(), changed->begin(), changed->end());
        }
        followed_ = now.journal().position();
        stale_.insert(stale_.end(), differing_.begin(), differing_.end());
        differing_.clear();
        counts_job_cpus_ = std::any_of(now.partitions().begin(), now.partitions().end(),
                                       [](const Partition& one) { return one.max_cpus_per_node; });
        if (counts_job_cpus_) {
            cluster_.allocations_ = now.allocations_;
            cluster_.owners_ = now.owners_;
        }
    }
    void change(const Timeline& timeline, OwnerId owner) {
        const Allocation& allocation = *timeline.find_allocation(owner);
        for (const NodePlacement& part : allocation.placement.nodes) {
            differing_.push_back(part.node);
            stale_.push_back(part.node);
        }
        if (counts_job_cpus_) owners_.push_back(owner);
    }
    void settle(const Timeline& timeline) {
        std::sort(stale_.begin(), stale_.end());
        stale_.erase(std::unique(stale_.begin(), stale_.end()), stale_.end());
        cluster_.states_.tidy();
        for (const NodeId node : stale_) {
            cluster_.put_state(node, cluster_.states_.intern(timeline.state(node, period_)));
        }
        stale_.clear();
        cluster_.free_counts_ = timeline.free_counts(period_);
        for (const OwnerId owner : owners_) {
            const bool is_there = cluster_.find_allocation(owner) != nullptr;
            const bool should_be = overlap(*timeline.period_of(owner), period_);
            if (is_there == should_be) continue;
            cluster_.put_allocation(
                owner, should_be ? std::optional(Cow<Allocation>(*timeline.find_allocation(owner)))
                                 : std::nullopt);
        }
        owners_.clear();
    }

    Cluster cluster_;
    Cow<Description> description_;
    JournalPosition followed_;  ///< of the timeline's cluster
    Period period_;
    std::vector<NodeId> differing_;  ///< from now, perhaps, and more than once
    std::vector<NodeId> stale_;      ///< to be looked at
    std::vector<OwnerId> owners_;    ///< that come or go
    bool counts_job_cpus_ = false;
};

}  // namespace trestle::detail
