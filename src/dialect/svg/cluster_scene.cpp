// SPDX-License-Identifier: Apache-2.0
#include "cluster_scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "alloc/cluster/place/score/amounts.hpp"
#include "alloc/cluster/states/node_states.hpp"
#include "model/topologies.hpp"
#include "scene.hpp"

namespace trestle::svg {
namespace {

/// Bytes and thousandths of a cluster may be more than a number holds.
[[nodiscard]] std::int64_t capped_sum(std::int64_t a, std::int64_t b) {
    return checked_add(Count(a), Count(b)).value_or(Count::max()).value();
}

/// The devices of one name that a node has most of, or nothing.
[[nodiscard]] const Share* main_devices(const std::vector<Share>& devices) {
    const auto most =
        std::max_element(devices.begin(), devices.end(),
                         [](const Share& a, const Share& b) { return a.all < b.all; });
    return most == devices.end() || most->all == 0 ? nullptr : &*most;
}

[[nodiscard]] std::string from_to(const std::string& first, const std::string& last) {
    return first == last ? first : first + " to " + last;
}

/// `3 of 8`, the numbers written by `words`.
template <class Words>
[[nodiscard]] std::string of_words(const Share& share, const Words& words) {
    return words(share.free) + " of " + words(share.all);
}

}  // namespace

Share& Share::operator+=(const Share& other) {
    all = capped_sum(all, other.all);
    free = capped_sum(free, other.free);
    return *this;
}

Tally& Tally::operator+=(const Tally& other) {
    nodes += other.nodes;
    drained += other.drained;
    broken += other.broken;
    worn += other.worn;
    cpus += other.cpus;
    memory += other.memory;
    filling += other.filling;
    devices.resize(std::max(devices.size(), other.devices.size()));
    for (std::size_t i = 0; i < other.devices.size(); ++i) devices[i] += other.devices[i];
    return *this;
}

ClusterScene::ClusterScene(const Cluster& cluster) : cluster_(cluster) {
    const NodeStates& states = cluster.states();
    states.for_each([&](StateId state) {
        const NodeClass& node_class = cluster.classes()[states[state]->node_class];
        if (node_class.state == NodeState::removed) return;
        for (const Device& device : node_class.shape->devices) {
            if (device.is_consumed) device_names_.push_back(device.name);
        }
        std::sort(device_names_.begin(), device_names_.end());
        device_names_.erase(std::unique(device_names_.begin(), device_names_.end()),
                            device_names_.end());
    });
    by_state_.resize(states.limit());
    states.for_each([&](StateId state) { by_state_[state.value()] = reckon(*states[state]); });
    add_groups();
    count();
    join_chains();
}

Tally ClusterScene::reckon(const NodeStateData& state) const {
    const detail::KnownClass& known = cluster_.classes().known(state.node_class);
    const NodeClass& node_class = known.value;
    Tally tally;
    if (node_class.state == NodeState::removed) return tally;
    tally.nodes = {1, is_usable(node_class) && state.free.is_idle ? 1 : 0};
    if (node_class.state == NodeState::down || node_class.health == Health::failure) {
        tally.broken = 1;
    } else if (node_class.state == NodeState::drained) {
        tally.drained = 1;
    } else if (node_class.health == Health::warning) {
        tally.worn = 1;
    }
    tally.cpus = {known.idle.free_milli_cpus(known.threads).value(),
                  state.free.free_milli_cpus(known.threads).value()};
    const NodeShape& shape = *node_class.shape;
    for (std::size_t i = 0; i < shape.memory.size(); ++i) {
        if (!shape.memory[i].is_ordinary()) continue;
        tally.memory += {known.idle.memory[i].value(), state.free.memory[i].value()};
    }
    for (const std::string& name : device_names_) {
        const detail::ClassAmounts amounts = detail::class_amounts(known, name);
        tally.devices.push_back(
            {amounts.idle.all_devices,
             detail::amounts_of(known, amounts.devices, state.free).all_devices});
    }
    const Share* devices = main_devices(tally.devices);
    const Share& filling = devices ? *devices : tally.cpus;
    if (filling.all != 0) {  // in thousandths of the node, so that nodes count alike
        constexpr std::int64_t whole = 1000;
        tally.filling = {whole, whole * filling.free / filling.all};
    }
    return tally;
}

const Tally& ClusterScene::tally_of(NodeId node) const {
    return by_state_[cluster_.states().of(node).value()];
}

std::size_t ClusterScene::add_group(std::size_t parent, const std::string& label,
                                    const NodeSet& nodes) {
    groups_.push_back({label, {}, nodes, {}});
    groups_[parent].parts.push_back(groups_.size() - 1);
    return groups_.size() - 1;
}

void ClusterScene::add_groups() {
    groups_.push_back({});
    NodeSet left = NodeSet::range({0, cluster_.node_count()});
    const NodeStates& states = cluster_.states();
    states.for_each([&](StateId state) {
        if (by_state_[state.value()].nodes.all != 0) return;
        for (auto node = states.next(state, NodeId(0)); node;
             node = states.next(state, NodeId(node->value() + 1))) {
            left.erase(*node);
        }
    });
    const Network& network = cluster_.network();
    for (const TreeTopology& tree : network.trees) {
        std::vector<std::size_t> group_of;
        for (const TreeTopology::Switch& one : tree.switches) {
            const std::size_t parent = one.parent ? group_of[one.parent->value()] : 0;
            group_of.push_back(add_group(parent, one.name, one.nodes & left));
        }
        left = left - nodes_of(tree);
    }
    for (const BlockTopology& topology : network.blocks) {
        if (!network.trees.empty()) break;
        for (const BlockTopology::Block& block : topology.blocks) {
            add_group(0, block.name, block.nodes & left);
        }
        left = left - nodes_of(topology);
    }
    if (groups_.size() == 1) {
        groups_.front().nodes = left;
    } else if (!left.is_empty()) {
        add_group(0, network.trees.empty() ? "in no block" : "below no switch", left);
    }
}

/// What is in each group, and those without nodes away.
void ClusterScene::count() {
    for (std::size_t i = groups_.size(); i-- > 0;) {
        NodeGroup& group = groups_[i];
        group.tally.devices.resize(device_names_.size());
        for (const NodeId node : group.nodes) group.tally += tally_of(node);
        std::erase_if(group.parts,
                      [&](std::size_t part) { return groups_[part].tally.nodes.all == 0; });
        for (const std::size_t part : group.parts) group.tally += groups_[part].tally;
    }
}

/// A switch with one switch below it and nothing else is drawn as one with that.
void ClusterScene::join_chains() {
    constexpr std::size_t longest_label = 80;
    for (std::size_t i = groups_.size(); i-- > 1;) {
        NodeGroup& group = groups_[i];
        if (group.parts.size() != 1 || !group.nodes.is_empty()) continue;
        const NodeGroup& only = groups_[group.parts.front()];
        if (group.label.size() < longest_label) group.label += " / " + only.label;
        group.nodes = only.nodes;
        group.parts = std::vector<std::size_t>(only.parts);
    }
}

std::vector<std::size_t> ClusterScene::leaves_of(std::size_t group) const {
    std::vector<std::size_t> leaves;
    std::vector<std::size_t> open{group};
    while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        const NodeGroup& one = groups_[at];
        if (!one.nodes.is_empty()) leaves.push_back(at);
        open.insert(open.end(), one.parts.rbegin(), one.parts.rend());
    }
    return leaves;
}

std::vector<NodeCell> ClusterScene::cells_of(std::size_t group, std::int64_t most) const {
    std::vector<NodeCell> cells;
    const NodeGroup* first = nullptr;  // of the small ones in the last cell
    for (const std::size_t at : leaves_of(group)) {
        const NodeGroup& leaf = groups_[at];
        const std::int64_t count = leaf.tally.nodes.all;
        if (most == 1 || count > most) {
            add_nodes(leaf, most, cells);
            first = nullptr;
        } else if (first && cells.back().tally.nodes.all + count <= most) {
            cells.back().label = from_to(first->label, leaf.label);
            cells.back().tally += leaf.tally;
        } else {
            cells.push_back({*leaf.nodes.first(), leaf.label, leaf.tally});
            first = &leaf;
        }
    }
    return cells;
}

void ClusterScene::add_nodes(const NodeGroup& leaf, std::int64_t most,
                             std::vector<NodeCell>& cells) const {
    std::int64_t room = 0;
    for (const NodeId node : leaf.nodes) {
        if (room == 0) {
            cells.push_back({node, {}, {}});
            room = most;
        }
        cells.back().tally += tally_of(node);
        --room;
        if (room == 0 || node == leaf.nodes.last()) {
            cells.back().label = from_to(cluster_.name(cells.back().first), cluster_.name(node));
        }
    }
}

std::string ClusterScene::words(const Tally& tally) const {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < tally.devices.size(); ++i) {
        if (tally.devices[i].all == 0) continue;
        words.push_back(device_names_[i] + " " + of_words(tally.devices[i], thousandths_words));
    }
    if (tally.cpus.all != 0) words.push_back("CPUs " + of_words(tally.cpus, thousandths_words));
    if (tally.memory.all != 0) words.push_back("memory " + bytes_words(tally.memory));
    return words.empty() ? "nothing" : fmt::format("{} free", fmt::join(words, " free, "));
}

std::string number_words(std::int64_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
    return digits;
}

std::string thousandths_words(std::int64_t number) {
    const std::int64_t tenths = number % 1000 / 100;
    return number_words(number / 1000) + (tenths == 0 ? "" : "." + std::to_string(tenths));
}

std::string bytes_words(const Share& share) {
    return free_words(Bytes(share.free), Bytes(share.all));
}

}  // namespace trestle::svg
