// SPDX-License-Identifier: Apache-2.0
// Whether nodes lie in a network as a job wants it, read off the network itself.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/topologies.hpp"
#include "support/oracle_topology.hpp"
#include "trestle/model/network.hpp"
#include "trestle/model/topology_request.hpp"

namespace trestle {

class NetworkOracle {
  public:
    NetworkOracle(const Network& network, const TopologyRequest& wish)
        : network_(network), wish_(wish) {}

    /// True when a job may have these nodes, which rise by id. What is only preferred is no matter.
    [[nodiscard]] bool allows(const std::vector<NodeId>& nodes) const {
        if (wish_.is_contiguous &&
            nodes.back().value() - nodes.front().value() + 1 != nodes.size()) {
            return false;
        }
        const bool limits = wish_.switches_max && wish_.switches != Strictness::ignore;
        const bool levels = wish_.level && wish_.within != Strictness::ignore;
        const bool insists = (limits && wish_.switches == Strictness::require) ||
                             (levels && wish_.within == Strictness::require);
        const bool asks_kind =
            wish_.shape || wish_.is_on_ring || wish_.segment_size || limits || levels;
        if (!wish_.topology.empty()) {
            const auto named = find_topology(network_, wish_.topology);
            if (!named || !is_of_kind(named->kind, limits, levels)) return false;
            if (!asks_kind || wish_.shape || wish_.is_on_ring || wish_.segment_size || insists) {
                return lies_in(*named, nodes);
            }
            return true;
        }
        if (!asks_kind) return true;
        if (!wish_.shape && !wish_.is_on_ring && !wish_.segment_size && !insists) return true;
        for (const TopologyKind kind :
             {TopologyKind::tree, TopologyKind::block, TopologyKind::torus, TopologyKind::ring}) {
            const auto first = first_topology(network_, kind);
            if (first && is_of_kind(kind, limits, levels)) return lies_in(*first, nodes);
        }
        return false;
    }

  private:
    [[nodiscard]] bool is_of_kind(TopologyKind kind, bool limits, bool levels) const {
        if (wish_.shape) return kind == TopologyKind::torus;
        if (wish_.is_on_ring) return kind == TopologyKind::ring;
        if (wish_.segment_size) return kind == TopologyKind::block;
        if (limits) return kind == TopologyKind::tree;
        if (levels) return kind == TopologyKind::tree || kind == TopologyKind::block;
        return kind != TopologyKind::torus;
    }

    [[nodiscard]] bool lies_in(TopologyId id, const std::vector<NodeId>& nodes) const {
        switch (id.kind) {
            case TopologyKind::torus:
                return fills_box(network_.toruses[id.position], nodes);
            case TopologyKind::ring:
                return follows_ring(network_.rings[id.position], nodes);
            case TopologyKind::tree:
                return hangs_at(leaves_of(network_.trees[id.position]),
                                testing::oracle_leaves(network_.trees[id.position]), nodes);
            case TopologyKind::block:
                return hangs_at(leaves_of(network_.blocks[id.position]),
                                testing::oracle_leaves(network_.blocks[id.position]), nodes);
        }
        return false;
    }

    /// In the order of oracle_leaves().
    [[nodiscard]] static std::vector<NodeSet> leaves_of(const TreeTopology& tree) {
        std::vector<NodeSet> leaves;
        const auto visit = [&](const auto& self, std::uint32_t at) -> void {
            bool is_leaf = true;
            for (std::uint32_t i = at + 1; i < tree.switches.size(); ++i) {
                if (tree.switches[i].parent != TreeTopology::SwitchId(at)) continue;
                is_leaf = false;
                self(self, i);
            }
            if (is_leaf) leaves.push_back(tree.switches[at].nodes);
        };
        for (std::uint32_t i = 0; i < tree.switches.size(); ++i) {
            if (!tree.switches[i].parent) visit(visit, i);
        }
        return leaves;
    }
    [[nodiscard]] static std::vector<NodeSet> leaves_of(const BlockTopology& topology) {
        std::vector<NodeSet> leaves;
        for (const BlockTopology::Block& block : topology.blocks) leaves.push_back(block.nodes);
        return leaves;
    }

    [[nodiscard]] bool hangs_at(const std::vector<NodeSet>& leaves,
                                const testing::OracleLeaves& world,
                                const std::vector<NodeId>& nodes) const {
        std::map<std::uint32_t, std::int64_t> count;
        for (const NodeId node : nodes) {
            const auto at = std::find_if(leaves.begin(), leaves.end(),
                                         [&](const NodeSet& leaf) { return leaf.contains(node); });
            if (at == leaves.end()) return false;
            ++count[static_cast<std::uint32_t>(at - leaves.begin())];
        }
        const auto used = static_cast<std::int64_t>(count.size());
        if (wish_.switches_max && wish_.switches == Strictness::require &&
            wish_.switches_max->value() < used) {
            return false;
        }
        if (wish_.segment_size) {
            for (const auto& [leaf, here] : count) {
                if (here % wish_.segment_size->value() != 0) return false;
            }
        }
        if (!wish_.level || wish_.within != Strictness::require) return true;
        const auto height = static_cast<std::uint32_t>(wish_.level->value());
        const auto domains = testing::oracle_domains(world, height);
        return std::any_of(domains.begin(), domains.end(), [&](const auto& domain) {
            return std::all_of(count.begin(), count.end(),
                               [&](const auto& leaf) { return domain.count(leaf.first) != 0; });
        });
    }

    [[nodiscard]] static bool follows_ring(const RingTopology& topology,
                                           const std::vector<NodeId>& nodes) {
        const std::set<NodeId> wanted(nodes.begin(), nodes.end());
        for (const RingTopology::Ring& ring : topology.rings) {
            if (ring.nodes.size() < wanted.size()) continue;
            for (std::size_t first = 0; first < ring.nodes.size(); ++first) {
                std::set<NodeId> window;
                for (std::size_t i = 0; i < wanted.size(); ++i) {
                    window.insert(ring.nodes[(first + i) % ring.nodes.size()]);
                }
                if (window == wanted) return true;
            }
        }
        return false;
    }

    [[nodiscard]] bool fills_box(const TorusTopology& topology,
                                 const std::vector<NodeId>& nodes) const {
        const std::set<NodeId> wanted(nodes.begin(), nodes.end());
        for (const TorusTopology::Torus& torus : topology.toruses) {
            const std::array<std::uint32_t, 3> all{torus.shape.x, torus.shape.y, torus.shape.z};
            std::array<std::uint32_t, 3> turn{wish_.shape->x, wish_.shape->y, wish_.shape->z};
            std::sort(turn.begin(), turn.end());
            do {
                if (turn[0] > all[0] || turn[1] > all[1] || turn[2] > all[2]) continue;
                for (std::uint32_t origin = 0; origin < torus.nodes.size(); ++origin) {
                    std::set<NodeId> box;
                    for (std::uint32_t i = 0; i < turn[0] * turn[1] * turn[2]; ++i) {
                        const std::uint32_t x = (origin + i % turn[0]) % all[0];
                        const std::uint32_t y = (origin / all[0] + i / turn[0] % turn[1]) % all[1];
                        const std::uint32_t z =
                            (origin / all[0] / all[1] + i / turn[0] / turn[1]) % all[2];
                        const auto& node = torus.nodes[x + all[0] * (y + all[1] * z)];
                        if (node) box.insert(*node);
                    }
                    if (box == wanted && box.size() == turn[0] * turn[1] * turn[2]) return true;
                }
            } while (std::next_permutation(turn.begin(), turn.end()));
        }
        return false;
    }

    const Network& network_;
    const TopologyRequest& wish_;
};

}  // namespace trestle
