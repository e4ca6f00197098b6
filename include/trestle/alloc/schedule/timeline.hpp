// SPDX-License-Identifier: Apache-2.0
#pragma once

// Timeline: a cluster now, and what of it is taken and given back later. A value.
//
// Layer: alloc. Main types: Timeline, Timeline::Trial. Everything in it is an allocation with a
// period: what runs has begun and is the cluster's, a reservation begins later. A maintenance
// window is a reservation of whole nodes (whole_nodes()) by an owner that the caller keeps for it.
// Copies are cheap, as those of a cluster; a state of the future costs what differs from now. When
// a request can start is a question of its own: earliest_start() in earliest_start.hpp. Nothing
// overlaps, ever: at each moment all that is taken then could be committed to one cluster.
// Pitfall: time passes when the caller says so. advance() gives back what has ended: for a job that
// runs on, set_end() comes first.

#include <absl/functional/function_ref.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/trial_mark.hpp"
#include "trestle/alloc/schedule/period.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/cluster_count.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/trace.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

template <class Key, class Value>
class CowMap;
struct OwnerMoment;

/// What a timeline is made of, besides its cluster.
struct TimelineParts {
    Instant now = {};
    std::vector<OwnerPeriod> running = {};  ///< owners of the cluster; absent: from now for ever
    std::vector<TimedAllocation> reservations = {};  ///< that begin later

    static constexpr auto fields(auto list) {
        return list(field("now", &TimelineParts::now), field("running", &TimelineParts::running),
                    field("reservations", &TimelineParts::reservations));
    }
    friend bool operator==(const TimelineParts&, const TimelineParts&) = default;
};

class Timeline {
  public:
    class Trial;

    /// What happened while time passed, in order of time and then of owners.
    struct Advance {
        std::vector<TimedAllocation> ended;  ///< given back
        std::vector<OwnerId> begun;  ///< reservations that came to run, and may have ended too

        static constexpr auto fields(auto list) {
            return list(field("ended", &Advance::ended), field("begun", &Advance::begun));
        }
        friend bool operator==(const Advance&, const Advance&) = default;
    };

    /// Moments in their order, as keys: what stands behind them says nothing.
    using Moments = CowMap<OwnerMoment, char>;

    /// An empty cluster at moment 0.
    Timeline() noexcept;
    Timeline(const Timeline& other);
    Timeline& operator=(const Timeline& other);
    /// A moved-from timeline is an empty cluster at moment 0.
    Timeline(Timeline&& other) noexcept;
    Timeline& operator=(Timeline&& other) noexcept;
    ~Timeline();
    /// What the cluster's owners have they have from now on, and for ever until set_end().
    explicit Timeline(Cluster cluster, Instant now = {});
    /// Errors: InvalidArgument for a running owner that has nothing in the cluster, stands twice,
    /// or whose period does not hold `now`; those of reserve().
    [[nodiscard]] static StatusOr<Timeline> create(Cluster cluster, const TimelineParts& parts);

    /// @name Contents
    /// The cluster as it is now: what runs, without reservations.
    [[nodiscard]] const Cluster& cluster() const;
    [[nodiscard]] Instant now() const;
    /// Allocations that run or will.
    [[nodiscard]] std::size_t size() const;
    /// The period of the owner's allocation, or nothing for an unknown owner. Complexity:
    /// logarithmic.
    [[nodiscard]] std::optional<Period> period_of(OwnerId owner) const;
    /// What the owner has or will have, or nothing; good until the timeline changes.
    [[nodiscard]] const Allocation* find_allocation(OwnerId owner) const;
    /// All that runs or will, by owner. Complexity: linear in it.
    [[nodiscard]] std::vector<TimedAllocation> reservations() const;
    /// The parts from which create() makes this timeline, besides cluster(): running owners and
    /// reservations, by owner. Complexity: linear in them.
    [[nodiscard]] TimelineParts parts() const;
    /// The next moment at which something begins or ends, for a loop over events; absent if there
    /// is none. Complexity: logarithmic.
    [[nodiscard]] std::optional<Instant> next_change() const;

    /// The cluster at a moment: what has ended by then is given back, what has begun is committed.
    /// Errors: InvalidArgument for a moment before now().
    /// Complexity: what differs from now, and the reservations that begin before.
    [[nodiscard]] StatusOr<Cluster> free_at(Instant at) const;
    /// Licences and the like, each as at the worst moment of the period.
    /// Complexity: n log n in the owners that have any then, and one look at each owner with a
    /// period before its end.
    [[nodiscard]] std::vector<ClusterCount> free_counts(const Period& period) const;

    /// @name Giving and taking
    /// Gives the allocation to its owner for a period; one that begins now runs at once.
    /// Errors: InvalidArgument for a period that begins before now() or has no moment, and for what
    /// Cluster::commit() calls so. FailedPrecondition when the owner has something already, or a
    /// unit is not free at some moment: the message names node, moment, unit and its owner. Nothing
    /// changes then. The sink, here and below, receives what the cluster is given and gives back,
    /// an event a node, and each refusal, when all is done. A reservation for later is reported
    /// when it begins. Complexity: linear in the owners on the nodes in the period.
    [[nodiscard]] Status reserve(Allocation allocation, const Period& period,
                                 const TraceSink& sink = {});
    /// Takes back what runs, or drops what has not begun, and returns it with its period.
    /// Errors: NotFound when the owner has nothing.
    [[nodiscard]] StatusOr<TimedAllocation> cancel(OwnerId owner, const TraceSink& sink = {});
    /// Moves the end, earlier or later. Errors: NotFound as above; InvalidArgument for an end that
    /// is not after now() and the start; FailedPrecondition for units that others have by then.
    /// Nothing changes then.
    [[nodiscard]] Status set_end(OwnerId owner, Instant end);
    /// Goes to a later moment: by time, what ends is given back, and what begins runs. Returns what
    /// that was. Errors: InvalidArgument for one before now(). Complexity: what ends and begins.
    [[nodiscard]] StatusOr<Advance> advance(Instant to, const TraceSink& sink = {});

    /// Changes the cluster: change(Cluster&) -> Status may do all except give and take, for example
    /// drain a node or set partitions. Errors: those of `change`; FailedPrecondition, naming the
    /// owner, when a reservation has no place any more, or when something was given or taken.
    /// Nothing changes then. Complexity: that of `change` and of checking the reservations.
    [[nodiscard]] Status change_cluster(absl::FunctionRef<Status(Cluster&)> change);

    /// @name What decisions are made from
    /// For caches of decisions; the types are private, in src/base/cow, alloc/cluster/states and
    /// alloc/schedule/timeline. Periods by owner, of what runs and what will.
    [[nodiscard]] const CowMap<OwnerId, Period>& periods() const;
    /// What does not run yet, by owner.
    [[nodiscard]] const CowMap<OwnerId, Cow<Allocation>>& reserved() const;
    /// When what does not run yet begins.
    [[nodiscard]] const Moments& starts() const;
    /// When what runs or will ends; what never ends is not among them.
    [[nodiscard]] const Moments& ends() const;
    /// What decisions look at of a node, unit by unit as at the worst moment of the period. A core
    /// is free if it is free at every moment. Of bytes and shares the least that is left at any
    /// moment is free. Requires: the node exists, the period has a moment and begins at now() or
    /// later, here and below. Complexity: linear in the owners on the node then.
    [[nodiscard]] NodeStateData state(NodeId node, const Period& period) const;
    /// The starts on a node that have `at` between them. These are the last reservation that begins
    /// before it, or now(), and the first that begins then or later, or `end_of_time`. Periods that
    /// begin at one moment and end after the first of the two, until the second, meet the same
    /// owners on the node. Complexity: the reservations of the node.
    [[nodiscard]] Period starts_around(NodeId node, Instant at) const;
    /// The CPUs that jobs of a partition have of a node, at the worst moment of the period.
    /// Complexity: linear in the owners on the node then.
    [[nodiscard]] MilliCpu most_cpus(NodeId node, const std::string& partition,
                                     const Period& period) const;
    /// Owners whose allocation or period changed lately, or that began to run, for caches that
    /// follow the timeline.
    [[nodiscard]] const BasicJournal<OwnerId>& journal() const;
    /// visit(owner) for each whose allocation or period differs between the two, in no order
    /// and perhaps more than once. Complexity: that of what the two do not share. For diff().
    void for_each_different_owner(const Timeline& other,
                                  absl::FunctionRef<void(OwnerId)> visit) const;

    friend bool operator==(const Timeline& a, const Timeline& b);
    void hash_into(HashState& state) const;

  private:
    class Impl;

    explicit Timeline(Impl made);
    [[nodiscard]] static const Impl& without_nodes();
    [[nodiscard]] const Impl& impl() const;
    [[nodiscard]] Impl& impl();

    std::unique_ptr<Impl> impl_;  ///< absent: an empty cluster at moment 0
};

/// A span of changes to a timeline that is undone when it ends, unless keep() was called. Trials
/// end in the opposite order of their beginnings.
class Timeline::Trial {
  public:
    explicit Trial(Timeline& timeline);
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;
    ~Trial();
    /// Makes the timeline what it was when the trial began; the trial goes on.
    void undo();
    /// The present state, for rollback(). Complexity: constant.
    [[nodiscard]] TrialMark mark();
    /// Makes the timeline what it was at the mark. The mark stays valid; later ones do not.
    /// Requires: the mark is of this trial and was not rolled back itself.
    void rollback(TrialMark mark);
    /// What happened stays; an outer trial may still undo it.
    void keep() { is_kept_ = true; }

  private:
    struct Marks;

    Timeline& timeline_;
    Timeline before_;               ///< shares all that does not change
    std::unique_ptr<Marks> marks_;  ///< absent until the first
    bool is_kept_ = false;
};

/// All that there is on the nodes, for a window of maintenance: cores, memory and devices that are
/// not the system's. Errors: InvalidArgument for a node that does not exist.
[[nodiscard]] StatusOr<Placement> whole_nodes(const Cluster& cluster, const NodeSet& nodes);

}  // namespace trestle
