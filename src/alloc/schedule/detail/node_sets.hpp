// SPDX-License-Identifier: Apache-2.0
#pragma once

// DestinationSets: the sets of nodes that an owner may be tried on, none twice.
//
// Layer: alloc (detail). Main types: WantedNodes, DestinationSets, SetAnswer; tells_nodes_apart,
// nodes_for. All sets of as many nodes as its request may have, the small ones first; what place()
// says of a larger set than it needs it says of one of these too. Where nodes in equal states are
// alike, single nodes are tried once a state.
// Pitfall: a node from which an owner is still to move, or where the owner is now, is like no
// other.

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "alloc/cluster/states/node_states.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/model/request.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle::detail {

/// How many nodes a request may have, all groups together.
struct WantedNodes {
    std::size_t least = 0;
    std::size_t most = 0;

    WantedNodes(const Request& request, std::size_t node_count);
    [[nodiscard]] bool is_one() const { return least <= 1 && most == 1; }

  private:
    /// Nodes beyond the tasks are given only where they are asked for, see NodeCounts.
    void add(const Request& request, std::size_t node_count);
};

/// True when it matters to the request which of two nodes in the same state it gets.
[[nodiscard]] bool tells_nodes_apart(const Cluster& cluster, const Request& request);

/// Those of the nodes that may take the request at all, whatever is free on them; all of them where
/// it has components. Complexity: the nodes, and the classes of nodes.
[[nodiscard]] NodeSet nodes_for(const Cluster& cluster, const Request& request, NodeSet nodes);

/// What trying a set of nodes says.
enum class SetAnswer {
    none,   ///< the owner has no place there
    fits,   ///< it has, which does not help; larger sets with these nodes are nothing new
    found,  ///< it helps
    stop,   ///< there is no budget
};

class DestinationSets {
  public:
    /// `nodes` are those that the request may have; `unlike`: nodes that are like no others, all
    /// are where `are_alike` is false. The nodes have to stay as long as this.
    DestinationSets(const Cluster& cluster, const WantedNodes& wanted, const NodeSet& nodes,
                    const NodeSet& unlike, bool are_alike);

    /// try_set(set) -> SetAnswer, until it is found or to stop: then this is; else none.
    template <class TrySet>
    [[nodiscard]] SetAnswer find(const TrySet& try_set) {
        if (wanted_.least <= 1) {
            const SetAnswer answer = try_single_nodes(try_set);
            if (is_end(answer) || wanted_.most <= 1) return answer;
        } else {
            rest_.assign(nodes_.begin(), nodes_.end());
        }
        for (std::size_t size = std::max<std::size_t>(2, wanted_.least); size <= wanted_.most;
             ++size) {
            is_any_new_ = false;
            NodeSet set;
            const SetAnswer answer = choose(0, size, set, try_set);
            if (is_end(answer)) return answer;
            if (!is_any_new_) break;
        }
        return SetAnswer::none;
    }

  private:
    [[nodiscard]] static bool is_end(SetAnswer answer) {
        return answer == SetAnswer::found || answer == SetAnswer::stop;
    }
    [[nodiscard]] bool is_like_others(NodeId node) const {
        return are_alike_ && !unlike_.contains(node);
    }

    /// Nodes alone, one of those that are alike, rising.
    [[nodiscard]] std::vector<NodeId> different_nodes() const;
    /// What is left for larger sets are nodes without a place for the owner alone; none of them
    /// matter when it has none on all of these together.
    template <class TrySet>
    [[nodiscard]] SetAnswer try_single_nodes(const TrySet& try_set) {
        NodeSet fitting;
        for (const NodeId node : different_nodes()) {
            const SetAnswer answer = try_set(NodeSet::of({node}));
            if (is_end(answer)) return answer;
            if (answer == SetAnswer::fits) fitting.insert(node);
        }
        if (wanted_.most <= 1) return SetAnswer::none;
        std::set<StateId> fitting_states;
        for (const NodeId node : fitting) {
            if (is_like_others(node)) fitting_states.insert(cluster_.states().of(node));
        }
        NodeSet others;
        for (const NodeId node : nodes_) {
            const bool fits = is_like_others(node)
                                  ? fitting_states.count(cluster_.states().of(node)) != 0
                                  : fitting.contains(node);
            if (!fits) others.insert(node);
        }
        const SetAnswer together = try_set(others);
        if (together == SetAnswer::fits) rest_.assign(others.begin(), others.end());
        return together;
    }
    template <class TrySet>
    [[nodiscard]] SetAnswer choose(std::size_t first, std::size_t more, NodeSet& set,
                                   const TrySet& try_set) {
        if (more == 0) {
            is_any_new_ = true;
            const SetAnswer answer = try_set(set);
            if (answer == SetAnswer::fits) fitting_[rest_[first - 1]].push_back(set);
            return answer;
        }
        for (std::size_t i = first; i + more <= rest_.size(); ++i) {
            set.insert(rest_[i]);
            SetAnswer answer = SetAnswer::none;
            if (!is_known_to_fit(set, rest_[i])) answer = choose(i + 1, more - 1, set, try_set);
            if (is_end(answer)) return answer;
            set.erase(rest_[i]);
        }
        return SetAnswer::none;
    }
    /// True when a set that fits is in this one, of which only `last` is new.
    [[nodiscard]] bool is_known_to_fit(const NodeSet& set, NodeId last) const;

    const Cluster& cluster_;
    WantedNodes wanted_;
    const NodeSet& nodes_;
    const NodeSet& unlike_;
    bool are_alike_;
    std::vector<NodeId> rest_;                        ///< for sets of several, rising
    std::map<NodeId, std::vector<NodeSet>> fitting_;  ///< sets of several that fit, by the last
    bool is_any_new_ = false;  ///< a set of the present size was not known to fit
};

}  // namespace trestle::detail
