// SPDX-License-Identifier: Apache-2.0
#pragma once

// PreemptionSearch: one search for the cheapest plan.
//
// Layer: alloc (detail). Main type: PreemptionSearch. First as many nodes as needed are emptied,
// the cheapest first, which is a plan at no charge. Where nodes answer for themselves, NodeByNode
// makes it the cheapest; else victims that may stay are left out, each alone is tried, and
// SetSearch goes through all sets there are.
// Pitfall: each trial is a real one, the end of the victims in a copy of the cluster and a
// placement there. A set is in a plan only after place() said yes to it.

#include <cstdint>
#include <optional>
#include <span>

#include "alloc/schedule/detail/ended_set.hpp"
#include "alloc/schedule/detail/set_search.hpp"
#include "alloc/schedule/detail/victim_nodes.hpp"
#include "trestle/alloc/cluster/place/node_filter.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/alloc/schedule/preemption_plan.hpp"
#include "trestle/base/verdict.hpp"

namespace trestle::detail {

class PreemptionSearch {
  public:
    /// `held` is what the victims have, each of them something, each once; it stays as it is.
    PreemptionSearch(const Cluster& cluster, const PreparedRequest& request,
                     std::span<const PreemptionPlan::Victim> victims,
                     std::span<const Allocation* const> held, const PreemptionRules& rules,
                     const PlaceOptions& options, const NodeFilter& filter);

    [[nodiscard]] Verdict<PreemptionPlan> run();

  private:
    /// What place() says once they have ended.
    [[nodiscard]] Verdict<Placement> place_without(const Positions& ended);
    [[nodiscard]] TrialAnswer ask(const Positions& ended);
    /// The same at the charge of a trial.
    [[nodiscard]] TrialAnswer try_ends(const Positions& ended) {
        return trials_.spend(nodes_asked_ + ended.size()) ? ask(ended) : TrialAnswer::unknown;
    }
    /// Keeps a set that is enough, if it is the best.
    void offer(EndedSet found);

    /// Finds as few of the first nodes as have to be emptied; holders of counts that are asked for
    /// end in any case. Twice as many each time, then halves: what is emptied in vain is little.
    /// Nothing when the end of all candidates is not enough; refusal_ says why.
    [[nodiscard]] std::optional<Positions> empty_nodes();
    /// Those that have something where the request is placed once all of them have ended, and of
    /// the counts; all of them where that is not enough. Requires: the end of all of them is.
    [[nodiscard]] Positions those_in_the_way(Positions ended);

    /// False when nodes do not answer for themselves, or together are more than the limits allow.
    [[nodiscard]] bool node_by_node();

    /// `some`, of which the end is enough, made fewer; then any others.
    void set_by_set(const std::optional<Positions>& some);

    [[nodiscard]] Verdict<PreemptionPlan> result();
    [[nodiscard]] Refusal no_plan(bool is_settled);

    Cluster cluster_;  ///< a copy to try things on
    PreparedRequest request_;
    std::span<const Allocation* const> held_;  ///< by victim
    Placer placer_;
    const PreemptionRules& rules_;
    const NodeFilter& filter_;
    VictimNodes nodes_;
    SetQuestion question_;
    Trials trials_;
    std::uint64_t nodes_asked_ = 0;
    bool is_sure_ = true;             ///< place() has never given up
    bool was_enough_ = false;         ///< the end of some was, also of more than the rules allow
    std::optional<Refusal> refusal_;  ///< the last
    std::optional<EndedSet> best_;
};

}  // namespace trestle::detail
