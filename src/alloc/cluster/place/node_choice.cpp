// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/node_choice.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "alloc/node/matching.hpp"

namespace trestle {

bool PartGroup::takes(const Cluster& cluster, NodeId node) const {
    const StateId state = cluster.states().of(node);
    return ranking->fits(state) &&
           rules->allow(node, [&] { return ranking->given(cluster, state, node); });
}

NodeChoice::NodeChoice(const Cluster& cluster, std::vector<PartGroup> groups,
                       const NodeSet& required, detail::StepBudget& budget)
    : cluster_(cluster), groups_(std::move(groups)), required_(required), budget_(budget) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        has_feature_counts_ |= groups_[g].rules->has_feature_counts();
        group_of_.insert(group_of_.end(), groups_[g].count, g);
    }
}

std::optional<std::vector<NodePlacement>> NodeChoice::choose(const NodePool& pool) {
    if (choose_greedily(pool)) return placements();
    if (groups_.size() == 1 && !has_feature_counts_) return std::nullopt;
    used_ = {};
    chosen_.clear();
    rows_.clear();
    for (const PartGroup& group : groups_) rows_.push_back(long_row(group, pool));
    if (!can_finish() || !choose_exactly()) return std::nullopt;
    return placements();
}

std::optional<std::vector<NodePlacement>> NodeChoice::choose_nested(const NodePool& pool) {
    if (choose_greedily(pool)) return placements();
    return std::nullopt;
}

std::vector<Candidate> NodeChoice::required_candidates(const PartGroup& group,
                                                       const NodePool& pool) const {
    std::vector<Candidate> found;
    for (const NodeId node : group.rules->required) {
        const bool is_free = pool.contains(node) && !used_.contains(node);
        if (!is_free || !group.takes(cluster_, node)) continue;
        found.push_back(*group.ranking->candidate(cluster_, node));
    }
    std::sort(found.begin(), found.end(), comes_before);
    return found;
}

std::vector<Candidate> NodeChoice::others(const PartGroup& group, const NodePool& pool,
                                          std::size_t count) const {
    return others(group, pool, count, [](NodeId) { return true; });
}

bool NodeChoice::choose_greedily(const NodePool& pool) {
    chosen_.reserve(group_of_.size());
    for (const PartGroup& group : groups_) {
        std::vector<Candidate> row = required_candidates(group, pool);
        if (row.size() < group.count) {
            const auto more = others(group, pool, group.count - row.size());
            row.insert(row.end(), more.begin(), more.end());
        }
        if (row.size() < group.count) return false;
        for (std::size_t i = 0; i < group.count; ++i) take(row[i]);
    }
    return used_.contains_all(required_) && meets_feature_counts();
}

std::vector<Candidate> NodeChoice::long_row(const PartGroup& group, const NodePool& pool) const {
    std::vector<Candidate> row = required_candidates(group, pool);
    const std::size_t parts = group_of_.size();
    if (!group.rules->has_feature_counts()) {
        const auto more = others(group, pool, parts);
        row.insert(row.end(), more.begin(), more.end());
    } else if (group.ranking->is_drawn()) {
        const auto more = others(group, pool, all);
        row.insert(row.end(), more.begin(), more.end());
    } else {
        std::vector<Candidate> more;
        for (const std::uint64_t kind : feature_kinds(group)) {
            const auto some = others(group, pool, parts, [&](NodeId node) {
                return feature_kind(group, cluster_.class_of(node)) == kind;
            });
            more.insert(more.end(), some.begin(), some.end());
        }
        std::sort(more.begin(), more.end(), comes_before);
        row.insert(row.end(), more.begin(), more.end());
    }
    return row;
}

std::uint64_t NodeChoice::feature_kind(const PartGroup& group, const NodeClass& one) {
    std::uint64_t kind = 0;
    const auto& counts = *group.rules->feature_counts;
    for (std::size_t i = 0; i < counts.size() && i < 64; ++i) {
        if (matches(counts[i].features, one.features)) kind |= std::uint64_t{1} << i;
    }
    return kind;
}

std::vector<std::uint64_t> NodeChoice::feature_kinds(const PartGroup& group) const {
    std::vector<std::uint64_t> kinds;
    for (std::uint32_t c = 0; c < cluster_.classes().size(); ++c) {
        kinds.push_back(feature_kind(group, cluster_.classes()[ClassId(c)]));
    }
    std::sort(kinds.begin(), kinds.end());
    kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
    return kinds;
}

bool NodeChoice::choose_exactly() {
    const std::size_t part = chosen_.size();
    if (part == group_of_.size()) return meets_feature_counts();
    const std::vector<Candidate>& row = rows_[group_of_[part]];
    const bool is_like_last = part > 0 && group_of_[part] == group_of_[part - 1];
    auto at = row.begin();
    if (is_like_last) {  // parts that ask the same take nodes in order
        while (at->node != chosen_.back().node) ++at;
        ++at;
    }
    for (; at != row.end(); ++at) {
        if (used_.contains(at->node)) continue;
        if (!budget_.spend()) {
            has_given_up_ = true;
            return false;
        }
        take(*at);
        if (can_finish() && choose_exactly()) return true;
        if (has_given_up_) return false;
        used_.erase(at->node);
        chosen_.pop_back();
    }
    return false;
}

bool NodeChoice::can_finish() const {
    const std::size_t first = chosen_.size();
    std::vector<NodeId> nodes;  // that a part could have, numbered by their place here
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        for (const Candidate& one : rows_[g]) {
            if (!used_.contains(one.node)) nodes.push_back(one.node);
        }
    }
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    const auto number_of = [&](NodeId node) {
        return static_cast<std::size_t>(std::lower_bound(nodes.begin(), nodes.end(), node) -
                                        nodes.begin());
    };
    std::vector<std::vector<std::size_t>> nodes_of_part;
    std::vector<std::vector<std::size_t>> parts_of_node(nodes.size());
    for (std::size_t part = first; part < group_of_.size(); ++part) {
        nodes_of_part.emplace_back();
        for (const Candidate& one : rows_[group_of_[part]]) {
            if (used_.contains(one.node)) continue;
            const std::size_t number = number_of(one.node);
            nodes_of_part.back().push_back(number);
            parts_of_node[number].push_back(part - first);
        }
    }
    std::vector<std::vector<std::size_t>> parts_of_required;
    for (const NodeId node : required_ - used_) {
        const std::size_t number = number_of(node);
        if (number == nodes.size() || nodes[number] != node) return false;
        parts_of_required.push_back(parts_of_node[number]);
    }
    return detail::can_match_all(nodes_of_part, nodes.size()) &&
           detail::can_match_all(parts_of_required, nodes_of_part.size()) &&
           (!has_feature_counts_ || can_have_features(nodes, parts_of_node));
}

bool NodeChoice::can_have_features(
    const std::vector<NodeId>& nodes,
    const std::vector<std::vector<std::size_t>>& parts_of_node) const {
    const std::size_t first = chosen_.size();
    return for_each_feature_count([&](const NodeRules* rules, const FeatureCount& wanted) {
        std::int64_t missing = wanted.nodes.value() - chosen_with(rules, wanted.features);
        if (missing <= 0) return true;
        std::vector<std::vector<std::size_t>> parts_of_meeting;
        for (std::size_t n = 0; n < nodes.size(); ++n) {
            if (!matches(wanted.features, cluster_.class_of(nodes[n]).features)) continue;
            parts_of_meeting.emplace_back();
            for (const std::size_t part : parts_of_node[n]) {
                if (groups_[group_of_[first + part]].rules == rules) {
                    parts_of_meeting.back().push_back(part);
                }
            }
        }
        detail::Matching matching(parts_of_meeting, group_of_.size() - first);
        for (std::size_t n = 0; n < parts_of_meeting.size() && missing > 0; ++n) {
            if (matching.serve(n)) --missing;
        }
        return missing == 0;
    });
}

std::int64_t NodeChoice::chosen_with(const NodeRules* rules,
                                     const FeatureExpression& features) const {
    std::int64_t count = 0;
    for (std::size_t part = 0; part < chosen_.size(); ++part) {
        if (groups_[group_of_[part]].rules != rules) continue;
        if (matches(features, cluster_.class_of(chosen_[part].node).features)) ++count;
    }
    return count;
}

bool NodeChoice::meets_feature_counts() const {
    return !has_feature_counts_ ||
           for_each_feature_count([&](const NodeRules* rules, const FeatureCount& wanted) {
               return chosen_with(rules, wanted.features) >= wanted.nodes.value();
           });
}

void NodeChoice::take(const Candidate& one) {
    used_.insert(one.node);
    chosen_.push_back(one);
}

std::vector<NodePlacement> NodeChoice::placements() const {
    std::vector<NodePlacement> all_parts;
    all_parts.reserve(chosen_.size());
    for (std::size_t part = 0; part < chosen_.size(); ++part) {
        const PartGroup& group = groups_[group_of_[part]];
        all_parts.push_back(group.ranking->placement(cluster_, chosen_[part]));
        all_parts.back().component = group.component;
    }
    std::sort(all_parts.begin(), all_parts.end(),
              [](const NodePlacement& a, const NodePlacement& b) { return a.node < b.node; });
    return all_parts;
}

}  // namespace trestle
