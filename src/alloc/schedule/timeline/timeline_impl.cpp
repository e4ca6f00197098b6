// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/timeline/timeline_impl.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/node_part.hpp"
#include "alloc/cluster/place/eligibility.hpp"
#include "alloc/cluster/plain_commit.hpp"
#include "alloc/cluster/states/node_classes.hpp"
#include "model/cluster_counts.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

namespace {

/// What the cluster reports during a change, kept for the sink until the change is complete.
class Report {
  public:
    explicit Report(const TraceSink& sink) : sink_(sink) {
        if (sink_) collect_ = [this](const TraceEvent& event) { events_.push_back(event); };
    }
    Report(const Report&) = delete;
    Report& operator=(const Report&) = delete;

    [[nodiscard]] const TraceSink& collect() const { return collect_; }
    void send() const {
        for (const TraceEvent& event : events_) sink_(event);
    }
    /// Of the change nothing but why it was refused.
    void refuse(OwnerId owner, const Status& why) const {
        if (sink_) sink_({TraceEvent::Kind::refusal, owner, "", std::string(message(why))});
    }

  private:
    const TraceSink& sink_;
    TraceSink collect_;
    std::vector<TraceEvent> events_;
};

}  // namespace

Timeline::Impl::Impl(Cluster cluster, Instant now) : cluster_(std::move(cluster)), now_(now) {
    for (const Allocation& one : cluster_.allocations()) {
        enter(one.owner, {now, end_of_time});
    }
}

StatusOr<Timeline::Impl> Timeline::Impl::create(Cluster cluster, const TimelineParts& parts) {
    Impl timeline(std::move(cluster), parts.now);
    std::optional<OwnerId> before;
    std::vector<OwnerPeriod> running = parts.running;
    std::sort(running.begin(), running.end(),
              [](const OwnerPeriod& a, const OwnerPeriod& b) { return a.owner < b.owner; });
    for (const OwnerPeriod& one : running) {
        const auto known = timeline.period_of(one.owner);
        if (!known || one.owner == before || !one.period.contains(parts.now)) {
            return invalid_argument(
                "owner {} running {}: expected owners of the cluster, each once, now, {}, within",
                one.owner.value(), to_text(one.period), parts.now.value());
        }
        before = one.owner;
        timeline.forget(one.owner, *known);
        timeline.enter(one.owner, one.period);
    }
    for (const TimedAllocation& one : parts.reservations) {
        TRESTLE_TRY_STATUS(timeline.take(one.allocation, one.period, {}));
    }
    return timeline;
}

std::optional<Period> Timeline::Impl::period_of(OwnerId owner) const {
    const Period* const found = periods_.find(owner);
    return found ? std::optional(*found) : std::nullopt;
}

const Allocation* Timeline::Impl::find_allocation(OwnerId owner) const {
    if (const auto* const found = reserved_.find(owner)) return &**found;
    return cluster_.find_allocation(owner);
}

void Timeline::Impl::for_each_different_owner(const Impl& other,
                                              absl::FunctionRef<void(OwnerId)> visit) const {
    periods_.for_each_difference(other.periods_, visit);
    reserved_.for_each_difference(other.reserved_, visit);
    cluster_.for_each_different_owner(other.cluster_, visit);
}

bool Timeline::Impl::equals(const Impl& other) const {
    return now_ == other.now_ && periods_ == other.periods_ && reserved_ == other.reserved_ &&
           cluster_ == other.cluster_;
}

void Timeline::Impl::hash_into(HashState& state) const {
    trestle::hash_into(state, cluster_);
    trestle::hash_into(state, now_);
    trestle::hash_into(state, periods_);
    trestle::hash_into(state, reserved_);
}

TimelineParts Timeline::Impl::parts() const {
    TimelineParts parts{now_, {}, {}};
    periods_.for_each([&](OwnerId owner, const Period& period) {
        if (const auto* const reserved = reserved_.find(owner)) {
            parts.reservations.push_back({**reserved, period});
        } else {
            parts.running.push_back({period, owner});
        }
    });
    return parts;
}

std::vector<TimedAllocation> Timeline::Impl::reservations() const {
    std::vector<TimedAllocation> all;
    all.reserve(size());
    periods_.for_each([&](OwnerId owner, const Period& period) {
        all.push_back({*find_allocation(owner), period});
    });
    return all;
}

std::optional<Instant> Timeline::Impl::next_change() const {
    const auto end = ends_.first();
    const auto start = starts_.first();
    if (!end) return start ? std::optional(start->at) : std::nullopt;
    return start ? std::min(start->at, end->at) : end->at;
}

StatusOr<Cluster> Timeline::Impl::free_at(Instant at) const {
    if (at < now_) {
        return invalid_argument("moment {}: expected one from now, {}, on", at.value(),
                                now_.value());
    }
    Cluster then = cluster_;
    for (auto end = ends_.begin(); end != ends_.end() && end->key.at <= at; ++end) {
        if (reserved_.contains(end->key.owner)) continue;
        TRESTLE_TRY_STATUS(then.release(end->key.owner).status());
    }
    for (auto start = starts_.begin(); start != starts_.end() && start->key.at <= at; ++start) {
        const OwnerId owner = start->key.owner;
        if (periods_.find(owner)->contains(at)) {
            TRESTLE_TRY_STATUS(then.commit(**reserved_.find(owner)));
        }
    }
    return then;
}

std::vector<detail::PartPeriod> Timeline::Impl::parts_on(NodeId node, const Period& period,
                                                         std::optional<OwnerId> but) const {
    std::vector<detail::PartPeriod> parts;
    for (const OwnerId owner : cluster_.owners_on(node)) {
        const Period& one = *periods_.find(owner);
        if (owner == but || !overlap(one, period)) continue;
        const Placement& held = cluster_.find_allocation(owner)->placement;
        parts.push_back(detail::PartPeriod::of(detail::parts_on(held, node), one, owner));
    }
    const std::size_t running = parts.size();
    for (const OwnerPeriod& one : planned_.on(node)) {
        if (one.period.end <= period.first || one.owner == but) continue;
        if (period.end <= one.period.first) break;  // they are sorted
        const Placement& held = (*reserved_.find(one.owner))->placement;
        parts.push_back(
            detail::PartPeriod::of(detail::parts_on(held, node), one.period, one.owner));
    }
    if (running > 1) {  // these all began by now, in some order
        std::sort(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(running),
                  [](const auto& a, const auto& b) { return a.period.first < b.period.first; });
    }
    return parts;
}

NodeStateData Timeline::Impl::state(NodeId node, const Period& period) const {
    const NodeStateData& now = cluster_.state(node);
    const auto parts = parts_on(node, period);
    return detail::least_state(now.node_class, cluster_.classes().known(now.node_class), parts,
                               period);
}

Period Timeline::Impl::starts_around(NodeId node, Instant at) const {
    Period around{now_, end_of_time};
    for (const OwnerPeriod& one : planned_.on(node)) {  // they are sorted
        if (at <= one.period.first) return {around.first, one.period.first};
        around.first = one.period.first;
    }
    return around;
}

MilliCpu Timeline::Impl::most_cpus(NodeId node, const std::string& partition,
                                   const Period& period) const {
    std::vector<detail::PartPeriod> parts;
    for (const detail::PartPeriod& one : parts_on(node, period)) {
        const Allocation& held = *find_allocation(one.owner);
        for (const NodePlacement& part : detail::parts_on(held.placement, node)) {
            if (partition_of(*held.request, part.component) != partition) continue;
            parts.push_back({one.period, one.owner, &part});
        }
    }
    MilliCpu most;
    detail::CpuMoment moment(cluster_.shape(node).hardware);
    detail::for_each_moment(moment, parts, period, [&](const detail::CpuMoment& now, Instant) {
        most = std::max(most, now.taken());
        return true;
    });
    return most;
}

std::vector<OwnerPeriod> Timeline::Impl::counted_in(const Period& period,
                                                    std::optional<OwnerId> but) const {
    std::vector<OwnerPeriod> there;
    for (auto at = counted_.begin(); at != counted_.end(); ++at) {
        const OwnerPeriod& one = at->key;
        if (period.end <= one.period.first) break;
        if (period.first < one.period.end && one.owner != but) there.push_back(one);
    }
    return there;
}

/// visit(free, instant) at the start of the period and whenever one of those begins in it; false
/// ends it. Requires: they are sorted by their start and overlap the period.
template <class Visit>
void Timeline::Impl::for_each_free_counts(const std::vector<OwnerPeriod>& there,
                                          const Period& period, const Visit& visit) const {
    std::vector<OwnerPeriod> going = there;
    std::sort(going.begin(), going.end(), [](const OwnerPeriod& a, const OwnerPeriod& b) {
        return a.period.end < b.period.end;
    });
    const std::vector<ClusterCount>& all = cluster_.counts();
    std::vector<Count> taken(all.size());
    const auto counts_of = [&](OwnerId owner) -> const std::vector<ClusterCount>& {
        return find_allocation(owner)->placement.cluster_counts;
    };
    auto gone = going.begin();
    auto come = there.begin();
    for (Instant at = period.first;;) {
        for (; gone != going.end() && gone->period.end <= at; ++gone) {  // they have come
            const auto& counts = counts_of(gone->owner);
            for (std::size_t i = 0; i < all.size(); ++i) taken[i] -= count_of(counts, all[i].name);
        }
        for (; come != there.end() && come->period.first <= at; ++come) {
            const auto& counts = counts_of(come->owner);
            for (std::size_t i = 0; i < all.size(); ++i) taken[i] += count_of(counts, all[i].name);
        }
        std::vector<ClusterCount> free = all;
        for (std::size_t i = 0; i < all.size(); ++i) {
            // There are fewer than are taken where change_cluster() tries that.
            free[i].count = saturating_sub(all[i].count, taken[i]);
        }
        if (!visit(free, at) || come == there.end()) return;
        at = come->period.first;
    }
}

std::vector<ClusterCount> Timeline::Impl::free_counts(const Period& period) const {
    std::vector<ClusterCount> least = cluster_.counts();
    for_each_free_counts(counted_in(period), period,
                         [&](const std::vector<ClusterCount>& free, Instant) {
                             for (std::size_t i = 0; i < least.size(); ++i) {
                                 least[i].count = std::min(least[i].count, free[i].count);
                             }
                             return true;
                         });
    std::erase_if(least, [](const ClusterCount& count) { return count.count.is_zero(); });
    return least;
}

Status Timeline::Impl::check_free_counts(const Allocation& allocation, const Period& period) const {
    const auto& wanted = allocation.placement.cluster_counts;
    if (wanted.empty()) return {};
    TRESTLE_TRY_STATUS(check(wanted));
    const auto there = counted_in(period, allocation.owner);
    Status status;
    const auto check_at = [&](const std::vector<ClusterCount>& free, Instant at) {
        const auto refusal = trestle::refuse(free, wanted);
        if (!refusal) return true;
        std::string who;
        for (const OwnerPeriod& one : there) {
            if (one.period.contains(at)) who += fmt::format(", owner {} {}", one.owner, one.period);
        }
        status = failed_precondition("at {}: {}{}", at.value(), refusal->reason, who);
        return false;
    };
    for_each_free_counts(there, period, check_at);
    return status;
}

Status Timeline::Impl::check_free(const NodePlacement& part, OwnerId owner,
                                  const Period& period) const {
    const NodeStateData& now = cluster_.state(part.node);
    const detail::KnownClass& known = cluster_.classes().known(now.node_class);
    const bool is_plain = detail::is_plain(known.idle, part);
    // What runs now only ends, so that what is free now stays so until a reservation begins.
    const auto planned = planned_.on(part.node);
    const bool stays = planned.empty() || period.end <= planned.front().period.first;
    if (stays && is_plain && detail::is_plain(now.free, part) &&
        detail::can_take(known, now.free, part)) {
        return {};
    }
    const auto others = parts_on(part.node, period, owner);
    if (is_plain) {
        const FreeState free =
            others.empty() ? known.idle
                           : detail::least_state(now.node_class, known, others, period).free;
        if (detail::is_plain(free, part) && detail::can_take(known, free, part)) return {};
    }
    Status status;
    detail::AnyMoment moment(known);
    detail::for_each_moment(moment, others, period, [&](detail::AnyMoment& at_moment, Instant at) {
        status = at_moment.ledger().take(part, owner);
        if (status.ok()) {
            status = at_moment.ledger().give_back(part, owner);
            return true;
        }
        std::string who;
        for (const detail::PartPeriod& one : others) {
            if (one.period.contains(at)) who += fmt::format(", owner {} {}", one.owner, one.period);
        }
        status = make_error(status.code(), "node {} at {}: {}{}", cluster_.name(part.node),
                            at.value(), message(status), who);
        return false;
    });
    return status;
}

Status Timeline::Impl::check_free(const Allocation& allocation, const Period& period) const {
    const auto& nodes = allocation.placement.nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const NodeId node = nodes[i].node;
        if (node.value() >= cluster_.node_count() ||
            cluster_.class_of(node).state == NodeState::removed) {
            return invalid_argument("node {} does not exist", node.value());
        }
        if (i != 0 && !detail::stands_before(nodes[i - 1], nodes[i])) {
            return invalid_argument(
                "node {}: expected rising node ids, each once, or once for each component",
                node.value());
        }
    }
    Status status;
    detail::for_each_node(allocation.placement, [&](std::span<const NodePlacement> parts) {
        if (!status.ok()) return;
        const NodeId node = parts.front().node;
        if (parts.size() > 1) {
            status = with_context("node " + cluster_.name(node),
                                  detail::check_side_by_side(cluster_.shape(node), parts));
        }
        if (!status.ok()) return;
        status = check_free(detail::PartsOfNode(parts).whole(), allocation.owner, period);
    });
    TRESTLE_TRY_STATUS(status);
    return check_free_counts(allocation, period);
}

void Timeline::Impl::enter(OwnerId owner, const Period& period) {
    periods_.insert(owner, period);
    journal_.add(owner);
    if (period.end != end_of_time) ends_.insert({period.end, owner}, '\0');
    if (!find_allocation(owner)->placement.cluster_counts.empty()) {
        counted_.insert({period, owner}, '\0');
    }
}

void Timeline::Impl::forget(OwnerId owner, const Period& period) {
    periods_.erase(owner);
    journal_.add(owner);
    if (period.end != end_of_time) ends_.erase({period.end, owner});
    if (!counted_.is_empty()) counted_.erase({period, owner});
}

void Timeline::Impl::enter_reserved(Cow<Allocation> allocation, const Period& period) {
    const OwnerId owner = allocation->owner;
    detail::for_each_node(allocation->placement, [&](std::span<const NodePlacement> parts) {
        planned_.add(parts.front().node, {period, owner});
    });
    starts_.insert({period.first, owner}, '\0');
    reserved_.insert(owner, std::move(allocation));
}

Cow<Allocation> Timeline::Impl::take_reserved(OwnerId owner, const Period& period) {
    Cow<Allocation> allocation = *reserved_.take(owner);
    starts_.erase({period.first, owner});
    detail::for_each_node(allocation->placement, [&](std::span<const NodePlacement> parts) {
        planned_.remove(parts.front().node, {period, owner});
    });
    return allocation;
}

Status Timeline::Impl::reserve(Allocation allocation, const Period& period, const TraceSink& sink) {
    const OwnerId owner = allocation.owner;
    Report report(sink);
    Status taken = take(std::move(allocation), period, report.collect());
    if (taken.ok()) {
        report.send();
    } else {
        report.refuse(owner, taken);
    }
    return taken;
}

Status Timeline::Impl::take(Allocation allocation, const Period& period, const TraceSink& sink) {
    const OwnerId owner = allocation.owner;
    const auto context = [&] { return fmt::format("owner {} {}", owner, period); };
    if (Status valid = check(period); !valid.ok()) {
        return with_context(fmt::format("owner {}", owner), valid);
    }
    if (period.first < now_) {
        return invalid_argument("{}: expected a start from now, {}, on", context(), now_.value());
    }
    if (const auto has = period_of(owner)) {
        return failed_precondition("{}: the owner has something already, {}", context(),
                                   to_text(*has));
    }
    const Status free = check_free(allocation, period);
    if (!free.ok()) return with_context(context(), free);
    if (period.first == now_) {
        if (Status given = cluster_.commit(std::move(allocation), sink); !given.ok()) {
            return with_context(context(), given);
        }
    } else {
        enter_reserved(Cow<Allocation>(std::move(allocation)), period);
    }
    enter(owner, period);
    return {};
}

StatusOr<TimedAllocation> Timeline::Impl::cancel(OwnerId owner, const TraceSink& sink) {
    Report report(sink);
    auto gone = give_back(owner, report.collect());
    if (gone.ok()) {
        report.send();
    } else {
        report.refuse(owner, gone.status());
    }
    return gone;
}

StatusOr<TimedAllocation> Timeline::Impl::give_back(OwnerId owner, const TraceSink& sink) {
    const auto period = period_of(owner);
    if (!period) return not_found("owner {} has nothing", owner.value());
    TimedAllocation gone{{}, *period};
    if (reserved_.contains(owner)) {
        Cow<Allocation> taken = take_reserved(owner, *period);
        gone.allocation = std::move(taken.write());
    } else {
        TRESTLE_TRY(gone.allocation, cluster_.release(owner, sink));
    }
    forget(owner, *period);
    return gone;
}

Status Timeline::Impl::set_end(OwnerId owner, Instant end) {
    const auto period = period_of(owner);
    if (!period) return not_found("owner {} has nothing", owner.value());
    const Period changed{period->first, end};
    TRESTLE_TRY_STATUS(with_context(fmt::format("owner {}", owner), check(changed)));
    if (end <= now_) {
        return invalid_argument("owner {}: end at {}: expected one after now, {}", owner.value(),
                                end.value(), now_.value());
    }
    if (period->end < end) {
        const Status free = check_free(*find_allocation(owner), {period->end, end});
        if (!free.ok()) return with_context(fmt::format("owner {} until {}", owner, end), free);
    }
    forget(owner, *period);
    enter(owner, changed);
    if (reserved_.contains(owner)) enter_reserved(take_reserved(owner, *period), changed);
    return {};
}

StatusOr<Timeline::Advance> Timeline::Impl::advance(Instant to, const TraceSink& sink) {
    if (to < now_) {
        return invalid_argument("moment {}: expected one from now, {}, on", to.value(),
                                now_.value());
    }
    Report report(sink);
    Timeline::Advance passed;
    while (true) {
        const auto end = ends_.first();
        const auto start = starts_.first();
        if (end && end->at <= to && (!start || end->at <= start->at)) {
            TRESTLE_TRY(TimedAllocation ended, give_back(end->owner, report.collect()));
            passed.ended.push_back(std::move(ended));
        } else if (start && start->at <= to) {
            const OwnerId owner = start->owner;
            Cow<Allocation> begun = take_reserved(owner, *periods_.find(owner));
            TRESTLE_TRY_STATUS(cluster_.commit(std::move(begun.write()), report.collect()));
            journal_.add(owner);
            passed.begun.push_back(owner);
        } else {
            break;
        }
    }
    now_ = to;
    report.send();
    return passed;
}

Status Timeline::Impl::change_cluster(absl::FunctionRef<Status(Cluster&)> change) {
    Impl changed = *this;
    TRESTLE_TRY_STATUS(change(changed.cluster_));
    std::optional<OwnerId> other;
    cluster_.for_each_different_owner(changed.cluster_, [&](OwnerId owner) { other = owner; });
    if (other) {
        return failed_precondition("owner {}: what it has changed; reserve() and cancel() do that",
                                   other->value());
    }
    Status status;
    reserved_.for_each([&](OwnerId owner, const Cow<Allocation>& allocation) {
        if (!status.ok()) return;
        status = with_context(fmt::format("owner {}", owner),
                              changed.check_free(*allocation, *periods_.find(owner)));
    });
    if (!status.ok()) return make_error(StatusCode::kFailedPrecondition, "{}", message(status));
    *this = std::move(changed);
    return {};
}

}  // namespace trestle
