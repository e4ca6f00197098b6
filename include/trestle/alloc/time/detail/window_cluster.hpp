// SPDX-License-Identifier: Apache-2.0
#pragma once

// WindowCluster: a cluster in which all that is taken at any moment of a period is taken.
//
// Layer: alloc (detail). Main type: WindowCluster. What place() finds in it is free all through the
// period. It follows a timeline and goes from period to period, and does only what differs: nodes
// of those who are there in one of both and not in the other. Who is there all the same meets the
// same others as before, wherever the period lies. The journal of its cluster goes on all the
// while, so that a Placer that is asked about it stays quick. A reader would get wrong: its cluster
// is for place() and nothing else. Nodes are in states that no owners make up; where a partition
// counts the CPUs of its jobs, one owner on each node stands for all of them and has as many as
// they have at the worst moment.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/time/period.hpp"
#include "trestle/alloc/timeline.hpp"
#include "trestle/base/cow/cow.hpp"
#include "trestle/base/cow/cow_map.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/model/partition.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle::detail {

class WindowCluster {
  public:
    [[nodiscard]] const Cluster& cluster() const { return cluster_; }

    /// Looks at a timeline, in a period that begins at now() or later and has a moment.
    /// Complexity: what changed since the last time, and who ends between the starts of both
    /// periods or begins between their ends.
    void open(const Timeline& timeline, const Period& period) {
        follow(timeline);
        const auto [start, later_start] = std::minmax(period_.first, period.first);
        for_each_in(timeline.ends(), {after(start), after(later_start)},
                    [&](OwnerId owner) { look_at(*timeline.find_allocation(owner)); });
        const auto [end, later_end] = std::minmax(period_.last, period.last);
        for_each_in(timeline.starts(), {end, later_end},
                    [&](OwnerId owner) { look_at(*timeline.find_allocation(owner)); });
        period_ = period;
        settle(timeline);
    }

  private:
    [[nodiscard]] static Instant after(Instant at) { return Instant(at.value() + 1); }
    template <class Visit>
    static void for_each_in(const Timeline::Moments& moments, const Period& period,
                            const Visit& visit) {
        for (auto at = moments.lower_bound({period.first, OwnerId(0)});
             at != moments.end() && at->key.at < period.last; ++at) {
            visit(at->key.owner);
        }
    }

    void follow(const Timeline& timeline) {
        const Cluster& now = timeline.cluster();
        const auto nodes = now.journal().since(cluster_followed_);
        const auto owners = timeline.journal().since(followed_);
        if (nodes && owners && description_.is_same_object(now.description())) {
            stale_.insert(stale_.end(), nodes->begin(), nodes->end());
            for (const OwnerId owner : *owners) {
                if (const auto* const before = reserved_.find(owner)) look_at(**before);
                const auto* const has = timeline.find_allocation(owner);
                if (has) look_at(*has);
                are_counts_stale_ |= !has;  // it may have run with some
            }
        } else {
            start_anew(timeline);
        }
        cluster_followed_ = now.journal().position();
        followed_ = timeline.journal().position();
        reserved_ = timeline.reserved();
    }
    /// With those who run, who are there in a period of no moments too.
    void start_anew(const Timeline& timeline) {
        cluster_ = timeline.cluster();
        description_ = cluster_.description();
        period_ = {timeline.now(), timeline.now()};
        are_counts_stale_ = true;
        counting_.clear();
        for (const Partition& one : cluster_.partitions()) {
            if (!one.max_cpus_per_node) continue;
            Request request;
            request.partition = one.name;
            counting_.push_back({one.nodes, Shared<Request>(std::move(request))});
        }
        if (counting_.empty()) return;
        for (const Allocation& one : timeline.cluster().allocations()) {
            look_at(one);
            cluster_.put_allocation(one.owner, std::nullopt);
        }
    }
    void look_at(const Allocation& allocation) {
        for (const NodePlacement& part : allocation.placement.nodes) stale_.push_back(part.node);
        are_counts_stale_ |= !allocation.placement.cluster_counts.empty();
    }
    void settle(const Timeline& timeline) {
        std::sort(stale_.begin(), stale_.end());
        stale_.erase(std::unique(stale_.begin(), stale_.end()), stale_.end());
        cluster_.states_.tidy();
        for (const NodeId node : stale_) {
            cluster_.put_state(node, cluster_.states_.intern(timeline.state(node, period_)));
            count_cpus(timeline, node);
        }
        stale_.clear();
        if (are_counts_stale_) cluster_.free_counts_ = timeline.free_counts(period_);
        are_counts_stale_ = false;
    }
    /// Enters what jobs of the partitions that count have of the node, as of an owner for each.
    void count_cpus(const Timeline& timeline, NodeId node) {
        for (std::size_t i = 0; i < counting_.size(); ++i) {
            if (!counting_[i].nodes.contains(node)) continue;
            const OwnerId owner(node.value() * counting_.size() + i);
            const Shared<Request>& jobs = counting_[i].jobs;
            NodePlacement most;
            most.node = node;
            most.milli_cpus = timeline.most_cpus(node, jobs->partition, period_);
            std::optional<Cow<Allocation>> taken;
            if (!is_empty(most)) taken.emplace(Allocation{owner, jobs, {{std::move(most)}, {}}});
            cluster_.put_allocation(owner, std::move(taken));
        }
    }

    /// A partition that counts the CPUs of its jobs on a node.
    struct Counting {
        NodeSet nodes;
        Shared<Request> jobs;  ///< in the partition
    };

    Cluster cluster_;
    Cow<Description> description_;
    JournalPosition cluster_followed_;           ///< of the timeline's cluster
    JournalPosition followed_;                   ///< of the timeline
    CowMap<OwnerId, Cow<Allocation>> reserved_;  ///< by then
    Period period_;
    std::vector<NodeId> stale_;  ///< to be looked at, perhaps more than once
    bool are_counts_stale_ = false;
    std::vector<Counting> counting_;
};

}  // namespace trestle::detail
