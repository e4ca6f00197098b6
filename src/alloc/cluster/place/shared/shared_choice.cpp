// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/shared/shared_choice.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "alloc/cluster/node_part.hpp"

namespace trestle {

SharedChoice::SharedChoice(const Cluster& cluster, std::vector<PartGroup> groups,
                           const NodeSharing& sharing, bool uses_pool, detail::StepBudget& budget)
    : cluster_(cluster),
      groups_(std::move(groups)),
      sharing_(sharing),
      uses_pool_(uses_pool),
      budget_(budget) {
    make_components();
}

void SharedChoice::make_components() {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const PartGroup& group = groups_[g];
        if (g == 0 || groups_[g - 1].component != group.component) {
            components_.push_back({group.rules, g, g, 0, 0, group.rules->required.count()});
        }
        component_of_.push_back(static_cast<std::uint32_t>(components_.size() - 1));
        components_.back().end_group = g + 1;
        components_.back().parts_left += group.count;
        left_.push_back(group.count);
        group_of_.insert(group_of_.end(), group.count, g);
    }
}

std::optional<std::vector<NodePlacement>> SharedChoice::choose(const NodePool& pool) {
    collect_nodes(pool);
    for (std::size_t g = 0; g < groups_.size(); ++g) make_row(g, pool);
    if (lacks_required() || !can_finish() || !choose_parts()) return std::nullopt;
    return placements();
}

void SharedChoice::collect_nodes(const NodePool& pool) {
    std::map<std::tuple<StateId, std::vector<bool>, std::vector<bool>>,
             std::pair<std::uint32_t, std::size_t>>
        kinds;  // the number of each, and its nodes
    // A partition's limits tell nodes in one state apart, and nodes that are drawn have no order.
    const bool are_unlike = std::any_of(groups_.begin(), groups_.end(), [](const PartGroup& one) {
        return one.rules->limits.has_value();
    });
    const bool wants_all = are_unlike || groups_.front().ranking->is_drawn();
    able_.assign(groups_.size(), 0);
    const auto look_at = [&](NodeId node) {
        if (!pool.contains(node)) return;
        Node one{node, 0, std::vector<bool>(groups_.size()), {}, {}, {}};
        bool takes_some = false;
        for (std::size_t g = 0; g < groups_.size(); ++g) {
            one.takes[g] = groups_[g].takes(cluster_, node);
            takes_some = takes_some || one.takes[g];
        }
        if (!takes_some) return;
        for (const Component& component : components_) {
            one.is_required.push_back(component.rules->required.contains(node));
        }
        const auto kind = kinds
                              .try_emplace({cluster_.states().of(node), one.takes, one.is_required},
                                           static_cast<std::uint32_t>(kinds.size()), 0)
                              .first;
        one.alike = are_unlike ? node.value() : kind->second.first;
        if (kind->second.second++ >= group_of_.size() && !wants_all) return;
        for (std::size_t g = 0; g < groups_.size(); ++g) able_[g] += one.takes[g] ? 1U : 0U;
        for (Component& component : components_) {
            bool takes_some_of_it = false;
            for (std::size_t g = component.first_group; g < component.end_group; ++g) {
                takes_some_of_it = takes_some_of_it || one.takes[g];
            }
            component.able += takes_some_of_it ? 1U : 0U;
        }
        nodes_.push_back(std::move(one));
    };
    if (const NodeSet* const candidates = pool.candidates()) {
        for (const NodeId node : *candidates) {
            if (node.value() < cluster_.node_count()) look_at(node);
        }
    } else {
        for (std::uint32_t i = 0; i < cluster_.node_count(); ++i) look_at(NodeId(i));
    }
}

bool SharedChoice::lacks_required() const {
    for (std::size_t c = 0; c < components_.size(); ++c) {
        const Component& one = components_[c];
        const auto able = std::count_if(nodes_.begin(), nodes_.end(), [&](const Node& node) {
            bool takes_some = false;
            for (std::size_t g = one.first_group; g < one.end_group; ++g) {
                takes_some = takes_some || node.takes[g];
            }
            return node.is_required[c] && takes_some;
        });
        if (static_cast<std::size_t>(able) < one.required_left) return true;
    }
    return false;
}

void SharedChoice::make_row(std::size_t group, const NodePool& pool) {
    NodeRanking& ranking = *groups_[group].ranking;
    std::map<NodeId, std::size_t> places;  // of the nodes in nodes_
    std::vector<Candidate> required;
    std::vector<Candidate> others;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
        if (!nodes_[n].takes[group]) continue;
        places.emplace(nodes_[n].node, n);
        const bool is_required = nodes_[n].is_required[component_of(group)];
        (is_required ? required : others).push_back(*ranking.candidate(cluster_, nodes_[n].node));
    }
    std::sort(required.begin(), required.end(), comes_before);
    if (ranking.is_drawn()) {
        const NodeSet& own = groups_[group].rules->required;
        others = ranking.best(
            cluster_, std::numeric_limits<std::size_t>::max(), pool.candidates(),
            [&](NodeId node) { return places.count(node) != 0 && !own.contains(node); });
    } else {
        std::sort(others.begin(), others.end(), comes_before);
    }
    rows_.emplace_back();
    for (const Candidate& one : required) rows_.back().push_back(places.at(one.node));
    for (const Candidate& one : others) rows_.back().push_back(places.at(one.node));
}

SharedChoice::Positions SharedChoice::row_now(std::size_t group) const {
    Positions row = rows_[group];
    std::erase_if(row, [&](std::size_t n) { return serves_component(nodes_[n], group); });
    const std::uint32_t component = component_of(group);
    std::stable_sort(row.begin(), row.end(), [&](std::size_t a, std::size_t b) {
        const auto rank = [&](const Node& one) {
            return one.is_required[component] ? 0 : one.parts.empty() ? 2 : 1;
        };
        return rank(nodes_[a]) < rank(nodes_[b]);
    });
    return row;
}

bool SharedChoice::choose_parts() {
    const std::size_t part = chosen_.size();
    if (part == group_of_.size()) return true;
    const std::size_t group = group_of_[part];
    const bool is_first = part == 0 || group_of_[part - 1] != group;
    if (is_first) rows_now_.push_back(row_now(group));
    const std::size_t depth = rows_now_.size() - 1;
    const std::size_t end = rows_now_[depth].size();
    std::vector<Likeness> tried;
    // Parts that ask the same take nodes in order.
    for (std::size_t at = is_first ? 0 : places_.back() + 1; at < end; ++at) {
        const std::size_t here = rows_now_[depth][at];
        const Node& node = nodes_[here];
        const Likeness likeness(node.alike, node.parts);
        if (std::find(tried.begin(), tried.end(), likeness) != tried.end()) continue;
        if (node.parts.empty() && used_.size() == sharing_.nodes_max) continue;
        if (!budget_.spend(1 + used_.size() / 16)) {
            has_given_up_ = true;
            break;
        }
        if (!takes_more(node, group)) continue;
        places_.push_back(at);
        take(group, here);
        if (can_finish() && choose_parts()) return true;
        take_back(group, here);
        places_.pop_back();
        if (has_given_up_) break;
        tried.push_back(likeness);
    }
    if (is_first) rows_now_.pop_back();
    return false;
}

bool SharedChoice::serves_component(const Node& node, std::size_t group) const {
    return std::any_of(node.parts.begin(), node.parts.end(), [&](std::size_t other) {
        return component_of(other) == component_of(group);
    });
}

bool SharedChoice::takes_more(const Node& node, std::size_t group) {
    if (!node.takes[group]) return false;
    if (node.parts.empty()) return true;
    if (node.more.empty()) node.more.assign(groups_.size(), {});
    std::optional<bool>& known = node.more[group];
    if (known) return *known;
    SharedFits::Parts parts;
    for (const std::size_t one : node.parts) parts.push_back(&groups_[one]);
    parts.push_back(&groups_[group]);
    known = sharing_.fits->together(node.node, parts).has_value();
    return *known;
}

void SharedChoice::take(std::size_t group, std::size_t node) {
    if (nodes_[node].parts.empty()) used_.push_back(node);
    nodes_[node].parts.push_back(group);
    nodes_[node].more.clear();
    chosen_.push_back(node);
    --left_[group];
    Component& component = components_[component_of(group)];
    --component.parts_left;
    if (nodes_[node].is_required[component_of(group)]) --component.required_left;
}

void SharedChoice::take_back(std::size_t group, std::size_t node) {
    chosen_.pop_back();
    nodes_[node].parts.pop_back();
    nodes_[node].more.clear();
    if (nodes_[node].parts.empty()) used_.pop_back();
    ++left_[group];
    Component& component = components_[component_of(group)];
    ++component.parts_left;
    if (nodes_[node].is_required[component_of(group)]) ++component.required_left;
}

bool SharedChoice::can_finish() {
    if (uses_pool_) {
        const std::size_t parts_left = group_of_.size() - chosen_.size();
        if (used_.size() + parts_left < sharing_.nodes_max) return false;
    }
    return std::all_of(components_.begin(), components_.end(),
                       [&](const Component& one) { return can_finish(one); });
}

bool SharedChoice::can_finish(const Component& component) {
    if (component.parts_left < component.required_left) return false;
    if (component.parts_left == 0) return may_meet_feature_counts(component);
    const std::size_t may_add = sharing_.nodes_max - used_.size();
    std::vector<std::size_t> shared(groups_.size(), 0);
    std::vector<std::size_t> unused = able_;
    std::size_t shared_by_some = 0;
    std::size_t unused_by_some = component.able;
    for (const std::size_t n : used_) {
        const Node& node = nodes_[n];
        bool takes_some = false;
        bool takes_some_more = false;
        const bool is_served = serves_component(node, component.first_group);
        for (std::size_t g = component.first_group; g < component.end_group; ++g) {
            if (!node.takes[g]) continue;
            takes_some = true;
            --unused[g];
            if (is_served || left_[g] == 0 || !takes_more(node, g)) continue;
            ++shared[g];
            takes_some_more = true;
        }
        unused_by_some -= takes_some ? 1 : 0;
        shared_by_some += takes_some_more ? 1 : 0;
    }
    for (std::size_t g = component.first_group; g < component.end_group; ++g) {
        if (shared[g] + std::min(unused[g], may_add) < left_[g]) return false;
    }
    return shared_by_some + std::min(unused_by_some, may_add) >= component.parts_left &&
           may_meet_feature_counts(component);
}

bool SharedChoice::may_meet_feature_counts(const Component& component) const {
    if (!component.rules->has_feature_counts()) return true;
    const auto& counts = *component.rules->feature_counts;
    return std::all_of(counts.begin(), counts.end(), [&](const FeatureCount& wanted) {
        auto met = static_cast<std::int64_t>(component.parts_left);
        for (std::size_t part = 0; part < chosen_.size(); ++part) {
            const std::size_t group = group_of_[part];
            if (group < component.first_group || group >= component.end_group) continue;
            const NodeClass& one = cluster_.class_of(nodes_[chosen_[part]].node);
            met += matches(wanted.features, one.features) ? 1 : 0;
        }
        return met >= wanted.nodes.value();
    });
}

std::vector<NodePlacement> SharedChoice::placements() {
    std::vector<NodePlacement> all;
    for (const std::size_t n : used_) {
        const Node& node = nodes_[n];
        if (node.parts.size() == 1) {
            const PartGroup& group = groups_[node.parts.front()];
            all.push_back(
                group.ranking->placement(cluster_, *group.ranking->candidate(cluster_, node.node)));
            all.back().component = group.component;
            continue;
        }
        SharedFits::Parts parts;
        for (const std::size_t one : node.parts) parts.push_back(&groups_[one]);
        auto given = sharing_.fits->together(node.node, parts);
        for (NodePlacement& one : *given) all.push_back(std::move(one));
    }
    std::sort(all.begin(), all.end(), detail::stands_before);
    return all;
}

}  // namespace trestle
