// SPDX-License-Identifier: Apache-2.0
#pragma once

// MoverGroups: groups of owners of which some have to move for a request to fit.
//
// Layer: alloc (detail). Main type: MoverGroups. For a request of one node those on each node are a
// group, the smallest groups first; for others all are one. What is to be known of a group is asked
// when it is needed, and once for nodes that are alike: in one state, with as many owners, and with
// the same parts of them to be had, of owners that have nothing elsewhere.
// Pitfall: a group is of no use to plans of k moves when more than k of it have to go in any case;
// that is mostly known long before all of them are.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "alloc/cluster/states/node_states.hpp"
#include "alloc/schedule/detail/first_plan.hpp"
#include "alloc/schedule/detail/move_trials.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

class MoverGroups {
  public:
    using Movers = std::vector<const Mover*>;

    /// Requires: more that is free never keeps the request out. `are_alike`: to the request nodes
    /// in the same state are.
    MoverGroups(MoveTrials& trials, const std::vector<Mover>& movers,
                const PreparedRequest& request, const NodeFilter& filter, bool are_alike);

    [[nodiscard]] std::size_t count() const { return groups_.size(); }

    /// True when, for all that is known, k of the group can be enough. Requires: for all less than
    /// k it was asked before.
    [[nodiscard]] bool is_of_use(std::size_t group, std::size_t k);
    /// Those of the group that have to move in any case. Requires: it is of use, here and below.
    [[nodiscard]] Movers needed(std::size_t group) const {
        return those(group, kinds_[groups_[group].kind].needed);
    }
    [[nodiscard]] Movers others(std::size_t group) const {
        return those(group, kinds_[groups_[group].kind].others);
    }
    /// Any so many of the group are known not to be enough.
    [[nodiscard]] std::size_t none_up_to(std::size_t group) const {
        return kinds_[groups_[group].kind].none_up_to;
    }
    void rule_out(std::size_t group, std::size_t k) { kinds_[groups_[group].kind].none_up_to = k; }

    /// True when the request fits without these, as far as the budget goes.
    [[nodiscard]] bool is_enough(const Movers& away) {
        return trials_.place_without(away, request_, filter_).has_value();
    }

  private:
    /// What is known of groups that are alike, in positions in Group::all.
    struct Kind {
        std::optional<bool> is_enough;  ///< whether all are
        std::size_t asked = 0;          ///< the first of which it is not known whether it is needed
        std::vector<std::size_t> needed;
        std::vector<std::size_t> others;
        std::size_t none_up_to = 0;
    };
    struct Group {
        Movers all;  ///< by owner
        std::size_t kind = 0;
    };
    using Parts = std::vector<NodePlacement>;
    /// The state, the number of owners, a hash of the parts.
    using Key = std::tuple<StateId, std::size_t, std::uint64_t>;

    void add(Movers all);
    void add_like(NodeId node, Movers all);
    [[nodiscard]] Movers those(std::size_t group, const std::vector<std::size_t>& positions) const;

    MoveTrials& trials_;
    const PreparedRequest& request_;
    const NodeFilter& filter_;
    std::vector<Group> groups_;
    std::vector<Kind> kinds_;
    std::map<Key, std::vector<std::pair<Parts, std::size_t>>> like_;  ///< parts, and their kind
};

}  // namespace trestle::detail
