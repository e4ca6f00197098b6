// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/detail/job_search.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "alloc/cluster/place/detail/network_search.hpp"
#include "alloc/cluster/place/detail/refusals.hpp"
#include "alloc/cluster/place/eligibility.hpp"
#include "alloc/cluster/topology/topology.hpp"
#include "alloc/node/demand_rules.hpp"
#include "base/counted_text.hpp"
#include "base/join.hpp"
#include "base/nearest_word.hpp"
#include "model/cluster_counts.hpp"
#include "model/partition_rules.hpp"
#include "trestle/model/features.hpp"

namespace trestle {

namespace detail {

namespace {

/// Steps to look for fewer nodes than groups that share them need at first.
constexpr std::uint64_t fewer_nodes_steps = 4096;
constexpr std::uint32_t sizes_without_count = 2;  ///< tried before what is free is counted

Refusal gave_up(const PlaceOptions& options) {
    return {Constraint::gave_up, fmt::format("no answer within {} steps", options.fit.steps_max)};
}

std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
    return saturating_add(Count(a), Count(b)).value();
}

/// Nodes of parts that are in order.
std::int64_t node_count_of(const std::vector<NodePlacement>& parts) {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        count += i == 0 || parts[i - 1].node != parts[i].node ? 1 : 0;
    }
    return count;
}

}  // namespace

std::optional<Refusal> refuse_job(const Cluster& cluster, const VariantCache& cache) {
    if (auto refusal = refuse(cluster.free_counts(), cache.request().cluster_counts)) {
        return refusal;
    }
    for (std::size_t g = 0; g < cache.group_count(); ++g) {
        const Request& request = cache.request(g);
        if (request.partition.empty()) continue;
        const auto at = find_partition(cluster, request.partition);
        if (!at) {
            return Refusal{Constraint::partition,
                           words::with_nearest(
                               fmt::format("there is no partition {}", request.partition),
                               request.partition, cluster.partitions(),
                               [](const Partition& one) { return std::string_view(one.name); })};
        }
        if (auto refusal = refuse(cluster.partitions()[*at], request)) return refusal;
    }
    return std::nullopt;
}

JobSearch::JobSearch(const Cluster& cluster, StateCache& states, const PlaceOptions& options,
                     LeafTrees& trees, VariantCache& cache, const NodeFilter& filter,
                     RefusalWords words)
    : cluster_(cluster),
      states_(states),
      options_(options),
      trees_(trees),
      cache_(cache),
      filter_(filter),
      words_(words),
      budget_{options.fit.steps_max},
      fits_(cluster),
      split_steps_left_(options.fit.steps_max / 2) {}

Verdict<Placement> decide_job(RequestCache& job, const Cluster& cluster, StateCache& states,
                              const PlaceOptions& options, LeafTrees& trees,
                              const NodeFilter& filter, RefusalWords words) {
    bool has_left_splits = false;
    auto verdict = job.first_alternative([&](VariantCache& one) {
        JobSearch search(cluster, states, options, trees, one, filter, words);
        auto found = search.run();
        has_left_splits |= search.has_left_splits();
        return found;
    });
    if (verdict || !has_left_splits) return verdict;
    return gave_up(options);
}

Verdict<Placement> JobSearch::run() {
    cache_.start();
    if (auto refusal = refuse_job(cluster_, cache_)) return *std::move(refusal);
    if (auto refusal = make_rules()) return *std::move(refusal);
    bool is_possible = true;
    for (const NodeCounts& counts : counts_) {
        const auto first = counts.after(0, cluster_.node_count());
        sizes_.push_back(first.value_or(counts.least()));
        is_possible &= first.has_value();
    }
    if (words_ == RefusalWords::left_out) is_possible = is_possible && skip_sizes_without_tasks();
    while (is_possible) {
        if (auto found = try_sizes()) {
            return Placement{*std::move(found), cache_.request().cluster_counts};
        }
        is_possible = budget_.spend() && next_sizes();
    }
    if (!fits_.is_sure()) {
        return Refusal{Constraint::gave_up,
                       "groups of the job fit on a node one by one, and may fit together in a way "
                       "that was not tried"};
    }
    if (has_given_up_ || budget_.left == 0) return gave_up(options_);
    if (words_ == RefusalWords::left_out) return Refusal{Constraint::nodes, {}};
    if (network_refusal_) return *std::move(network_refusal_);
    return why_not();
}

std::optional<Refusal> JobSearch::make_rules() {
    for (std::size_t g = 0; g < cache_.group_count(); ++g) {
        const Request& request = cache_.request(g);
        for (const std::string& name : request.required_nodes) {
            if (auto refusal = refuse_required(request, name)) return of_group(g, *refusal);
        }
        rules_.push_back(node_rules(cluster_, request));
        required_ |= rules_.back().required;
        const auto at = find_partition(cluster_, request.partition);
        const auto required = static_cast<std::int64_t>(rules_.back().required.count());
        counts_.emplace_back(
            request, at ? cluster_.partitions()[*at].nodes_per_job : Range<Count>(), required);
        if (!counts_.back().has_any()) return of_group(g, refuse_count(request, required));
    }
    return std::nullopt;
}

Refusal JobSearch::refuse_count(const Request& request, std::int64_t required) {
    const Range<Count>& nodes = request.nodes;
    const bool are_too_many = nodes.max && required > nodes.max->value();
    const Range<Count>& each = request.tasks_per_node;
    if (!are_too_many && request.tasks && each != Range<Count>()) {
        return {Constraint::nodes, fmt::format("{} tasks, {} on each node: asked {} nodes",
                                               *request.tasks, each, nodes)};
    }
    if (!are_too_many && !request.node_counts.empty()) {
        return {Constraint::nodes, fmt::format("asked {} nodes, of these only {}", nodes,
                                               fmt::join(request.node_counts, ", "))};
    }
    return {Constraint::nodes,
            fmt::format("{} nodes are required by name, asked {}", required, nodes)};
}

std::optional<Refusal> JobSearch::refuse_required(const Request& request,
                                                  const std::string& name) const {
    const auto id = cluster_.find_node(name);
    if (!id) return Refusal{Constraint::nodes, name + " is required, there is no such node"};
    if (auto refusal = refuse_node(cluster_, *id, request)) return refusal;
    if (!filter_.passes(*id)) {
        return Refusal{Constraint::candidates, name + " is required, the caller forbids it"};
    }
    const bool is_shared = cache_.request().component_nodes == Request::ComponentNodes::shared;
    if (required_.contains(*id) && !is_shared) {
        return Refusal{Constraint::nodes, name + " is required by two groups of the job"};
    }
    return std::nullopt;
}

bool JobSearch::next_sizes() {
    if (sizes_.size() == 1) {
        if (more_nodes_are_harder(cache_.request())) return false;
        const bool is_counted = words_ == RefusalWords::left_out;
        if (++sizes_tried_ >= sizes_without_count || is_counted) return next_size_with_room();
    }
    for (std::size_t g = sizes_.size(); g-- > 0;) {
        if (const auto next = counts_[g].after(sizes_[g], cluster_.node_count())) {
            sizes_[g] = *next;
            return true;
        }
        sizes_[g] = *counts_[g].after(0, cluster_.node_count());
    }
    return false;
}

bool JobSearch::next_size_with_room() {
    const Request& request = cache_.request();
    auto nodes = counts_[0].after(sizes_[0], cluster_.node_count());
    if (!nodes) return false;
    const SplitLimits& limits = cache_.split_limits(0, cluster_, states_);
    const FreeAmounts& free = free_amounts();
    const auto may_serve = [&] {
        return !SplitBounds::may_be_uneven(request, *nodes) ||
               free.has_room(SplitBounds(limits, request, *nodes));
    };
    while (!may_serve()) {
        const auto next = counts_[0].after(*nodes, cluster_.node_count());
        if (!next && words_ == RefusalWords::left_out) return false;
        if (!next) break;
        nodes = next;
    }
    sizes_[0] = *nodes;
    return true;
}

bool JobSearch::skip_sizes_without_tasks() {
    const Request& request = cache_.request();
    if (sizes_.size() != 1 || !request.tasks || request.tasks_per_core) return true;
    const auto nodes = free_amounts().nodes_with(0, request.tasks->value());
    if (!nodes) return false;
    if (sizes_[0] >= *nodes) return true;
    const auto next = counts_[0].after(*nodes - 1, cluster_.node_count());
    if (next) sizes_[0] = *next;
    return next.has_value();
}

const FreeAmounts& JobSearch::free_amounts() {
    if (filter_.candidates && !candidates_free_) {
        candidates_free_ = cache_.free_amounts_of(0, cluster_, *filter_.candidates);
    }
    return candidates_free_ ? *candidates_free_ : cache_.free_amounts(0, cluster_);
}

JobSearch::Found JobSearch::try_sizes() {
    parts_.clear();
    shortage_.reset();
    std::size_t nodes = 0;
    for (std::size_t g = 0; g < sizes_.size(); ++g) {
        for (JobGroup group : groups_of(cache_.request(g), sizes_[g])) {
            group.component = g;
            const auto count = static_cast<std::size_t>(group.count);
            parts_.push_back({&cache_.ranking(group, cluster_, states_), count, &rules_[g],
                              static_cast<std::uint32_t>(g)});
            nodes += count;
        }
    }
    if (is_shared()) return try_shared();
    if (nodes > cluster_.node_count()) return std::nullopt;
    auto found = search(nodes, budget_);
    if (found) return *std::move(found);
    note(found.refusal());
    return std::nullopt;
}

Verdict<std::vector<NodePlacement>> JobSearch::search(std::size_t nodes, StepBudget& budget) {
    const NodePool pool{nullptr, filter_.is_empty() ? nullptr : &filter_};
    const NodeSharing sharing{&fits_, nodes};
    const NodeSharing* const shares = is_shared() ? &sharing : nullptr;
    splits_.reset();
    const std::uint64_t steps = std::min(split_steps_left_, options_.fit.steps_max / 8);
    if (SplitSearch::is_of_use(cache_, sizes_)) {
        split_budget_.left = steps;
        const SplitQuestion asked{cluster_,  states_,       cache_, rules_,
                                  required_, split_budget_, shares};
        splits_.emplace(asked, sizes_);
    }
    const NetworkQuestion question{cluster_,
                                   cache_.request().topology,
                                   pool,
                                   required_,
                                   parts_,
                                   static_cast<std::uint32_t>(nodes),
                                   splits_ ? &*splits_ : nullptr,
                                   shares};
    auto found = NetworkSearch(question, cache_, trees_, budget).run();
    if (splits_) split_steps_left_ -= steps - split_budget_.left;
    return found;
}

void JobSearch::note(const Refusal& refusal) {
    has_given_up_ |= refusal.constraint == Constraint::gave_up || some_answer_gave_up();
    if (splits_) has_left_splits_ |= splits_->has_given_up();
    if (words_ == RefusalWords::left_out) return;
    if (refusal.constraint == Constraint::topology && !network_refusal_ && !shortage()) {
        network_refusal_ = refusal;
    }
}

std::size_t JobSearch::asked_nodes() const {
    std::size_t asked = 0;
    if (!is_shared()) {
        for (const PartGroup& part : parts_) asked += part.count;
    }
    if (asked > 0) return asked;
    for (const std::int64_t size : sizes_) {
        const auto nodes = static_cast<std::size_t>(size);
        asked = is_shared() ? std::max(asked, nodes) : asked + nodes;
    }
    return asked;
}

JobSearch::Found JobSearch::try_shared() {
    std::int64_t least = 0;
    std::int64_t most = 0;
    for (const std::int64_t size : sizes_) {
        least = std::max(least, size);
        most = std::min<std::int64_t>(most + size, cluster_.node_count());
    }
    const auto parts = static_cast<std::uint64_t>(most);
    StepBudget some{std::min(budget_.left, fewer_nodes_steps + parts * parts / 16)};
    const std::int64_t all = most;
    const auto search_on = [&](std::int64_t nodes) {
        return search(static_cast<std::size_t>(nodes), nodes == all ? budget_ : some);
    };
    if (has_topology()) {
        for (std::int64_t nodes = least; nodes <= most; ++nodes) {
            if (some.left == 0) nodes = most;
            auto found = search_on(nodes);
            if (found) return *std::move(found);
            note(found.refusal());
        }
        return std::nullopt;
    }
    auto best = search_on(least);
    if (best) return *std::move(best);
    if (least < most) best = search_on(most);
    if (!best) {
        note(best.refusal());
        return std::nullopt;
    }
    most = node_count_of(*best);  // they do, and `least` do not
    while (most - least > 1) {
        const std::int64_t middle = least + (most - least) / 2;
        auto found = search_on(middle);
        if (found) {
            best = std::move(found);
            most = node_count_of(*best);
        } else {
            least = middle;
        }
    }
    return *std::move(best);
}

bool JobSearch::has_topology() const {
    const TopologyRequest& wish = cache_.request().topology;
    const auto topology = topology_for(cluster_.network(), wish);
    return wish.is_contiguous || (topology && topology->has_value());
}

bool JobSearch::some_answer_gave_up() const {
    return std::any_of(parts_.begin(), parts_.end(),
                       [&](const PartGroup& part) { return part.ranking->has_given_up(cluster_); });
}

Refusal JobSearch::why_not() {
    const std::size_t asked = asked_nodes();
    if (parts_.empty() || asked > cluster_.node_count()) {
        std::int64_t least = 0;  // of all numbers that the groups may have
        for (const NodeCounts& one : counts_) {
            const std::int64_t first = one.after(0, cluster_.node_count()).value_or(one.least());
            least = is_shared() ? std::max(least, first) : least + first;
        }
        return {Constraint::nodes,
                fmt::format("asked {}, there {} {}", counted_text(least, "node"),
                            cluster_.node_count() == 1 ? "is" : "are", cluster_.node_count())};
    }
    if (const auto& why = shortage()) return *why;
    if (splits_) {
        if (auto why = splits_->amounts_apart()) return *std::move(why);
        if (auto why = parts_shortage()) return *std::move(why);
    }
    if (is_shared()) return groups_apart();
    for (const NodeId node : required_) {
        const PartGroup& last = parts_.back();  // which asks least
        if (takes_some(node) || last.ranking->fits(cluster_.states().of(node))) continue;
        const Refusal& why = last.ranking->refusal(cluster_, node);
        return {why.constraint, fmt::format("{} is required: {}", cluster_.name(node), why.reason)};
    }
    std::size_t able = 0;
    for (std::uint32_t i = 0; i < cluster_.node_count(); ++i)
        able += takes_some(NodeId(i)) ? 1U : 0U;
    const std::string lacks = what_parts_lack();
    if (able >= asked) {
        return {Constraint::nodes,
                fmt::format("asked {}, the parts of the job do not fit on different nodes{}",
                            counted_text(static_cast<std::int64_t>(asked), "node"), lacks)};
    }
    return {Constraint::nodes, fmt::format("asked {}, {} of {} can take a part{}",
                                           counted_text(static_cast<std::int64_t>(asked), "node"),
                                           able, cluster_.node_count(), lacks)};
}

std::string JobSearch::what_parts_lack() {
    std::size_t wanted = 0;  // nodes for this part and larger ones
    for (const PartGroup& part : parts_) {
        wanted += part.count;
        RefusalCounts counts(cluster_);
        counts.add(*part.ranking, *part.rules, filter_);
        if (counts.fitting() >= wanted) continue;
        if (const auto most = counts.most_frequent()) return "; " + most->reason;
    }
    return {};
}

Refusal JobSearch::groups_apart() const {
    std::int64_t cpus = 0;
    std::vector<std::string> groups;
    std::map<std::string, std::int64_t> devices;  // whole ones, by name
    for (std::size_t g = 0; g < cache_.group_count(); ++g) {
        const Request& request = cache_.request(g);
        const std::int64_t nodes = counts_[g].after(0, cluster_.node_count()).value_or(1);
        const std::int64_t each = std::max<std::int64_t>(1, request.tasks_per_node.least().value());
        const std::int64_t tasks =
            std::max(request.tasks.value_or(Count(1)).value(), saturating_product(nodes, each));
        const std::int64_t its_cpus = saturating_product(tasks, cpus_of_task(request).value());
        cpus = saturating_sum(cpus, its_cpus);
        std::string what = counted_text(its_cpus, "CPU");
        for (const DeviceRequest& one : request.devices) {
            if (!one.shares.is_zero() || !one.slice.empty() || one.per == Per::socket) continue;
            std::int64_t count = one.count.least().value();
            if (one.per == Per::node) count = saturating_product(count, nodes);
            if (one.per == Per::task) count = saturating_product(count, tasks);
            devices[one.name] = saturating_sum(devices[one.name], count);
            what += fmt::format(", {} {}", count, one.name);
        }
        groups.push_back(fmt::format("{} on {}", what, counted_text(nodes, "node")));
    }
    std::int64_t free_cpus = 0;
    std::map<std::string, std::int64_t> free_devices;
    cluster_.states().for_each([&](StateId state) {
        const NodeStateData& data = *cluster_.states()[state];
        const NodeClass& one = cluster_.classes()[data.node_class];
        if (!is_usable(one)) return;
        const std::int64_t nodes = cluster_.states().nodes_in(state);
        free_cpus += nodes * one.shape->hardware.threads_of(data.free.cores).count();
        for (std::uint32_t d = 0; d < one.shape->devices.size(); ++d) {
            const Device& device = one.shape->devices[d];
            if (is_usable(device) && data.free.shares[d] == device.shares)
                free_devices[device.name] += nodes;
        }
    });
    const auto together = [&](std::int64_t asked, const std::string& of, std::int64_t free) {
        return fmt::format("the groups of the job asked {} {} together, {} are free", asked, of,
                           free);
    };
    if (cpus > free_cpus) return {Constraint::cores, together(cpus, "CPUs", free_cpus)};
    for (const auto& [name, asked] : devices) {
        if (asked <= free_devices[name]) continue;
        return {Constraint::devices, together(asked, name, free_devices[name])};
    }
    return {Constraint::nodes,
            fmt::format("asked {}: each group of the job fits on the nodes by itself, but not "
                        "beside the others",
                        join(groups, " and "))};
}

const std::optional<Refusal>& JobSearch::shortage() {
    if (!shortage_) {
        const NodePool pool{nullptr, filter_.is_empty() ? nullptr : &filter_};
        shortage_.emplace(splits_ ? splits_->shortage(pool) : parts_shortage());
    }
    return *shortage_;
}

std::optional<Refusal> JobSearch::parts_shortage() {
    auto why = part_shortage();
    return why ? why : feature_shortage();
}

std::optional<Refusal> JobSearch::part_shortage() {
    for (const PartGroup& part : parts_) {
        RefusalCounts counts(cluster_);
        counts.add(*part.ranking, *part.rules, filter_);
        if (counts.fitting() >= part.count) continue;
        const Refusal why = counts.too_few(static_cast<std::int64_t>(asked_nodes()));
        return counts.fitting() == 0 ? of_group(part.component, why) : why;
    }
    return std::nullopt;
}

Refusal JobSearch::of_group(std::size_t g, const Refusal& why) const {
    if (cache_.group_count() == 1) return why;
    return {why.constraint,
            fmt::format("group {} of {}: {}", g + 1, cache_.group_count(), why.reason)};
}

std::optional<Refusal> JobSearch::feature_shortage() {
    const NodeRules* last = nullptr;
    for (const PartGroup& part : parts_) {
        if (part.rules == last || !part.rules->has_feature_counts()) continue;
        last = part.rules;
        for (const FeatureCount& one : *last->feature_counts) {
            std::int64_t able = 0;
            std::int64_t with = 0;
            for (std::uint32_t i = 0; i < cluster_.node_count(); ++i) {
                if (!takes_some(NodeId(i))) continue;
                ++able;
                with += matches(one.features, cluster_.class_of(NodeId(i)).features) ? 1 : 0;
            }
            if (with >= one.nodes.value()) continue;
            return Refusal{Constraint::features,
                           fmt::format("asked {} with {}, {} of {} that can take a part have it",
                                       counted_text(one.nodes.value(), "node"),
                                       to_text(one.features), with, able)};
        }
    }
    return std::nullopt;
}

bool JobSearch::takes_some(NodeId node) const {
    return filter_.passes(node) &&
           std::any_of(parts_.begin(), parts_.end(),
                       [&](const PartGroup& part) { return part.takes(cluster_, node); });
}

}  // namespace detail

}  // namespace trestle
