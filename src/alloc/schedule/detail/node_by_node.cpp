// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/node_by_node.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "alloc/cluster/place/eligibility.hpp"
#include "alloc/cluster/place/job_groups.hpp"
#include "alloc/cluster/place/split/splits.hpp"
#include "model/cluster_counts.hpp"
#include "model/partition_rules.hpp"
#include "trestle/model/cluster_count.hpp"
#include "trestle/model/partition.hpp"

namespace trestle {

namespace detail {

NodeByNode::NodeByNode(Cluster& cluster, const Shared<Request>& request,
                       const PlaceOptions& options, const NodeFilter& filter,
                       const VictimNodes& nodes, const SetQuestion& question, Trials& trials)
    : cluster_(cluster),
      filter_(filter),
      victim_nodes_(nodes),
      nodes_(nodes.nodes()),
      question_(question),
      trials_(trials),
      states_(Scorer(cluster, options, {})),
      cache_(cluster, request, options.fit),
      rules_(node_rules(cluster, cache_.request(0))) {
    count_ = nodes_asked();
}

bool NodeByNode::is_all_that_is_asked() const {
    const Request& request = cache_.request();
    return count_ && request.components.empty() && request.feature_counts.empty() &&
           request.topology == TopologyRequest() &&
           !refuse(cluster_.free_counts(), request.cluster_counts) &&
           groups_of(request, *count_).size() == 1 &&
           !SplitBounds::may_be_uneven(request, *count_) &&
           (*count_ == 1 || victim_nodes_.are_disjoint());
}

std::optional<EndedSet> NodeByNode::run(const std::optional<EndedSet>& best) {
    if (is_refused()) return std::nullopt;
    if (*count_ == 1) ceiling_ = best;
    states_.follow(cluster_);
    const JobGroup group = groups_of(cache_.request(), *count_).front();
    part_ = {&cache_.ranking(group, cluster_, states_), 1, &rules_};
    like_.emplace(victim_nodes_.cluster(), nodes_, question_.victims);
    own_.resize(nodes_.size());
    whole_.resize(nodes_.size(), TrialAnswer::unknown);
    if (!look_at_nodes_as_they_are()) return std::nullopt;
    std::vector<std::size_t> helpful;  // bounds only get tighter: no other ever is again
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (!may_help(i)) continue;
        helpful.push_back(i);
        find_some(i);
    }
    like_->forget_answers();
    for (const std::size_t i : helpful) find_first(i);
    return together();
}

std::optional<std::int64_t> NodeByNode::nodes_asked() const {
    const Request& request = cache_.request();
    const auto at = find_partition(cluster_, request.partition);
    const NodeCounts counts(request, at ? cluster_.partitions()[*at].nodes_per_job : Range<Count>(),
                            static_cast<std::int64_t>(rules_.required.count()));
    if (!counts.has_any()) return std::nullopt;
    const auto first = counts.after(0, cluster_.node_count());
    if (!first || more_nodes_are_harder(request)) return first;
    return counts.after(*first, cluster_.node_count()) ? std::nullopt : first;
}

bool NodeByNode::is_refused() const {
    const Request& request = cache_.request();
    const auto at = find_partition(cluster_, request.partition);
    return at && refuse(cluster_.partitions()[*at], request);
}

bool NodeByNode::look_at_nodes_as_they_are() {
    // Mostly no state has room: then no node is asked.
    const bool is_room =
        part_.ranking->tally(cluster_)[static_cast<std::size_t>(Constraint::none)] != 0;
    NodeSet required_with_victims;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const NodeId node = nodes_[i].node;
        if (is_required(i)) required_with_victims.insert(node);
        if (is_room && takes(node)) own_[i].emplace();
    }
    for (const NodeId node : rules_.required) {
        if (!required_with_victims.contains(node) && !takes(node)) return false;
    }
    needed_ = static_cast<std::size_t>(*count_) - rules_.required.count();
    const auto passes = [&](NodeId node) { return !rules_.required.contains(node) && takes(node); };
    needed_ -= part_.ranking->best(cluster_, needed_, filter_.candidates, passes).size();
    return true;
}

TrialAnswer NodeByNode::try_ends(NodeId node, const Positions& ended) {
    if (!trials_.spend(ended.size())) return TrialAnswer::unknown;
    const Cluster::Trial trial = cluster_.trial();
    for (const std::size_t one : ended) {
        static_cast<void>(cluster_.release(question_.victims[one].owner));
    }
    states_.follow(cluster_);
    part_.ranking->follow(cluster_, states_);
    if (takes(node)) return TrialAnswer::yes;
    const bool is_unknown =
        part_.ranking->refused_by(cluster_.states().of(node)) == Constraint::gave_up;
    has_given_up_ |= is_unknown;
    return is_unknown ? TrialAnswer::unknown : TrialAnswer::no;
}

bool NodeByNode::may_help(std::size_t i) const {
    const bool is_free = own_[i] && own_[i]->positions.empty();
    if (is_free || trials_.is_over() || (!is_required(i) && needed_ == 0)) return false;
    const std::size_t victim = nodes_[i].cheapest;
    const std::int64_t cost = question_.victims[victim].cost;
    if (cost > question_.limits.cost_max || question_.limits.victims_max < 1) return false;
    const std::optional<EndedSet>& best = bound(i);
    if (!best) return true;
    if (cost != best->cost) return cost < best->cost;
    const Positions& others = best->positions;
    return others.size() == 1 ? victim < others.front() : others.size() > 1;
}

bool NodeByNode::is_better(std::size_t i, const EndedSet& one) const {
    const std::optional<EndedSet>& best = bound(i);
    return question_.limits.allow(one) && (!best || comes_before(one, *best));
}

void NodeByNode::offer(std::size_t i, const EndedSet& found) {
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

void NodeByNode::find_some(std::size_t i) {
    if (const auto known = find_like(i); known && (known->found || !is_required(i))) {
        whole_[i] = known->whole;
        if (known->found) offer(i, *known->found);
        return;
    }
    Positions ended = positions_on(i);
    sort_by_cost(ended, question_.victims);
    const auto try_here = [&](const Positions& some) { return try_ends(nodes_[i].node, some); };
    const auto is_too_much = [&](const EndedSet& some) { return !is_better(i, some); };
    whole_[i] = try_here(ended);
    std::optional<EndedSet> found;
    if (whole_[i] == TrialAnswer::unknown) return;
    if (whole_[i] == TrialAnswer::yes) {
        const LeftOut left = leave_out(ended, question_.victims, trials_, try_here, is_too_much);
        if (left == LeftOut::none_can_be) found.emplace(question_.victims, std::move(ended));
        if (left == LeftOut::hopeless) whole_[i] = TrialAnswer::no;  // as good as that
    }
    if (found) offer(i, *found);
    like_->add(i, whole_[i], found);
}

void NodeByNode::find_first(std::size_t i) {
    if (!may_help(i) || (question_.is_monotone && whole_[i] == TrialAnswer::no)) return;
    const auto known = find_like(i);
    if (known && known->found) return offer(i, *known->found);
    if (known && !is_required(i)) return;
    const auto try_here = [&](const Positions& some) { return try_ends(nodes_[i].node, some); };
    SetSearch search(question_, trials_, try_here);
    const std::optional<EndedSet> before = bound(i);
    auto found = search.run(positions_on(i), before, whole_[i] == TrialAnswer::yes);
    if (found) offer(i, *found);
    if (trials_.is_over()) return;
    if (!found && own_[i] == before) found = before;
    like_->add(i, whole_[i], found);
}

std::optional<EndedSet> NodeByNode::together() const {
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

}  // namespace detail

}  // namespace trestle
