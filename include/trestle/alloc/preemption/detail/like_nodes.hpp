// SPDX-License-Identifier: Apache-2.0
#pragma once

// LikeNodes: which nodes of a plan are alike, and what was found out about one of them.
//
// Layer: alloc (detail). Main type: LikeNodes. Two nodes are alike when they are in one state and
// have as many owners, and their victims, in the caller's order, have the same parts of them at the
// same costs: then the same ones in that order are the answer.
// A reader would get wrong: "none of use" depends on what was known by then; it holds for a node
// like it none of whose victims stands earlier in the caller's list.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/preemption/detail/ended_set.hpp"
#include "trestle/alloc/preemption/detail/victim_nodes.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::detail {

class LikeNodes {
  public:
    /// Requires: the cluster is the one that the nodes are of, as it was then.
    LikeNodes(const Cluster& cluster, const std::vector<VictimNode>& nodes,
              std::span<const Victim> victims)
        : cluster_(cluster), nodes_(nodes), victims_(victims) {}

    /// What a node like this one has said.
    struct Known {
        TrialAnswer whole = TrialAnswer::unknown;  ///< whether the end of all is enough
        std::optional<EndedSet> found;             ///< in positions of the node asked about
    };
    /// Nothing where no answer holds for the node.
    [[nodiscard]] std::optional<Known> find(std::size_t node) {
        const Positions& here = nodes_[node].all.positions;
        for (const Answer& answer : answers_of(node)) {
            Known known{answer.whole, std::nullopt};
            if (answer.ranks) {
                Positions ended;
                for (const std::size_t rank : *answer.ranks) ended.push_back(here[rank]);
                known.found.emplace(victims_, std::move(ended));
                return known;
            }
            if (stands_behind(node, answer.node)) return known;
        }
        return std::nullopt;
    }
    /// Remembers what the node said; of answers that nothing is of use the last few.
    void add(std::size_t node, TrialAnswer whole, const std::optional<EndedSet>& found) {
        Answer answer{node, whole, std::nullopt};
        if (found) {
            const Positions& here = nodes_[node].all.positions;
            answer.ranks.emplace();
            for (const std::size_t position : found->positions) {
                const auto at = std::lower_bound(here.begin(), here.end(), position);
                answer.ranks->push_back(static_cast<std::size_t>(at - here.begin()));
            }
        }
        std::vector<Answer>& answers = answers_of(node);
        if (!answer.ranks) {
            std::erase_if(answers, [&](const Answer& one) {
                return !one.ranks && stands_behind(one.node, node);
            });
        }
        if (answers.size() >= answers_max) answers.erase(answers.begin());
        answers.push_back(std::move(answer));
    }
    /// Forgets what was said, not who is alike.
    void forget_answers() {
        for (auto& [key, kinds] : kinds_) {
            for (Kind& one : kinds) one.answers.clear();
        }
    }

  private:
    struct Answer {
        std::size_t node = 0;
        TrialAnswer whole = TrialAnswer::unknown;
        std::optional<Positions> ranks;  ///< of those who end among the node's victims
    };

    /// The state, the number of owners, the costs, and a hash of the parts.
    using Key = std::tuple<StateId, std::size_t, std::vector<std::int64_t>, std::uint64_t>;
    static constexpr std::size_t answers_max = 8;  ///< looked through one by one

    /// Nodes that are alike.
    struct Kind {
        std::size_t first = 0;  ///< of the nodes
        std::vector<Answer> answers;
    };

    /// No victim of `a` stands before that of `b` which is like it.
    [[nodiscard]] bool stands_behind(std::size_t a, std::size_t b) const {
        const Positions& here = nodes_[a].all.positions;
        return std::equal(here.begin(), here.end(), nodes_[b].all.positions.begin(),
                          [](std::size_t one, std::size_t other) { return other <= one; });
    }
    [[nodiscard]] std::vector<Answer>& answers_of(std::size_t node) {
        const VictimNode& one = nodes_[node];
        Key key{cluster_.states().of(one.node), cluster_.owners_on(one.node).size(), {}, {}};
        HashState parts;
        for (const NodePlacement* const part : one.parts) {
            NodePlacement anywhere = *part;
            anywhere.node = {};
            hash_into(parts, anywhere);
        }
        std::get<3>(key) = parts.result();
        for (const std::size_t victim : one.all.positions) {
            std::get<2>(key).push_back(victims_[victim].cost);
        }
        std::vector<Kind>& kinds = kinds_[std::move(key)];
        auto at = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) {
            return have_like_parts(nodes_[kind.first], one);
        });
        if (at == kinds.end()) at = kinds.insert(at, {node, {}});
        return at->answers;
    }
    /// Requires: as many victims are on both.
    [[nodiscard]] static bool have_like_parts(const VictimNode& a, const VictimNode& b) {
        return std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(),
                          [&](const NodePlacement* of_a, const NodePlacement* of_b) {
                              NodePlacement part = *of_a;
                              part.node = b.node;
                              return part == *of_b;
                          });
    }

    const Cluster& cluster_;
    const std::vector<VictimNode>& nodes_;
    std::span<const Victim> victims_;
    std::map<Key, std::vector<Kind>> kinds_;
};

}  // namespace trestle::detail
