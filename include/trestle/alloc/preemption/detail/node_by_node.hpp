// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeByNode: the cheapest plan for a job that any nodes make which can take a part of it.
//
// Layer: alloc (detail). Main type: NodeByNode. Each node has a cheapest set of its own, and the
// job has the nodes with the first of these. Nodes in the same state, with victims alike in the
// same order, have the same answer: it is searched for once. A reader would get wrong:
// is_all_that_is_asked() says for which jobs that holds; licences, wishes to the network and uneven
// parts tie nodes together, and so does a victim on two of them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/place/detail/job_memory.hpp"
#include "trestle/alloc/place/job_groups.hpp"
#include "trestle/alloc/place/node_choice.hpp"
#include "trestle/alloc/place/node_filter.hpp"
#include "trestle/alloc/place/node_rules.hpp"
#include "trestle/alloc/place/place_options.hpp"
#include "trestle/alloc/preemption/detail/ended_set.hpp"
#include "trestle/alloc/preemption/detail/like_nodes.hpp"
#include "trestle/alloc/preemption/detail/set_search.hpp"
#include "trestle/alloc/preemption/detail/victim_nodes.hpp"
#include "trestle/model/cluster_count.hpp"
#include "trestle/model/partition.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

class NodeByNode {
  public:
    /// `request` is one of variants_of() the job.
    NodeByNode(Cluster& cluster, const Request& request, const PlaceOptions& options,
               const NodeFilter& filter, const VictimNodes& nodes, const SetQuestion& question,
               Trials& trials)
        : cluster_(cluster),
          filter_(filter),
          victim_nodes_(nodes),
          nodes_(nodes.nodes()),
          question_(question),
          trials_(trials),
          states_(Scorer(cluster, options, {})),
          memory_(cluster, request, options.fit),
          rules_(node_rules(cluster, memory_.request(0))) {
        count_ = nodes_asked();
    }

    /// True when any nodes will do that can take a part, and none of them takes part in another's
    /// gain.
    [[nodiscard]] bool is_all_that_is_asked() const {
        const Request& request = memory_.request();
        return count_ && request.components.empty() && request.feature_counts.empty() &&
               request.topology == TopologyRequest() &&
               !refuse(cluster_.free_counts(), request.cluster_counts) &&
               groups_of(request, *count_).size() == 1 &&
               (*count_ == 1 || victim_nodes_.are_disjoint());
    }

    /// The first set of all that is enough for the variant, as far as the trials go; for one node
    /// only if it comes before `best`. Several nodes together may be more than the limits allow.
    /// Requires: is_all_that_is_asked().
    [[nodiscard]] std::optional<EndedSet> run(const std::optional<EndedSet>& best) {
        if (is_refused()) return std::nullopt;
        if (*count_ == 1) ceiling_ = best;
        states_.follow(cluster_);
        const JobGroup group = groups_of(memory_.request(), *count_).front();
        part_ = {&memory_.answers(group, cluster_, states_), 1, &rules_};
        like_.emplace(victim_nodes_.cluster(), nodes_, question_.victims);
        own_.resize(nodes_.size());
        whole_.resize(nodes_.size(), TrialAnswer::unknown);
        if (!look_at_nodes_as_they_are()) return std::nullopt;
        for (std::size_t i = 0; i < nodes_.size(); ++i) find_some(i);
        like_->forget_answers();
        for (std::size_t i = 0; i < nodes_.size(); ++i) find_first(i);
        return together();
    }
    /// True when a node was too hard a question.
    [[nodiscard]] bool has_given_up() const { return has_given_up_; }

  private:
    /// How many nodes the job takes; nothing when that depends.
    [[nodiscard]] std::optional<std::int64_t> nodes_asked() const {
        const Request& request = memory_.request();
        const auto at = find_partition(cluster_, request.partition);
        const NodeCounts counts(request,
                                at ? cluster_.partitions()[*at].nodes_per_job : Range<Count>(),
                                static_cast<std::int64_t>(rules_.required.count()));
        if (!counts.has_any()) return std::nullopt;
        const auto first = counts.after(0, cluster_.node_count());
        if (!first || more_nodes_are_harder(request)) return first;
        return counts.after(*first, cluster_.node_count()) ? std::nullopt : first;
    }
    /// True when the partition refuses this variant, wherever.
    [[nodiscard]] bool is_refused() const {
        const Request& request = memory_.request();
        const auto at = find_partition(cluster_, request.partition);
        return at && refuse(cluster_.partitions()[*at], request);
    }

    /// Finds the nodes that can take a part as they are, and so how many others are needed. False
    /// when a required node cannot and has no victims.
    [[nodiscard]] bool look_at_nodes_as_they_are() {
        NodeSet with_victims;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const NodeId node = nodes_[i].node;
            with_victims.insert(node);
            if (takes(node)) own_[i].emplace();
        }
        for (const NodeId node : rules_.required) {
            if (!with_victims.contains(node) && !takes(node)) return false;
        }
        needed_ = static_cast<std::size_t>(*count_) - rules_.required.count();
        const auto passes = [&](NodeId node) {
            return !rules_.required.contains(node) && takes(node);
        };
        needed_ -= part_.answers->best(cluster_, needed_, filter_.candidates, passes).size();
        return true;
    }
    [[nodiscard]] bool takes(NodeId node) const {
        return filter_.passes(node) && part_.takes(cluster_, node);
    }

    [[nodiscard]] TrialAnswer try_ends(NodeId node, const Positions& ended) {
        if (!trials_.spend(ended.size())) return TrialAnswer::unknown;
        const Trial trial = cluster_.trial();
        for (const std::size_t one : ended) {
            static_cast<void>(cluster_.release(question_.victims[one].owner));
        }
        states_.follow(cluster_);
        part_.answers->follow(cluster_, states_);
        if (takes(node)) return TrialAnswer::yes;
        const bool is_unknown =
            part_.answers->refused_by(cluster_.states().of(node)) == Constraint::gave_up;
        has_given_up_ |= is_unknown;
        return is_unknown ? TrialAnswer::unknown : TrialAnswer::no;
    }

    [[nodiscard]] bool is_required(std::size_t i) const {
        return rules_.required.contains(nodes_[i].node);
    }
    [[nodiscard]] bool is_among_first(std::size_t i) const {
        return std::find(firsts_.begin(), firsts_.end(), i) != firsts_.end();
    }
    /// What a set of the node has to come before to be of any use.
    [[nodiscard]] const std::optional<EndedSet>& bound(std::size_t i) const {
        if (own_[i] && (is_required(i) || is_among_first(i))) return own_[i];
        if (is_required(i) || firsts_.size() < needed_) return ceiling_;
        return own_[firsts_.back()];
    }
    /// True when some set of the node might be of use.
    [[nodiscard]] bool may_help(std::size_t i) const {
        const bool is_free = own_[i] && own_[i]->positions.empty();
        if (is_free || trials_.is_over() || (!is_required(i) && needed_ == 0)) return false;
        const auto& there = nodes_[i].all.positions;
        const auto cost_of = [&](std::size_t victim) { return question_.victims[victim].cost; };
        const EndedSet least(
            question_.victims,
            {*std::min_element(there.begin(), there.end(), [&](std::size_t a, std::size_t b) {
                return cost_of(a) < cost_of(b);
            })});
        return is_better(i, least);
    }
    [[nodiscard]] bool is_better(std::size_t i, const EndedSet& one) const {
        const std::optional<EndedSet>& best = bound(i);
        return question_.limits.allow(one) && (!best || comes_before(one, *best));
    }
    /// Keeps a set of the node, if it is of use.
    void offer(std::size_t i, const EndedSet& found) {
        if (!is_better(i, found)) return;
        std::erase(firsts_, i);
        own_[i] = found;
        if (is_required(i)) return;
        const auto comes_first = [&](std::size_t a, std::size_t b) {
            return comes_before(*own_[a], *own_[b]);
        };
        firsts_.insert(std::upper_bound(firsts_.begin(), firsts_.end(), i, comes_first), i);
        if (firsts_.size() > needed_) firsts_.pop_back();
    }

    /// Some set of the node from which nobody can be left out.
    void find_some(std::size_t i) {
        if (!may_help(i)) return;
        if (const auto known = find_like(i); known && (known->found || !is_required(i))) {
            whole_[i] = known->whole;
            if (known->found) offer(i, *known->found);
            return;
        }
        Positions ended = nodes_[i].all.positions;
        sort_by_cost(ended, question_.victims);
        const auto try_here = [&](const Positions& some) { return try_ends(nodes_[i].node, some); };
        const auto is_too_much = [&](const EndedSet& some) { return !is_better(i, some); };
        whole_[i] = try_here(ended);
        std::optional<EndedSet> found;
        if (whole_[i] == TrialAnswer::unknown) return;
        if (whole_[i] == TrialAnswer::yes) {
            const LeftOut left =
                leave_out(ended, question_.victims, trials_, try_here, is_too_much);
            if (left == LeftOut::none_can_be) found.emplace(question_.victims, std::move(ended));
            if (left == LeftOut::hopeless) whole_[i] = TrialAnswer::no;  // as good as that
        }
        if (found) offer(i, *found);
        like_->add(i, whole_[i], found);
    }
    /// The first set of the node, if it is of use.
    void find_first(std::size_t i) {
        if (!may_help(i) || (question_.is_monotone && whole_[i] == TrialAnswer::no)) return;
        const auto known = find_like(i);
        if (known && known->found) return offer(i, *known->found);
        if (known && !is_required(i)) return;
        const auto try_here = [&](const Positions& some) { return try_ends(nodes_[i].node, some); };
        SetSearch search(question_, trials_, try_here);
        const std::optional<EndedSet> before = bound(i);
        auto found = search.run(nodes_[i].all.positions, before, whole_[i] == TrialAnswer::yes);
        if (found) offer(i, *found);
        if (trials_.is_over()) return;
        if (!found && own_[i] == before) found = before;
        like_->add(i, whole_[i], found);
    }
    /// Nothing either where a partition counts what its jobs have: that differs in equal states.
    [[nodiscard]] std::optional<LikeNodes::Known> find_like(std::size_t i) {
        return question_.is_monotone ? like_->find(i) : std::nullopt;
    }

    /// The sets of all nodes that the job has.
    [[nodiscard]] std::optional<EndedSet> together() const {
        if (firsts_.size() < needed_) return std::nullopt;
        std::vector<std::size_t> taken = firsts_;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (!is_required(i)) continue;
            if (!own_[i]) return std::nullopt;
            taken.push_back(i);
        }
        Positions all;
        for (const std::size_t i : taken) {
            all.insert(all.end(), own_[i]->positions.begin(), own_[i]->positions.end());
        }
        return EndedSet(question_.victims, std::move(all));
    }

    Cluster& cluster_;
    const NodeFilter& filter_;
    const VictimNodes& victim_nodes_;
    const std::vector<VictimNode>& nodes_;
    const SetQuestion& question_;
    Trials& trials_;
    std::optional<LikeNodes> like_;
    StateFollower states_;
    RequestMemory memory_;
    NodeRules rules_;
    std::optional<std::int64_t> count_;
    PartGroup part_;
    std::optional<EndedSet> ceiling_;
    std::size_t needed_ = 0;  ///< nodes, but for required ones, that victims leave
    std::vector<std::optional<EndedSet>> own_;  ///< by node, the best set known
    std::vector<TrialAnswer> whole_;            ///< by node, whether the end of all is enough
    std::vector<std::size_t> firsts_;           ///< as many nodes as needed, by their sets
    bool has_given_up_ = false;
};

}  // namespace trestle::detail
