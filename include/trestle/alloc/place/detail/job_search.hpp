// SPDX-License-Identifier: Apache-2.0
#pragma once

// JobSearch: one decision: how many nodes, where in the network, and which.
//
// Layer: alloc (detail). Main type: JobSearch. Numbers of nodes are tried from the lowest; for each
// the network says which nodes are in question, and NodeChoice takes among them.
// A reader would get wrong: where all parts ask the same, leaves are chosen by counting; else each
// choice of leaf switches is tried, lowest first, within a budget.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/detail/step_budget.hpp"
#include "trestle/alloc/place/detail/job_memory.hpp"
#include "trestle/alloc/place/detail/network_search.hpp"
#include "trestle/alloc/place/detail/refusals.hpp"
#include "trestle/alloc/place/eligibility.hpp"
#include "trestle/alloc/place/job_groups.hpp"
#include "trestle/alloc/place/node_choice.hpp"
#include "trestle/alloc/place/node_filter.hpp"
#include "trestle/alloc/place/place_options.hpp"
#include "trestle/alloc/place/scores.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

class JobSearch {
  public:
    JobSearch(const Cluster& cluster, const Scorer& scorer, const PlaceOptions& options,
              LeafTrees& trees, RequestMemory& memory, const NodeFilter& filter)
        : cluster_(cluster),
          scorer_(scorer),
          options_(options),
          trees_(trees),
          memory_(memory),
          filter_(filter),
          request_(memory.request()),
          budget_{options.fit.steps_max} {}

    [[nodiscard]] Verdict<Placement> run() {
        if (auto refusal = refuse_job()) return *std::move(refusal);
        if (auto refusal = find_named_nodes()) return *std::move(refusal);
        const auto required = static_cast<std::int64_t>(required_.count());
        const std::int64_t least =
            std::max({std::int64_t{1}, request_.nodes.least().value(), required});
        std::int64_t most = request_.nodes.max.value_or(Count::max()).value();
        if (request_.tasks) most = std::min(most, std::max(least, request_.tasks->value()));
        if (least > most) {
            return Refusal{Constraint::nodes, fmt::format("{} nodes are required by name, asked {}",
                                                          required, request_.nodes)};
        }
        most = std::min<std::int64_t>(most, cluster_.node_count());
        for (std::int64_t nodes = least; nodes <= most; ++nodes) {
            if (!is_allowed(nodes)) continue;
            if (auto found = try_count(nodes)) {
                return Placement{*std::move(found), request_.cluster_counts};
            }
        }
        if (has_given_up_) {
            return Refusal{Constraint::gave_up,
                           fmt::format("no answer within {} steps", options_.fit.steps_max)};
        }
        if (network_refusal_) return *std::move(network_refusal_);
        return why_not(least);
    }

  private:
    using Found = std::optional<std::vector<NodePlacement>>;

    /// What the cluster as a whole says.
    [[nodiscard]] std::optional<Refusal> refuse_job() const {
        if (auto refusal = refuse(cluster_.free_counts(), request_.cluster_counts)) return refusal;
        if (request_.partition.empty()) return std::nullopt;
        const auto at = find_partition(cluster_, request_.partition);
        if (!at) {
            return Refusal{Constraint::partition,
                           fmt::format("there is no partition {}", request_.partition)};
        }
        return refuse(cluster_.partitions()[*at], request_);
    }

    [[nodiscard]] std::optional<Refusal> find_named_nodes() {
        for (const std::string& name : request_.excluded_nodes) {
            if (const auto id = cluster_.find_node(name)) excluded_.insert(*id);
        }
        for (const std::string& name : request_.required_nodes) {
            const auto id = cluster_.find_node(name);
            if (!id) {
                return Refusal{Constraint::nodes, name + " is required, there is no such node"};
            }
            if (auto refusal = refuse_node(cluster_, *id, request_)) return refusal;
            if (!filter_.passes(*id)) {
                return Refusal{Constraint::candidates,
                               name + " is required, the caller forbids it"};
            }
            required_.insert(*id);
        }
        return std::nullopt;
    }

    [[nodiscard]] bool is_allowed(std::int64_t nodes) const {
        const auto& counts = request_.node_counts;
        return counts.empty() ||
               std::find(counts.begin(), counts.end(), Count(nodes)) != counts.end();
    }

    [[nodiscard]] Found try_count(std::int64_t nodes) {
        groups_.clear();
        std::size_t parts = 0;
        for (const JobGroup& group : groups_of(request_, nodes)) {
            PartAnswers& answers = memory_.answers(group, cluster_, scorer_);
            has_given_up_ |= answers.has_given_up(cluster_);
            groups_.push_back(
                {&answers, static_cast<std::size_t>(group.count), group.component == 0});
            parts += static_cast<std::size_t>(group.count);
        }
        if (parts > cluster_.node_count()) return std::nullopt;
        const NodePool pool{nullptr, excluded_.is_empty() ? nullptr : &excluded_,
                            filter_.is_empty() ? nullptr : &filter_};
        const NetworkQuestion question{cluster_, request_.topology,
                                       pool,     required_,
                                       groups_,  static_cast<std::uint32_t>(parts)};
        auto found = NetworkSearch(question, memory_, trees_, budget_).run();
        if (found) return *std::move(found);
        const Refusal& refusal = found.refusal();
        has_given_up_ |= refusal.constraint == Constraint::gave_up;
        if (refusal.constraint == Constraint::topology) network_refusal_ = refusal;
        return std::nullopt;
    }

    /// What stood in the way of most nodes, in the words of the first of them.
    [[nodiscard]] Refusal why_not(std::int64_t least) const {
        RefusalCounts counts(cluster_);
        if (groups_.empty()) {
            return {Constraint::nodes,
                    fmt::format("asked {} nodes, there are {}", least, cluster_.node_count())};
        }
        counts.add(*groups_.front().answers, excluded_, filter_);
        const auto most = counts.most_frequent();
        if (most && counts.fitting() == 0) return *most;
        const auto fitting = counts.fitting();
        std::string why = fmt::format("asked {} nodes, {} of {} can take a part", least, fitting,
                                      cluster_.node_count());
        if (most) why += "; " + most->reason;
        return {Constraint::nodes, std::move(why)};
    }

    const Cluster& cluster_;
    const Scorer& scorer_;
    const PlaceOptions& options_;
    LeafTrees& trees_;
    RequestMemory& memory_;
    const NodeFilter& filter_;
    const Request& request_;
    StepBudget budget_;  ///< of choices of leaves
    NodeSet required_;
    NodeSet excluded_;
    std::vector<NodeChoice::Group> groups_;
    std::optional<Refusal> network_refusal_;
    bool has_given_up_ = false;
};

}  // namespace trestle::detail
