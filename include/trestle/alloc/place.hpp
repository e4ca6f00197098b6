// SPDX-License-Identifier: Apache-2.0
#pragma once

// place: which nodes of a cluster, and what of each, meet a request.
//
// Layer: alloc. Main function: place(cluster, request, options) -> Verdict<Placement>; explain in
// explain.hpp says why not. Pure: the cluster is not changed.
//
// The order, first difference decides: fewest nodes; fewest, then lowest switches and lowest run of
// nodes, where the request limits them; then for each part, the largest first, among the nodes that
// leave a place for the others: nodes that the request names; the policy (first_fit: lowest node
// id; best_fit: fewest cores free afterwards; worst_fit: most); the lowest node id. On each node
// fit() decides.
// A reader would get wrong: tasks and per-job counts are split evenly over the nodes, the first
// parts one more, so that a node which is asked for has a task even when there are fewer tasks.

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/detail/matching.hpp"
#include "trestle/alloc/fit/demand.hpp"
#include "trestle/alloc/fit/fit.hpp"
#include "trestle/alloc/fit/fit_cache.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/locality.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// Which node comes first among those that fit.
enum class Policy { first_fit, best_fit, worst_fit };

constexpr auto enum_names(Policy) {
    using enum Policy;
    return std::array{named(first_fit, "first_fit"), named(best_fit, "best_fit"),
                      named(worst_fit, "worst_fit")};
}

/// How a place is chosen among those that fit.
struct PlaceOptions {
    Policy policy = Policy::first_fit;
    FitOptions fit;

    static constexpr auto fields() {
        return field_list(field("policy", &PlaceOptions::policy), field("fit", &PlaceOptions::fit));
    }
    friend bool operator==(const PlaceOptions&, const PlaceOptions&) = default;
};

/// Packages of a node, at least 1.
[[nodiscard]] inline std::uint32_t socket_count(const NodeShape& shape) {
    const std::size_t packages = core_groups(shape, HardwareLevel::package).size();
    return std::max(static_cast<std::uint32_t>(packages), std::uint32_t{1});
}

/// Why a node may not take the request at all, whatever is free on it; nothing when it may.
[[nodiscard]] inline std::optional<Refusal> refuse_node(const Cluster& cluster, NodeId id,
                                                        const Request& request) {
    const Node& node = cluster.node(id);
    const auto has = [](const auto& list, const auto& x) {
        return std::find(list.begin(), list.end(), x) != list.end();
    };
    if (!is_usable(node)) {
        return Refusal{Constraint::node_state,
                       fmt::format("{} is {}, health {}", node.name, node.state, node.health)};
    }
    if (has(request.excluded_nodes, node.name)) {
        return Refusal{Constraint::nodes, node.name + " is excluded"};
    }
    if (request.architecture && *request.architecture != node.shape->architecture) {
        return Refusal{Constraint::features,
                       fmt::format("{} is {}", node.name, node.shape->architecture)};
    }
    if (!matches(request.features, node.features)) {
        return Refusal{Constraint::features,
                       fmt::format("{} does not meet {}", node.name, request.features)};
    }
    if (request.disk.min && node.shape->disk < *request.disk.min) {
        return Refusal{Constraint::disk,
                       fmt::format("{} has {} of disk", node.name, node.shape->disk)};
    }
    if (!request.partition.empty()) {
        const auto& partitions = cluster.partitions();
        const auto at = std::find_if(partitions.begin(), partitions.end(), [&](const Partition& p) {
            return p.name == request.partition;
        });
        if (at == partitions.end() || !at->nodes.contains(id) || at->state != PartitionState::up) {
            return Refusal{Constraint::nodes, fmt::format("{} is not in an open partition {}",
                                                          node.name, request.partition)};
        }
    }
    return std::nullopt;
}

namespace detail {

/// The choice of nodes for one request.
class PlaceSearch {
  public:
    PlaceSearch(const Cluster& cluster, const Request& request, const PlaceOptions& options)
        : cluster_(cluster), request_(request), options_(options), budget_{options.fit.steps_max} {
        for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
            if (auto refusal = refuse_node(cluster, NodeId(i), request)) {
                note(*std::move(refusal));
            } else {
                usable_.emplace_back(i);
            }
        }
    }

    [[nodiscard]] Verdict<Placement> run() {
        for (const std::string& name : request_.required_nodes) {
            const auto id = cluster_.find_node(name);
            if (!id)
                return Refusal{Constraint::nodes, name + " is required, there is no such node"};
            if (std::find(usable_.begin(), usable_.end(), *id) == usable_.end()) {
                return *refuse_node(cluster_, *id, request_);
            }
            required_.insert(*id);
        }
        const auto all = static_cast<std::int64_t>(usable_.size());
        const auto least = std::max<std::int64_t>(
            {1, request_.nodes.least().value(), static_cast<std::int64_t>(required_.count())});
        std::int64_t most = request_.nodes.max.value_or(Count::max()).value();
        if (request_.tasks) most = std::min(most, std::max(least, request_.tasks->value()));
        if (least > most) {
            return Refusal{Constraint::nodes, fmt::format("{} nodes are required by name, asked {}",
                                                          required_.count(), request_.nodes)};
        }
        if (least > all) return too_few(least, all);
        for (std::int64_t nodes = least; nodes <= std::min(most, all); ++nodes) {
            if (auto found = try_count(nodes)) return *std::move(found);
        }
        if (has_given_up_)
            return Refusal{Constraint::gave_up,
                           fmt::format("no answer within {} steps", options_.fit.steps_max)};
        if (!has_pool_) {
            return Refusal{Constraint::topology, "no nodes that may be used lie as is asked"};
        }
        return most_frequent_refusal();
    }

  private:
    struct Candidate {
        NodeId node;
        NodePlacement placement;
        bool is_required = false;
        std::int64_t cores_left = 0;
    };

    [[nodiscard]] Refusal too_few(std::int64_t asked, std::int64_t usable) const {
        if (usable == 0 && !refusals_.empty()) return most_frequent_refusal();
        return {Constraint::nodes, fmt::format("asked {} nodes, {} of {} may be used", asked,
                                               usable, cluster_.node_count())};
    }

    [[nodiscard]] std::optional<Placement> try_count(std::int64_t nodes) {
        if (!request_.topology.switches_max) return try_runs(nodes, usable_);
        const std::vector<TreeTopology>& trees = cluster_.network().trees;
        if (trees.empty()) return std::nullopt;
        std::vector<const Switch*> leaves;
        for (const Switch& one : trees.front().switches) {
            if (!one.nodes.is_empty()) leaves.push_back(&one);
        }
        const auto limit = std::min(
            static_cast<std::size_t>(request_.topology.switches_max->value()), leaves.size());
        for (std::size_t size = 1; size <= limit; ++size) {
            std::vector<std::size_t> pick(size);
            for (std::size_t i = 0; i < size; ++i) pick[i] = i;
            do {
                if (!budget_.spend()) {
                    has_given_up_ = true;
                    return std::nullopt;
                }
                if (auto found = try_runs(nodes, usable_below(leaves, pick))) return found;
            } while (next_combination(pick, leaves.size()));
        }
        return std::nullopt;
    }

    [[nodiscard]] std::vector<NodeId> usable_below(const std::vector<const Switch*>& leaves,
                                                   const std::vector<std::size_t>& pick) const {
        NodeSet below;
        for (const std::size_t i : pick) below |= leaves[i]->nodes;
        std::vector<NodeId> pool;
        for (const NodeId node : usable_) {
            if (below.contains(node)) pool.push_back(node);
        }
        return pool;
    }

    /// Tries the pool as it is, or each run of consecutive nodes in it where that is asked.
    [[nodiscard]] std::optional<Placement> try_runs(std::int64_t nodes,
                                                    const std::vector<NodeId>& pool) {
        if (!request_.topology.is_contiguous) return try_pool(nodes, pool);
        const auto size = static_cast<std::size_t>(nodes);
        for (std::size_t i = 0; i + size <= pool.size(); ++i) {
            if (pool[i + size - 1].value() - pool[i].value() + 1 != size) continue;
            const auto first = pool.begin() + static_cast<std::ptrdiff_t>(i);
            if (auto found = try_pool(nodes, {first, first + static_cast<std::ptrdiff_t>(size)})) {
                return found;
            }
        }
        return std::nullopt;
    }

    /// What fits a larger part mostly fits a smaller one; then taking the first candidate for each
    /// part, largest first, finds a placement whenever there is one.
    [[nodiscard]] std::optional<Placement> try_pool(std::int64_t nodes,
                                                    const std::vector<NodeId>& pool) {
        const auto required = std::count_if(pool.begin(), pool.end(),
                                            [&](NodeId id) { return required_.contains(id); });
        const bool has_all_required = required == static_cast<std::int64_t>(required_.count());
        if (static_cast<std::int64_t>(pool.size()) < nodes || !has_all_required) {
            return std::nullopt;
        }
        has_pool_ = true;
        if (auto found = try_greedily(nodes, pool)) return found;
        const bool are_alike =
            demand_of(request_, {0, nodes}, 1) == demand_of(request_, {nodes - 1, nodes}, 1);
        return are_alike ? std::nullopt : try_exactly(nodes, pool);
    }

    [[nodiscard]] std::optional<Placement> try_greedily(std::int64_t nodes,
                                                        const std::vector<NodeId>& pool) {
        NodeSet used;
        Placement placement;
        for (std::int64_t part = 0; part < nodes; ++part) {
            const auto still_required = static_cast<std::int64_t>((required_ - used).count());
            const bool must_be_required = still_required == nodes - part;
            const auto best = best_candidate({part, nodes}, pool, used, must_be_required);
            if (!best) return std::nullopt;
            used.insert(best->node);
            placement.nodes.push_back(best->placement);
        }
        sort_nodes(placement);
        return placement;
    }

    static void sort_nodes(Placement& placement) {
        std::sort(placement.nodes.begin(), placement.nodes.end(),
                  [](const NodePlacement& a, const NodePlacement& b) { return a.node < b.node; });
    }

    /// A smaller part may need more than a larger one: fewer cores have less memory near, fewer
    /// devices less in all. Each part then takes the first candidate that leaves places for the
    /// others.
    [[nodiscard]] std::optional<Placement> try_exactly(std::int64_t nodes,
                                                       const std::vector<NodeId>& pool) {
        std::vector<std::vector<Candidate>> rows;  // by part, best first
        for (std::int64_t part = 0; part < nodes; ++part) {
            const bool is_alike = part > 0 && demand_of(request_, {part, nodes}, 1) ==
                                                  demand_of(request_, {part - 1, nodes}, 1);
            rows.push_back(is_alike ? rows.back() : candidates({part, nodes}, pool));
        }
        if (!can_finish(rows, 0, {})) return std::nullopt;
        NodeSet used;
        Placement placement;
        for (std::size_t part = 0; part < rows.size(); ++part) {
            const auto chosen =
                std::find_if(rows[part].begin(), rows[part].end(), [&](const Candidate& candidate) {
                    NodeSet after = used;
                    after.insert(candidate.node);
                    return after != used && can_finish(rows, part + 1, after);
                });
            used.insert(chosen->node);
            placement.nodes.push_back(chosen->placement);
        }
        sort_nodes(placement);
        return placement;
    }

    /// True when the parts from `from` on find nodes beside the used ones, and the required nodes
    /// parts: two matchings that exist alone exist together (Mendelsohn and Dulmage, 1958).
    [[nodiscard]] bool can_finish(const std::vector<std::vector<Candidate>>& rows, std::size_t from,
                                  const NodeSet& used) const {
        std::vector<std::vector<std::size_t>> nodes_of_part(rows.size() - from);
        std::map<NodeId, std::vector<std::size_t>> parts_of_node;
        for (const NodeId node : required_ - used) parts_of_node[node];
        for (std::size_t part = from; part < rows.size(); ++part) {
            for (const Candidate& candidate : rows[part]) {
                if (used.contains(candidate.node)) continue;
                nodes_of_part[part - from].push_back(candidate.node.value());
                if (candidate.is_required) parts_of_node[candidate.node].push_back(part);
            }
        }
        std::vector<std::vector<std::size_t>> parts_of_required;
        for (auto& [node, parts] : parts_of_node) parts_of_required.push_back(std::move(parts));
        return can_match_all(nodes_of_part, cluster_.node_count()) &&
               can_match_all(parts_of_required, rows.size());
    }

    /// The nodes of the pool that can take the part, best first.
    [[nodiscard]] std::vector<Candidate> candidates(const NodePart& part,
                                                    const std::vector<NodeId>& pool) {
        std::vector<Candidate> found;
        for (const NodeId id : pool) {
            if (auto one = candidate(part, id)) found.push_back(*std::move(one));
        }
        std::sort(found.begin(), found.end(),
                  [&](const Candidate& a, const Candidate& b) { return comes_before(a, b); });
        return found;
    }

    /// The node as a place for the part; nothing, with the reason noted, when it is none.
    [[nodiscard]] std::optional<Candidate> candidate(const NodePart& part, NodeId id) {
        const auto& verdict = fit_on(cluster_.node(id).shape, part).fit(cluster_.usage(id).free());
        if (!verdict) {
            has_given_up_ |= verdict.refusal().constraint == Constraint::gave_up;
            note(verdict.refusal());
            return std::nullopt;
        }
        Candidate found{id, *verdict, required_.contains(id), 0};
        found.placement.node = id;
        found.cores_left = static_cast<std::int64_t>(cluster_.usage(id).free_cores().count()) -
                           static_cast<std::int64_t>(found.placement.cores.count());
        return found;
    }

    /// The answers for this part on nodes of this shape.
    [[nodiscard]] FitCache& fit_on(const Shared<NodeShape>& shape, const NodePart& part) {
        if (part != part_) {
            if (demand_of(request_, part, 1) != demand_of(request_, part_, 1)) fits_.clear();
            part_ = part;
        }
        const auto at = std::find_if(fits_.begin(), fits_.end(), [&](const FitCache& cache) {
            return &cache.shape() == &*shape;
        });
        if (at != fits_.end()) return *at;
        fits_.emplace_back(shape, demand_of(request_, part, socket_count(*shape)), options_.fit);
        return fits_.back();
    }

    [[nodiscard]] std::optional<Candidate> best_candidate(const NodePart& part,
                                                          const std::vector<NodeId>& pool,
                                                          const NodeSet& used,
                                                          bool must_be_required) {
        std::optional<Candidate> best;
        for (const NodeId id : pool) {
            if (used.contains(id) || (must_be_required && !required_.contains(id))) continue;
            auto one = candidate(part, id);
            if (!one) continue;
            if (!best || comes_before(*one, *best)) best = *std::move(one);
            if (options_.policy == Policy::first_fit && required_.is_empty()) break;
        }
        return best;
    }

    [[nodiscard]] bool comes_before(const Candidate& a, const Candidate& b) const {
        const auto score = [&](const Candidate& c) {
            switch (options_.policy) {
                case Policy::best_fit:
                    return c.cores_left;
                case Policy::worst_fit:
                    return -c.cores_left;
                case Policy::first_fit:
                    break;
            }
            return std::int64_t{0};
        };
        return std::tuple(!a.is_required, score(a), a.node) <
               std::tuple(!b.is_required, score(b), b.node);
    }

    void note(Refusal refusal) {
        for (auto& [first, count] : refusals_) {
            if (first.constraint != refusal.constraint) continue;
            ++count;
            return;
        }
        refusals_.emplace_back(std::move(refusal), 1);
    }

    /// The constraint that stood in the way most often, with the first reason given for it.
    /// Requires: there is one, as when a pool was tried in vain.
    [[nodiscard]] Refusal most_frequent_refusal() const {
        return std::max_element(refusals_.begin(), refusals_.end(),
                                [](const auto& a, const auto& b) { return a.second < b.second; })
            ->first;
    }

    const Cluster& cluster_;
    const Request& request_;
    const PlaceOptions& options_;
    StepBudget budget_;  ///< of choices of switches
    std::vector<NodeId> usable_;
    NodeSet required_;
    /// The first refusal of each constraint, and how many there were.
    std::vector<std::pair<Refusal, std::size_t>> refusals_;
    NodePart part_;               ///< that fits_ is about
    std::vector<FitCache> fits_;  ///< by shape
    bool has_pool_ = false;       ///< some nodes lie as the request wants
    bool has_given_up_ = false;
};

}  // namespace detail

/// The best placement under the order above, or why there is none. Alternatives to the devices are
/// for the whole job: they are looked at where the preferred ones find no placement.
/// Requires: check(request) is ok. Complexity: nodes times the cost of fit, for each number of
/// nodes tried; with a limit on switches times the choices of switches.
[[nodiscard]] inline Verdict<Placement> place(const Cluster& cluster, const Request& request,
                                              const PlaceOptions& options = {}) {
    return first_alternative(request, [&](const Request& one) {
        return detail::PlaceSearch(cluster, one, options).run();
    });
}

}  // namespace trestle
