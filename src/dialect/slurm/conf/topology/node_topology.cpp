// SPDX-License-Identifier: Apache-2.0
#include "node_topology.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "../../node_lookup.hpp"
#include "model/topologies.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm {
namespace {

constexpr std::size_t ring_nodes_max = 16;

template <class Named>
Named* named_of(std::vector<Named>& list, std::string_view name) {
    const auto at =
        std::find_if(list.begin(), list.end(), [&](const Named& one) { return one.name == name; });
    return at == list.end() ? nullptr : &*at;
}

/// Topologies that are not in the network: flat ones, and the default where there is none.
bool is_flat(const TopologyConf& topology, std::string_view name) {
    const auto& flat = topology.flat;
    if (std::find(flat.begin(), flat.end(), name) != flat.end()) return true;
    return topology.network.is_empty() && flat.empty() && name == "default";
}

TextError no_topology(const std::string& name) {
    return {0, name, "there is no such topology", "one of topology.conf or topology.yaml"};
}

class NodePlacer {
  public:
    NodePlacer(const NodeLine& line, const std::vector<NodeId>& nodes, const LostNames& lost,
               TopologyConf& topology)
        : line_(line), nodes_(nodes), lost_(lost), topology_(topology) {}

    /// What is wrong with it.
    std::optional<TextError> place(const TopologyUnit& where) {
        Network& network = topology_.network;
        if (auto* tree = named_of(network.trees, where.topology)) return place(*tree, where.unit);
        if (auto* blocks = named_of(network.blocks, where.topology)) {
            BlockTopology::Block* const block = named_of(blocks->blocks, where.unit);
            if (block == nullptr) return unknown("block", where);
            for (BlockTopology::Block& other : blocks->blocks) remove(other.nodes);
            for (const NodeId node : nodes_) block->nodes.insert(node);
            return std::nullopt;
        }
        if (auto* rings = named_of(network.rings, where.topology)) return place(*rings, where);
        if (named_of(network.toruses, where.topology) != nullptr) {
            topology_.warnings.push_back(
                {line_.place, fmt::format("Topology={}: a torus has places, and the line names "
                                          "none",
                                          where.topology)});
            return std::nullopt;
        }
        if (is_flat(topology_, where.topology)) return std::nullopt;
        if (lost_.has_topologies()) return std::nullopt;
        return no_topology(where.topology);
    }

  private:
    [[nodiscard]] std::optional<TextError> unknown(std::string_view kind,
                                                   const TopologyUnit& where) const {
        if (lost_.has_topologies()) return std::nullopt;
        return TextError{0, where.unit,
                         fmt::format("topology {} has no such {}", where.topology, kind),
                         "one that it has"};
    }
    void remove(NodeSet& from) const {
        for (const NodeId node : nodes_) from.erase(node);
    }

    std::optional<TextError> place(TreeTopology& tree, const std::string& path) {
        const TopologyUnit where{tree.name, path};
        std::optional<TreeTopology::SwitchId> leaf;
        std::size_t begin = 0;
        do {
            const std::size_t end = std::min(path.find(':', begin), path.size());
            const auto next = switch_of(tree, path.substr(begin, end - begin));
            if (!next) return unknown("switch", where);
            const auto& parent = tree.switches[next->value()].parent;
            if (leaf && parent != leaf) return unknown("path", where);
            leaf = next;
            begin = end + 1;
        } while (begin <= path.size());
        const bool has_switches =
            std::any_of(tree.switches.begin(), tree.switches.end(),
                        [&](const TreeTopology::Switch& one) { return one.parent == leaf; });
        if (has_switches) return unknown("leaf", where);
        for (TreeTopology::Switch& other : tree.switches) remove(other.nodes);
        for (const NodeId node : nodes_) tree.switches[leaf->value()].nodes.insert(node);
        return std::nullopt;
    }
    static std::optional<TreeTopology::SwitchId> switch_of(const TreeTopology& tree,
                                                           const std::string& name) {
        for (std::uint32_t i = 0; i < tree.switches.size(); ++i) {
            if (tree.switches[i].name == name) return TreeTopology::SwitchId(i);
        }
        return std::nullopt;
    }

    std::optional<TextError> place(RingTopology& rings, const TopologyUnit& where) {
        RingTopology::Ring* const ring = named_of(rings.rings, where.unit);
        if (ring == nullptr) return unknown("ring", where);
        for (const NodeId node : nodes_) {
            if (std::find(ring->nodes.begin(), ring->nodes.end(), node) != ring->nodes.end()) {
                continue;  // where the file has it
            }
            for (RingTopology::Ring& other : rings.rings) std::erase(other.nodes, node);
            ring->nodes.push_back(node);
        }
        if (ring->nodes.size() <= ring_nodes_max) return std::nullopt;
        return TextError{0, where.unit,
                         fmt::format("the ring would have {} nodes", ring->nodes.size()),
                         fmt::format("at most {}", ring_nodes_max)};
    }

    const NodeLine& line_;
    const std::vector<NodeId>& nodes_;
    const LostNames& lost_;
    TopologyConf& topology_;
};

}  // namespace

void place_nodes(const SlurmConf& conf, const NodeNames& names, const LostNames& lost,
                 TopologyConf& topology, BuildErrors& errors) {
    for (const NodeLine& line : conf.nodes) {
        if (line.topology.empty()) continue;
        const std::vector<NodeId> nodes = look_up(line.names, names).nodes;
        NodePlacer placer(line, nodes, lost, topology);
        for (const TopologyUnit& where : line.topology) {
            if (auto error = placer.place(where)) {
                errors.add({line.place, *std::move(error)}, "Topology");
            }
        }
    }
}

void check_partitions(const SlurmConf& conf, const LostNames& lost, const TopologyConf& topology,
                      BuildErrors& errors) {
    if (lost.has_topologies()) return;
    for (const PartitionLine& line : conf.partitions) {
        if (line.topology.empty() || is_flat(topology, line.topology)) continue;
        if (find_topology(topology.network, line.topology)) continue;
        errors.add({line.place, no_topology(line.topology)}, "Topology");
    }
}

}  // namespace trestle::slurm
