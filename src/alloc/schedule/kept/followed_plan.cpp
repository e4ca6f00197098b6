// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/kept/followed_plan.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "alloc/schedule/sets/set_timeline.hpp"

namespace trestle {

namespace detail {

namespace {}  // namespace

bool FollowedPlan::find_changes(const Timeline& timeline) {
    changed_.clear();
    const Cluster& cluster = timeline.cluster();
    const auto owners = timeline.journal().since(followed_);
    const auto nodes = cluster.journal().since(nodes_followed_);
    is_known_ = is_known_ && owners && nodes &&
                description_.is_same_object(cluster.description()) &&
                plan_.now() <= timeline.now() && has_same_classes(cluster, *nodes);
    if (!is_known_) return false;
    changed_.assign(owners->begin(), owners->end());
    changed_.insert(changed_.end(), started_.begin(), started_.end());
    std::sort(changed_.begin(), changed_.end());
    changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
    std::erase_if(changed_, [&](OwnerId owner) { return is_same(timeline, owner); });
    followed_ = timeline.journal().position();
    nodes_followed_ = cluster.journal().position();
    started_.clear();
    return true;
}

bool FollowedPlan::has_same_classes(const Cluster& cluster, std::span<const NodeId> nodes) const {
    return std::all_of(nodes.begin(), nodes.end(), [&](NodeId node) {
        return plan_.cluster().state(node).node_class == cluster.state(node).node_class;
    });
}

bool FollowedPlan::is_same(const Timeline& timeline, OwnerId owner) const {
    const auto has = plan_.period_of(owner);
    if (has != timeline.period_of(owner)) return false;
    if (!has) return true;
    const bool has_begun = plan_.now() < has->first && has->first <= timeline.now();
    return !has_begun && *plan_.find_allocation(owner) == *timeline.find_allocation(owner);
}

bool FollowedPlan::follow(const Timeline& timeline) {
    const bool is_followed = is_known_ && apply(timeline);
    changed_.clear();
    if (!is_followed) start_anew(timeline);
    return is_followed;
}

bool FollowedPlan::apply(const Timeline& timeline) {
    is_known_ = false;
    std::vector<OwnerId> entered;
    for (const OwnerId owner : changed_) {
        const auto has = plan_.period_of(owner);
        const auto wants = timeline.period_of(owner);
        if (has && wants && has->first == wants->first && timeline.now() < wants->end &&
            *plan_.find_allocation(owner) == *timeline.find_allocation(owner)) {
            if (!plan_.set_end(owner, wants->end).ok()) return false;
            count({*plan_.find_allocation(owner), *wants});
            continue;
        }
        counts_.remove(owner);
        if (has && !plan_.cancel(owner).ok()) return false;
        if (wants) entered.push_back(owner);
    }
    if (!advance(timeline.now()).ok()) return false;
    for (const OwnerId owner : entered) {
        const Period period = *timeline.period_of(owner);
        if (period.first < timeline.now()) return false;  // it began without the plan
        const Allocation& allocation = *timeline.find_allocation(owner);
        if (!plan_.reserve(allocation, period).ok()) return false;
        count({allocation, period});
    }
    started_.clear();
    is_known_ = plan_.size() == timeline.size();
    return is_known_;
}

void FollowedPlan::start_anew(const Timeline& timeline) {
    plan_ = timeline;
    description_ = timeline.cluster().description();
    followed_ = timeline.journal().position();
    nodes_followed_ = timeline.cluster().journal().position();
    started_.clear();
    counts_.start_anew(timeline);
    all_ = all_of(timeline.cluster());
    has_like_nodes_ = are_of_one_class(timeline.cluster());
    is_known_ = true;
}

Status FollowedPlan::advance(Instant now) {
    TRESTLE_TRY(const Timeline::Advance passed, plan_.advance(now));
    for (const TimedAllocation& one : passed.ended) counts_.remove(one.allocation.owner);
    counts_.set_now(now);
    return {};
}

void FollowedPlan::count(const TimedAllocation& one) {
    const OwnerId owner = one.allocation.owner;
    counts_.enter(owner, one.period, taken_by(plan_.cluster(), one.allocation.placement));
    if (one.period.first == plan_.now()) started_.push_back(owner);
}

void FollowedPlan::count_nodes(OwnerId owner, const Period& period, std::int64_t nodes) {
    counts_.enter(owner, period, {nodes, all_.cores / all_.nodes * nodes});
}

bool FollowedPlan::lacks(const NodesAndCores& wanted, std::optional<Seconds> duration) {
    const auto is_more = [&](const NodesAndCores& taken) {
        return all_.nodes - taken.nodes < wanted.nodes || all_.cores - taken.cores < wanted.cores;
    };
    const Instant now = plan_.now();
    return is_more(counts_.most_until(now)) ||
           is_more(counts_.most_until(period_of(now, duration).end));
}

}  // namespace detail

}  // namespace trestle
