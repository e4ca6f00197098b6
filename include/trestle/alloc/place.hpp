// SPDX-License-Identifier: Apache-2.0
#pragma once

// place: which nodes of a cluster, and what of each, meet a request.
//
// Layer: alloc. Main function: place(cluster, request, options) -> Verdict<Placement>; explain in
// explain.hpp says why not. Pure: the cluster is not changed.
//
// The order, first difference decides: nodes that the request names; then the policy (first_fit:
// lowest node id; best_fit: fewest cores free afterwards; worst_fit: most); then the lowest node
// id. On each node fit() decides. A range of nodes is tried from its low end.
// A reader would get wrong: tasks and per-job counts are split evenly over the nodes, the first
// parts one more, and the larger parts are placed first.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/demand.hpp"
#include "trestle/alloc/fit.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// Which node comes first among those that fit.
enum class Policy { first_fit, best_fit, worst_fit };

constexpr auto enum_names(Policy) {
    using enum Policy;
    return std::array{named(first_fit, "first_fit"), named(best_fit, "best_fit"),
                      named(worst_fit, "worst_fit")};
}

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
    std::uint32_t packages = 0;
    for (const CoreGroup& group : shape.hardware.groups) {
        packages += group.level == HardwareLevel::package ? 1 : 0;
    }
    return std::max(packages, std::uint32_t{1});
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
    for (const std::string& feature : request.features) {
        if (!has(node.features, feature)) {
            return Refusal{Constraint::features, node.name + " lacks " + feature};
        }
    }
    if (request.disk.min && node.shape->disk < *request.disk.min) {
        return Refusal{Constraint::disk,
                       fmt::format("{} has {} of disk", node.name, node.shape->disk)};
    }
    if (!request.partition.empty()) {
        const auto& partitions = cluster.parts().partitions;
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
        : cluster_(cluster), request_(request), options_(options) {
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
        if (least > most || least > all) return too_few(least, all);
        for (std::int64_t nodes = least; nodes <= std::min(most, all); ++nodes) {
            if (auto found = try_count(nodes)) return *std::move(found);
        }
        if (has_given_up_) return Refusal{Constraint::gave_up, "the step budget of a node ended"};
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
        for (const std::vector<NodeId>& pool : pools(nodes)) {
            if (auto found = try_pool(nodes, pool)) return found;
        }
        return std::nullopt;
    }

    /// The sets of nodes among which all must lie, in order of preference.
    [[nodiscard]] std::vector<std::vector<NodeId>> pools(std::int64_t nodes) const {
        std::vector<std::vector<NodeId>> within = switch_pools();
        if (!request_.topology.is_contiguous) return within;
        std::vector<std::vector<NodeId>> runs;
        for (const auto& pool : within) {
            const auto size = static_cast<std::size_t>(nodes);
            for (std::size_t i = 0; i + size <= pool.size(); ++i) {
                if (pool[i + size - 1].value() - pool[i].value() + 1 != size) continue;
                runs.emplace_back(pool.begin() + static_cast<std::ptrdiff_t>(i),
                                  pool.begin() + static_cast<std::ptrdiff_t>(i + size));
            }
        }
        return runs;
    }

    /// Without a limit on switches all usable nodes; else every choice of so many leaf switches.
    [[nodiscard]] std::vector<std::vector<NodeId>> switch_pools() const {
        if (!request_.topology.switches_max) return {usable_};
        std::vector<const Switch*> leaves;
        for (const Switch& one : cluster_.parts().network.switches) {
            if (!one.nodes.is_empty()) leaves.push_back(&one);
        }
        const auto limit = std::min(
            static_cast<std::size_t>(request_.topology.switches_max->value()), leaves.size());
        std::vector<std::vector<NodeId>> result;
        for (std::size_t size = 1; size <= limit; ++size) {
            std::vector<std::size_t> pick(size);
            for (std::size_t i = 0; i < size; ++i) pick[i] = i;
            do {
                NodeSet below;
                for (const std::size_t i : pick) below |= leaves[i]->nodes;
                std::vector<NodeId> pool;
                for (const NodeId node : usable_) {
                    if (below.contains(node)) pool.push_back(node);
                }
                result.push_back(std::move(pool));
            } while (next_combination(pick, leaves.size()));
        }
        return result;
    }

    /// Parts are nested: what fits a larger part fits a smaller one, so that taking the first
    /// candidate for each part, largest first, finds a placement whenever there is one.
    [[nodiscard]] std::optional<Placement> try_pool(std::int64_t nodes,
                                                    const std::vector<NodeId>& pool) {
        if (static_cast<std::int64_t>(pool.size()) < nodes) return std::nullopt;
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
        std::sort(placement.nodes.begin(), placement.nodes.end(),
                  [](const NodePlacement& a, const NodePlacement& b) { return a.node < b.node; });
        return placement;
    }

    [[nodiscard]] std::optional<Candidate> best_candidate(const NodePart& part,
                                                          const std::vector<NodeId>& pool,
                                                          const NodeSet& used,
                                                          bool must_be_required) {
        std::optional<Candidate> best;
        for (const NodeId id : pool) {
            const bool is_required = required_.contains(id);
            if (used.contains(id) || (must_be_required && !is_required)) continue;
            const NodeShape& shape = *cluster_.node(id).shape;
            const NodeDemand demand = demand_of(request_, part, socket_count(shape));
            auto verdict = fit(shape, cluster_.usage(id), demand, options_.fit);
            if (!verdict) {
                has_given_up_ |= verdict.refusal().constraint == Constraint::gave_up;
                note(verdict.refusal());
                continue;
            }
            Candidate candidate{id, *std::move(verdict), is_required, 0};
            candidate.placement.node = id;
            candidate.cores_left =
                static_cast<std::int64_t>(cluster_.usage(id).free_cores().count()) -
                static_cast<std::int64_t>(candidate.placement.cores.count());
            if (!best || comes_before(candidate, *best)) best = std::move(candidate);
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

    void note(Refusal refusal) { refusals_.push_back(std::move(refusal)); }

    /// The constraint that stood in the way most often, with the first reason given for it.
    [[nodiscard]] Refusal most_frequent_refusal() const {
        const Refusal* answer = nullptr;
        std::size_t most = 0;
        for (const Refusal& one : refusals_) {
            const auto same = static_cast<std::size_t>(std::count_if(
                refusals_.begin(), refusals_.end(),
                [&](const Refusal& other) { return other.constraint == one.constraint; }));
            if (same > most) {
                most = same;
                answer = &one;
            }
        }
        if (answer) return *answer;
        return {Constraint::topology, "no set of nodes has the shape that is asked"};
    }

    const Cluster& cluster_;
    const Request& request_;
    const PlaceOptions& options_;
    std::vector<NodeId> usable_;
    NodeSet required_;
    std::vector<Refusal> refusals_;
    bool has_given_up_ = false;
};

}  // namespace detail

/// The best placement under the order above, or why there is none.
/// Requires: check(request) is ok. Complexity: nodes times the cost of fit, for each number of
/// nodes tried; with a limit on switches times the choices of switches.
[[nodiscard]] inline Verdict<Placement> place(const Cluster& cluster, const Request& request,
                                              const PlaceOptions& options = {}) {
    return detail::PlaceSearch(cluster, request, options).run();
}

}  // namespace trestle
