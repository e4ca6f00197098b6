// SPDX-License-Identifier: Apache-2.0
#pragma once

// LikeNodes: which nodes of a plan are alike, and what was found out about one of them.
//
// Layer: alloc (detail). Main type: LikeNodes. Two nodes are alike when they are in one state and
// have as many owners, and their victims, in the caller's order, have the same parts of them at the
// same costs: then the same ones in that order are the answer.
// Pitfall: "none of use" depends on what was known by then; it holds for a node like it none of
// whose victims stands earlier in the caller's list.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "alloc/cluster/states/node_states.hpp"
#include "alloc/schedule/detail/ended_set.hpp"
#include "alloc/schedule/detail/victim_nodes.hpp"
#include "trestle/base/ids.hpp"

namespace trestle::detail {

class LikeNodes {
  public:
    /// Requires: the cluster is the one that the nodes are of, as it was then.
    LikeNodes(const Cluster& cluster, const std::vector<VictimNode>& nodes,
              std::span<const PreemptionPlan::Victim> victims)
        : cluster_(cluster), nodes_(nodes), victims_(victims) {}

    /// What a node like this one has said.
    struct Known {
        TrialAnswer whole = TrialAnswer::unknown;  ///< whether the end of all is enough
        std::optional<EndedSet> found;             ///< in positions of the node asked about
    };
    /// Nothing where no answer holds for the node.
    [[nodiscard]] std::optional<Known> find(std::size_t node);
    /// Remembers what the node said; of answers that nothing is of use the last few.
    void add(std::size_t node, TrialAnswer whole, const std::optional<EndedSet>& found);
    /// Forgets the answers, not which nodes are alike.
    void forget_answers();

  private:
    struct Answer {
        std::size_t node = 0;
        TrialAnswer whole = TrialAnswer::unknown;
        std::optional<Positions> ranks;  ///< of those that end among the node's victims
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
    [[nodiscard]] bool stands_behind(std::size_t a, std::size_t b) const;
    [[nodiscard]] std::vector<Answer>& answers_of(std::size_t node);
    /// Requires: as many victims are on both.
    [[nodiscard]] static bool have_like_parts(const VictimNode& a, const VictimNode& b);

    const Cluster& cluster_;
    const std::vector<VictimNode>& nodes_;
    std::span<const PreemptionPlan::Victim> victims_;
    std::map<Key, std::vector<Kind>> kinds_;
};

}  // namespace trestle::detail
