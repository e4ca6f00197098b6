// SPDX-License-Identifier: Apache-2.0
#include "topology_builder.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "../../node_lookup.hpp"
#include "model/topologies.hpp"
#include "model/topology/levels.hpp"

namespace trestle::slurm {
namespace {

TextError unit_error(const TopologyUnitDraft& unit, std::string what, std::string expected) {
    return {unit.offset, unit.name, std::move(what), std::move(expected)};
}

using SwitchIndexes = std::map<std::string_view, std::size_t>;

/// Names of one line that the same is wrong with.
struct Counted {
    std::uint64_t count = 0;
    std::string first = {};

    void add(const std::string& name) {
        if (count++ == 0) first = name;
    }
};

/// How many children all switches may name. Each has one parent; of those that Slurm passes over
/// with a warning there may be some, but not so many that a short text costs its square.
std::uint64_t children_max(std::size_t switches) { return std::uint64_t{16} * switches + 1000; }

/// Switches without the cycles among them: parents by position, and heights.
struct SwitchForest {
    std::vector<std::optional<std::size_t>> parents;
    std::vector<std::uint32_t> heights;
    std::vector<std::size_t> in_cycles;
};

/// Walks from the leaves upwards; a switch that is never reached is below itself. Children of these
/// lose their parent.
SwitchForest forest_of(std::vector<std::optional<std::size_t>> parents) {
    SwitchForest forest{std::move(parents), {}, {}};
    const std::size_t count = forest.parents.size();
    forest.heights.assign(count, 0);
    std::vector<std::size_t> waiting_for(count, 0);
    for (const auto& parent : forest.parents) {
        if (parent) ++waiting_for[*parent];
    }
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < count; ++i) {
        if (waiting_for[i] == 0) ready.push_back(i);
    }
    std::vector<bool> is_done(count, false);
    while (!ready.empty()) {
        const std::size_t one = ready.back();
        ready.pop_back();
        is_done[one] = true;
        const auto parent = forest.parents[one];
        if (!parent) continue;
        forest.heights[*parent] = std::max(forest.heights[*parent], forest.heights[one] + 1);
        if (--waiting_for[*parent] == 0) ready.push_back(*parent);
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (!is_done[i]) forest.in_cycles.push_back(i);
    }
    for (const std::size_t one : forest.in_cycles) {
        forest.parents[one].reset();
    }
    return forest;
}

}  // namespace

void TopologyBuilder::keep_first_of_name(std::vector<TopologyUnitDraft>& units,
                                         std::string_view kind) {
    std::set<std::string, std::less<>> names;
    std::erase_if(units, [&](const TopologyUnitDraft& unit) {
        if (names.insert(unit.name).second) return false;
        add_error(unit.place,
                  unit_error(unit, std::string(kind) + " named twice", "each name once"));
        return true;
    });
}

std::vector<NodeId> TopologyBuilder::take_nodes(const TopologyUnitDraft& unit, NodeSet& taken) {
    NodesOfList found = look_up(unit.nodes, nodes_);
    if (found.strangers != 0) {
        std::string message = fmt::format("{}: {} names are no nodes", unit.name, found.strangers);
        if (!found.first_stranger.empty()) message += ", the first is " + found.first_stranger;
        warn(unit.place, std::move(message));
    }
    std::optional<NodeId> twice;
    std::erase_if(found.nodes, [&](NodeId node) {
        const bool is_taken = taken.contains(node);
        if (is_taken && !twice) twice = node;
        taken.insert(node);
        return is_taken;
    });
    if (twice) {
        warn(unit.place,
             fmt::format("{}: node {} is elsewhere already", unit.name, nodes_[*twice]));
    }
    return std::move(found.nodes);
}

void TopologyBuilder::warn_of_nodes_outside(const std::string& name, const ConfPlace& place,
                                            const NodeSet& inside) {
    const auto count = static_cast<std::uint32_t>(inside.count());
    if (count == nodes_.size()) return;
    warn(place, fmt::format("{}: {} nodes are not in it", name, nodes_.size() - count));
}

std::vector<std::optional<std::size_t>> TopologyBuilder::parents_of(
    const std::vector<TopologyUnitDraft>& switches) {
    SwitchIndexes by_name;
    for (std::size_t i = 0; i < switches.size(); ++i) by_name.emplace(switches[i].name, i);
    std::vector<std::optional<std::size_t>> parents(switches.size());
    std::uint64_t children_left = children_max(switches.size());
    for (std::size_t i = 0; i < switches.size(); ++i) {
        const TopologyUnitDraft& unit = switches[i];
        const std::uint64_t size = unit.children.size();
        if (size > switches.size() || size > children_left) {
            add_error(unit.place, unit_error(unit, "more Switches than there are",
                                             std::to_string(switches.size())));
            continue;
        }
        children_left -= size;
        Counted strangers;
        Counted twice;
        bool is_below_itself = false;
        unit.children.for_each([&](const std::string& child) {
            const auto at = by_name.find(child);
            if (at == by_name.end()) {
                strangers.add(child);
            } else if (at->second == i) {
                is_below_itself = true;
            } else if (parents[at->second]) {
                twice.add(child);
            } else {
                parents[at->second] = i;
            }
        });
        constexpr const char* expected = "another SwitchName of the file";
        if (strangers.count != 0) {
            add_error(unit.place,
                      {unit.offset, strangers.first,
                       strangers.count == 1 ? "unknown switch"
                                            : fmt::format("{} unknown switches, the first is {}",
                                                          strangers.count, strangers.first),
                       expected});
        }
        if (is_below_itself) {
            add_error(unit.place, {unit.offset, unit.name, "switch below itself", expected});
        }
        if (twice.count == 1) {
            warn(unit.place,
                 fmt::format("{}: switch {} is below another already", unit.name, twice.first));
        } else if (twice.count != 0) {
            warn(unit.place,
                 fmt::format("{}: {} switches are below another already, the first is {}",
                             unit.name, twice.count, twice.first));
        }
    }
    return parents;
}

void TopologyBuilder::add_tree(const std::string& name, const ConfPlace& place,
                               std::vector<TopologyUnitDraft> switches) {
    keep_first_of_name(switches, "switch");
    const SwitchForest forest = forest_of(parents_of(switches));
    for (const std::size_t i : forest.in_cycles) {
        add_error(switches[i].place, unit_error(switches[i], "switch below itself", "a tree"));
    }
    std::vector<std::size_t> order(switches.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return forest.heights[a] > forest.heights[b];
    });
    std::vector<TreeTopology::SwitchId> id_of(switches.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) id_of[order[i]] = TreeTopology::SwitchId(i);
    TreeTopology tree{name, std::vector<TreeTopology::Switch>(switches.size())};
    NodeSet inside;
    for (std::size_t i = 0; i < switches.size(); ++i) {
        TreeTopology::Switch& one = tree.switches[id_of[i].value()];
        one.name = switches[i].name;
        if (forest.parents[i]) one.parent = id_of[*forest.parents[i]];
        for (const NodeId node : take_nodes(switches[i], inside)) one.nodes.insert(node);
    }
    warn_of_nodes_outside(name, place, inside);
    reading_.topology.network.trees.push_back(std::move(tree));
}

void TopologyBuilder::add_blocks(const std::string& name, const ConfPlace& place,
                                 std::vector<TopologyUnitDraft> blocks,
                                 const std::optional<BlockSizesDraft>& sizes) {
    constexpr std::uint32_t level_max = 15;
    constexpr int levels_of_old = 4;
    keep_first_of_name(blocks, "block");
    BlockTopology topology{name, {}, {}};
    NodeSet inside;
    for (const TopologyUnitDraft& unit : blocks) {
        BlockTopology::Block block{unit.name, {}};
        for (const NodeId node : take_nodes(unit, inside)) block.nodes.insert(node);
        topology.blocks.push_back(std::move(block));
    }
    if (!sizes) {
        const Count base(topology.blocks.empty()
                             ? 0
                             : static_cast<std::int64_t>(topology.blocks.front().nodes.count()));
        if (base.is_zero()) {
            add_error(place, {0, "", "no block size", "BlockSizes, or nodes in the first block"});
            return;
        }
        for (int k = 0; k < levels_of_old; ++k) topology.sizes.push_back(base * (1 << k));
    } else {
        topology.sizes = sizes->sizes;
        const Count base = topology.sizes.front();
        for (const Count size : topology.sizes) {
            if (size.is_zero() || trestle::detail::block_level(size, base) > level_max) {
                add_error(sizes->place,
                          {sizes->offset, std::to_string(size.value()), "malformed block size",
                           std::to_string(base.value()) + " x 2^k, k at most 15"});
                return;
            }
        }
        std::sort(topology.sizes.begin(), topology.sizes.end());
        topology.sizes.erase(std::unique(topology.sizes.begin(), topology.sizes.end()),
                             topology.sizes.end());
    }
    warn_of_nodes_outside(name, place, inside);
    reading_.topology.network.blocks.push_back(std::move(topology));
}

void TopologyBuilder::add_rings(const std::string& name, const ConfPlace& place,
                                std::vector<TopologyUnitDraft> rings) {
    constexpr std::uint64_t ring_max = 16;
    keep_first_of_name(rings, "ring");
    RingTopology topology{name, {}};
    NodeSet inside;
    for (const TopologyUnitDraft& unit : rings) {
        if (unit.nodes.size() > ring_max) {
            add_error(unit.place, unit_error(unit, "ring of too many nodes",
                                             "at most " + std::to_string(ring_max)));
            continue;
        }
        topology.rings.push_back({unit.name, take_nodes(unit, inside)});
    }
    warn_of_nodes_outside(name, place, inside);
    reading_.topology.network.rings.push_back(std::move(topology));
}

}  // namespace trestle::slurm
