// SPDX-License-Identifier: Apache-2.0
#pragma once

// LikeNodeAnswers: which victims of a node end, remembered for the nodes that are like it.
//
// Layer: alloc (detail). Main type: LikeNodeAnswers. Two nodes are alike when they are in one state
// and have as many owners, and their victims, in the caller's order, have the same parts of them at
// the same costs: then the same ones in that order are the answer.
// A reader would get wrong: an answer "none of use" depends on what was known by then; it holds for
// a node like it none of whose victims stands earlier in the caller's list.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/preemption/detail/ended_set.hpp"
#include "trestle/alloc/preemption/detail/set_search.hpp"
#include "trestle/alloc/preemption/detail/victim_nodes.hpp"
#include "trestle/base/cow/cow.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::detail {

class LikeNodeAnswers {
  public:
    /// What a node like the one asked about has said.
    struct Known {
        std::optional<EndedSet> found;  ///< in positions of the node asked about
    };

    /// What is known of a node like this one; nothing where nodes are not comparable.
    [[nodiscard]] std::optional<Known> find_like(const Cluster& cluster,
                                                 const SetQuestion& question,
                                                 const VictimNode& one) const {
        const auto at = answers_.find(&cluster.state(one.node));
        if (at == answers_.end() || !question.is_monotone) return std::nullopt;
        const Likeness likeness(cluster, question, one);
        for (const Answer& answer : at->second) {
            if (!(answer.likeness == likeness)) continue;
            Known known;
            const Positions& here = one.all.positions;
            const bool comes_first =
                std::equal(here.begin(), here.end(), answer.positions.begin(),
                           [](std::size_t a, std::size_t b) { return b <= a; });
            if (answer.ranks) {
                Positions ended;
                for (const std::size_t rank : *answer.ranks) ended.push_back(here[rank]);
                known.found.emplace(question.victims, std::move(ended));
            }
            if (known.found || comes_first) return known;
        }
        return std::nullopt;
    }
    /// Remembers what the node said.
    void add(const Cluster& cluster, const SetQuestion& question, const VictimNode& one,
             const std::optional<EndedSet>& found) {
        const Positions& here = one.all.positions;
        Answer answer{Likeness(cluster, question, one), here, std::nullopt};
        if (found) {
            answer.ranks.emplace();
            for (const std::size_t position : found->positions) {
                const auto at = std::lower_bound(here.begin(), here.end(), position);
                answer.ranks->push_back(static_cast<std::size_t>(at - here.begin()));
            }
        }
        answers_[&*answer.likeness.state].push_back(std::move(answer));
    }
    void clear() { answers_.clear(); }

  private:
    struct Likeness {
        Likeness(const Cluster& cluster, const SetQuestion& question, const VictimNode& one)
            : state(cluster.states()[cluster.states().of(one.node)]),
              owners(cluster.owners_on(one.node).size()) {
            for (const std::size_t victim : one.all.positions) {
                const Victim& its = question.victims[victim];
                costs.push_back(its.cost);
                const Placement& held = cluster.find_allocation(its.owner)->placement;
                parts.push_back(*find_part(held, one.node));
                parts.back().node = NodeId(0);
            }
        }

        friend bool operator==(const Likeness& a, const Likeness& b) {
            return a.state.is_same_object(b.state) && a.owners == b.owners && a.costs == b.costs &&
                   a.parts == b.parts;
        }

        Cow<NodeStateData> state;
        std::size_t owners;
        std::vector<std::int64_t> costs;
        std::vector<NodePlacement> parts;
    };
    struct Answer {
        Likeness likeness;
        Positions positions;                            ///< of all victims on the node
        std::optional<std::vector<std::size_t>> ranks;  ///< of those who end, among these
    };

    std::map<const NodeStateData*, std::vector<Answer>> answers_;  ///< by a state that is kept
};

}  // namespace trestle::detail
