// SPDX-License-Identifier: Apache-2.0
// Groups of a job that share nodes: every way of giving nodes to parts, in the order of place(). On
// a node that several parts have, fit() serves one after the other, in every order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

/// A part of a group of a job, and what nodes say to it.
struct SharingPart {
    std::size_t group = 0;
    std::vector<std::int64_t> key;  ///< equal for parts that ask the same
    std::vector<NodeId> row;        ///< the nodes that can take it alone, in order
    std::set<NodeId> required;      ///< by its group
    bool is_alone = false;          ///< it does not share a node
    std::function<std::optional<NodePlacement>(NodeId)> alone;
    std::function<Verdict<NodePlacement>(NodeId, const NodeLedger&)> beside;
};

class SharingOracle {
  public:
    using Given = std::vector<NodePlacement>;
    using Known = std::map<std::vector<std::int64_t>, std::optional<Given>>;

    SharingOracle(const Cluster& cluster, Known& known,
                  std::function<bool(const Given&)> may_have_all)
        : cluster_(cluster), known_(known), may_have_all_(std::move(may_have_all)) {}

    /// The first choice, in the order of parts and rows, that serves all parts on `most` nodes or
    /// fewer: required nodes, then those that earlier groups have, then the row.
    template <class HasAll>
    [[nodiscard]] std::optional<Given> best(const std::vector<SharingPart>& parts, std::size_t most,
                                            const HasAll& has_all) const {
        std::vector<NodeId> chosen;
        const auto choose = [&](const auto& self) -> bool {
            if (chosen.size() == parts.size()) return has_all(chosen);
            for (const NodeId node : row_now(parts, chosen)) {
                chosen.push_back(node);
                if (may_share(parts, chosen, most) && self(self)) return true;
                chosen.pop_back();
            }
            return false;
        };
        if (!choose(choose)) return std::nullopt;
        Given all;
        for (const NodeId node : std::set<NodeId>(chosen.begin(), chosen.end())) {
            const Given& here = *together(node, parts_on(node, parts, chosen));
            all.insert(all.end(), here.begin(), here.end());
        }
        return all;
    }

    /// True when the last node chosen may be had beside the others.
    [[nodiscard]] bool may_share(const std::vector<SharingPart>& parts,
                                 const std::vector<NodeId>& chosen, std::size_t most) const {
        if (std::set<NodeId>(chosen.begin(), chosen.end()).size() > most) return false;
        const auto here = parts_on(chosen.back(), parts, chosen);
        for (std::size_t p = 0; p + 1 < here.size(); ++p) {
            if (here[p]->group == here.back()->group) return false;
        }
        return together(chosen.back(), here).has_value();
    }

  private:
    using Parts = std::vector<const SharingPart*>;

    [[nodiscard]] static std::vector<NodeId> row_now(const std::vector<SharingPart>& parts,
                                                     const std::vector<NodeId>& chosen) {
        const SharingPart& part = parts[chosen.size()];
        std::vector<NodeId> row = part.row;
        const auto rank = [&](NodeId node) {
            if (part.required.count(node) != 0) return 0;
            for (std::size_t p = 0; p < chosen.size(); ++p) {
                if (chosen[p] == node && parts[p].group != part.group) return 1;
            }
            return 2;
        };
        std::stable_sort(row.begin(), row.end(),
                         [&](NodeId a, NodeId b) { return rank(a) < rank(b); });
        return row;
    }
    [[nodiscard]] static Parts parts_on(NodeId node, const std::vector<SharingPart>& parts,
                                        const std::vector<NodeId>& chosen) {
        Parts here;
        for (std::size_t p = 0; p < chosen.size(); ++p) {
            if (chosen[p] == node) here.push_back(&parts[p]);
        }
        return here;
    }

    /// What the node gives to these parts, of different groups.
    [[nodiscard]] const std::optional<Given>& together(NodeId node, const Parts& parts) const {
        std::vector<std::int64_t> key{node.value()};
        for (const SharingPart* part : parts) {
            key.insert(key.end(), part->key.begin(), part->key.end());
            key.push_back(-1);
        }
        const auto known = known_.find(key);
        if (known != known_.end()) return known->second;
        std::optional<Given>& answer = known_[std::move(key)];
        std::vector<std::size_t> order(parts.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        do {
            answer = in_order(node, parts, order);
        } while (!answer && std::next_permutation(order.begin(), order.end()));
        if (answer && !may_have_all_(*answer)) answer.reset();
        return answer;
    }
    [[nodiscard]] std::optional<Given> in_order(NodeId node, const Parts& parts,
                                                const std::vector<std::size_t>& order) const {
        NodeLedger ledger = cluster_.ledger(node);
        Given given(parts.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            const SharingPart& part = *parts[order[i]];
            const auto alone = part.alone(node);
            if (!alone || (part.is_alone && parts.size() > 1)) return std::nullopt;
            NodePlacement& here = given[order[i]];
            here = *alone;
            if (i > 0) {
                const auto beside = part.beside(node, ledger);
                if (!beside) return std::nullopt;
                here = *beside;
                here.node = node;
                here.component = static_cast<std::uint32_t>(part.group);
            }
            if (here.row != given[order[0]].row) return std::nullopt;
            if (!ledger.take(here, OwnerId(~std::uint64_t{0})).ok()) return std::nullopt;
        }
        return given;
    }

    const Cluster& cluster_;
    Known& known_;
    std::function<bool(const Given&)> may_have_all_;
};

}  // namespace trestle
