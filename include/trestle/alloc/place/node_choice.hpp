// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeChoice: nodes for all parts of a job, each another one.
//
// Layer: alloc. Main type: NodeChoice. Part by part, the largest first, each gets the first node in
// the order of place() that leaves nodes for the others. Taking the best first mostly does that;
// where it does not, whether the others can still be served is a matching.
// A reader would get wrong: of the nodes that a part could have, only as many are looked at as the
// job has parts, and the required ones: the others never matter.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/detail/matching.hpp"
#include "trestle/alloc/place/answers.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

/// Which nodes a choice may use: those in `among`, if any is given, that pass the filter and are
/// not excluded.
struct NodePool {
    const NodeSet* among = nullptr;
    const NodeSet* excluded = nullptr;
    const NodeFilter* filter = nullptr;

    [[nodiscard]] bool contains(NodeId node) const {
        return (!among || among->contains(node)) && (!excluded || !excluded->contains(node)) &&
               (!filter || filter->passes(node));
    }
    /// A set that holds all nodes of the pool, or nothing: the smaller one where there are two.
    [[nodiscard]] const NodeSet* candidates() const {
        return among ? among : filter ? filter->candidates : nullptr;
    }
};

class NodeChoice {
  public:
    /// A group of parts and what the nodes say to them.
    struct Group {
        PartAnswers* answers = nullptr;
        std::size_t count = 0;
        bool may_take_required = true;
    };

    NodeChoice(const Cluster& cluster, std::vector<Group> groups, const NodeSet& required)
        : cluster_(cluster), groups_(std::move(groups)), required_(required) {
        for (const Group& group : groups_) parts_ += group.count;
    }

    /// The placements of all parts, by node; nothing when the pool does not serve them all.
    [[nodiscard]] std::optional<std::vector<NodePlacement>> choose(const NodePool& pool) {
        if (auto found = choose_greedily(pool)) return found;
        return groups_.size() == 1 ? std::nullopt : choose_exactly(pool);
    }

  private:
    /// The required nodes of the pool that can take the parts, best first.
    [[nodiscard]] std::vector<Candidate> required_candidates(const Group& group,
                                                             const NodePool& pool) const {
        std::vector<Candidate> found;
        if (!group.may_take_required) return found;
        for (const NodeId node : required_) {
            if (!pool.contains(node)) continue;
            if (const auto one = group.answers->candidate(cluster_, node)) found.push_back(*one);
        }
        std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
            return a.score != b.score ? a.score > b.score : a.node < b.node;
        });
        return found;
    }

    /// The first `count` nodes for the parts that are not used, required ones first.
    [[nodiscard]] std::vector<Candidate> row_of(const Group& group, const NodePool& pool,
                                                const NodeSet& used, std::size_t count) const {
        std::vector<Candidate> row = required_candidates(group, pool);
        std::erase_if(row, [&](const Candidate& one) { return used.contains(one.node); });
        if (row.size() >= count) return row;
        const std::vector<Candidate> others =
            group.answers->best(cluster_, count - row.size(), pool.candidates(), [&](NodeId node) {
                return pool.contains(node) && !required_.contains(node) && !used.contains(node);
            });
        row.insert(row.end(), others.begin(), others.end());
        return row;
    }

    [[nodiscard]] std::optional<std::vector<NodePlacement>> choose_greedily(const NodePool& pool) {
        NodeSet used;
        std::vector<NodePlacement> placements;
        placements.reserve(parts_);
        for (const Group& group : groups_) {
            const std::vector<Candidate> row = row_of(group, pool, used, group.count);
            if (row.size() < group.count) return std::nullopt;
            for (std::size_t i = 0; i < group.count; ++i) {
                if (parts_ > 1) used.insert(row[i].node);
                placements.push_back(group.answers->placement(row[i]));
            }
        }
        if (parts_ == 1) {
            if (required_.is_empty() || required_.contains(placements.front().node)) {
                return placements;
            }
            return std::nullopt;
        }
        if (!used.contains_all(required_)) return std::nullopt;
        return sorted(std::move(placements));
    }

    [[nodiscard]] std::optional<std::vector<NodePlacement>> choose_exactly(const NodePool& pool) {
        std::vector<std::vector<Candidate>> rows;  // by part
        std::vector<const PartAnswers*> answers;
        for (const Group& group : groups_) {
            const auto row = row_of(group, pool, {}, parts_ + required_.count());
            rows.insert(rows.end(), group.count, row);
            answers.insert(answers.end(), group.count, group.answers);
        }
        NodeSet used;
        if (!can_finish(rows, 0, used)) return std::nullopt;
        std::vector<NodePlacement> placements;
        for (std::size_t part = 0; part < rows.size(); ++part) {
            const auto chosen =
                std::find_if(rows[part].begin(), rows[part].end(), [&](const Candidate& one) {
                    if (used.contains(one.node)) return false;
                    NodeSet after = used;
                    after.insert(one.node);
                    return can_finish(rows, part + 1, after);
                });
            used.insert(chosen->node);
            placements.push_back(answers[part]->placement(*chosen));
        }
        return sorted(std::move(placements));
    }

    /// True when the parts from `from` on find nodes beside the used ones, and the required nodes
    /// parts: two matchings that exist alone exist together (Mendelsohn and Dulmage, 1958).
    [[nodiscard]] bool can_finish(const std::vector<std::vector<Candidate>>& rows, std::size_t from,
                                  const NodeSet& used) const {
        const NodeSet missing = required_ - used;
        std::vector<NodeId> nodes;  // that any part could have, numbered by their place here
        for (std::size_t part = from; part < rows.size(); ++part) {
            for (const Candidate& one : rows[part]) nodes.push_back(one.node);
        }
        std::sort(nodes.begin(), nodes.end());
        nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
        const auto number_of = [&](NodeId node) {
            return static_cast<std::size_t>(std::lower_bound(nodes.begin(), nodes.end(), node) -
                                            nodes.begin());
        };
        std::vector<std::vector<std::size_t>> nodes_of_part(rows.size() - from);
        std::vector<std::vector<std::size_t>> parts_of_node(nodes.size());
        for (std::size_t part = from; part < rows.size(); ++part) {
            for (const Candidate& one : rows[part]) {
                if (used.contains(one.node)) continue;
                const std::size_t number = number_of(one.node);
                nodes_of_part[part - from].push_back(number);
                parts_of_node[number].push_back(part - from);
            }
        }
        std::vector<std::vector<std::size_t>> parts_of_required;
        for (const NodeId node : missing) {
            const std::size_t number = number_of(node);
            if (number == nodes.size() || nodes[number] != node) return false;
            parts_of_required.push_back(parts_of_node[number]);
        }
        return detail::can_match_all(nodes_of_part, nodes.size()) &&
               detail::can_match_all(parts_of_required, rows.size() - from);
    }

    [[nodiscard]] static std::vector<NodePlacement> sorted(std::vector<NodePlacement> placements) {
        std::sort(placements.begin(), placements.end(),
                  [](const NodePlacement& a, const NodePlacement& b) { return a.node < b.node; });
        return placements;
    }

    const Cluster& cluster_;
    std::vector<Group> groups_;
    const NodeSet& required_;
    std::size_t parts_ = 0;
};

}  // namespace trestle
