// SPDX-License-Identifier: Apache-2.0
#include "field.hpp"

#include <algorithm>
#include <numeric>

#include "../../words.hpp"

namespace trestle::slurm {
namespace choice {

Field::Field(const Cluster& cluster, const SelectRules& rules)
    : cluster_(cluster), node_at_(rules.node_order), place_of_(cluster.node_count()) {
    if (node_at_.empty()) {
        for (std::uint32_t i = 0; i < cluster.node_count(); ++i) node_at_.emplace_back(i);
    }
    TRESTLE_EXPECTS(node_at_.size() == cluster.node_count(), "the order has each node once");
    for (std::size_t place = 0; place < node_at_.size(); ++place) {
        place_of_[node_at_[place].value()] = place;
    }
    for (const TreeTopology& tree : cluster.network().trees) add_switches(tree);
}

void Field::add_switches(const TreeTopology& tree) {
    const std::size_t first = switches_.size();
    const std::vector<std::uint32_t> heights = heights_of(tree);
    for (std::uint32_t s = 0; s < tree.switches.size(); ++s) {
        ViewSwitch& one = switches_.emplace_back();
        one.level = heights[s];
        if (const auto& parent = tree.switches[s].parent) one.parent = first + parent->value();
        for (const NodeId node : nodes_below(tree, SwitchId(s))) {
            one.nodes.push_back(place_of(node));
        }
        std::sort(one.nodes.begin(), one.nodes.end());
    }
}

const NodeView& Field::view(ClassId id) {
    const auto known = views_.find(id);
    if (known != views_.end()) return known->second;
    const NodeClass& one = cluster_.classes()[id];
    return views_.emplace(id, view_of(*one.shape, one.weight)).first->second;
}

const SeenNode& Field::seen(std::size_t place, Use use, const Partition* partition) {
    const NodeId node = node_at_[place];
    const ClassId id = cluster_.state(node).node_class;
    if (use == Use::idle) {
        const auto [at, is_new] = idle_.try_emplace(id);
        if (is_new) {
            at->second.view = &view(id);
            at->second.room = room_of(view(id), cluster_.classes().known(id).idle);
        }
        return at->second;
    }
    const Number cores = partition != nullptr ? partition_cores(node, *partition) : 0;
    const auto [at, is_new] = now_.try_emplace({cluster_.states().of(node), cores});
    if (is_new) {
        at->second.view = &view(id);
        at->second.room = room_of(view(id), cluster_.free(node));
        at->second.room.partition_cores = cores;
    }
    return at->second;
}

Number Field::partition_cores(NodeId node, const Partition& partition) const {
    Number cores = 0;
    for (const OwnerId owner : cluster_.owners_on(node)) {
        const Allocation& allocation = *cluster_.find_allocation(owner);
        const std::string& name = allocation.request->partition;
        if (name.empty() ? !partition.is_default : name != partition.name) continue;
        for (const NodePlacement& part : allocation.placement.nodes) {
            if (part.node == node) cores += part.cores.count();
        }
    }
    return cores;
}

namespace {

/// Texts compare as texts, numbers in them by value: n2 before n10.
bool is_before_by_name(std::string_view a, std::string_view b) {
    const auto take = [](std::string_view& text, bool wants_digits) {
        std::size_t end = 0;
        while (end < text.size() && words::is_digit(text[end]) == wants_digits) ++end;
        const std::string_view taken = text.substr(0, end);
        text.remove_prefix(end);
        return taken;
    };
    for (bool wants_digits = false; !a.empty() || !b.empty(); wants_digits = !wants_digits) {
        std::string_view x = take(a, wants_digits);
        std::string_view y = take(b, wants_digits);
        if (!wants_digits) {
            if (x != y) return x < y;
            continue;
        }
        x.remove_prefix(std::min(x.find_first_not_of('0'), x.size()));
        y.remove_prefix(std::min(y.find_first_not_of('0'), y.size()));
        if (x.size() != y.size()) return x.size() < y.size();
        if (x != y) return x < y;
    }
    return false;
}

}  // namespace
}  // namespace choice

SelectRules select_rules_of(const SlurmConf& conf, const Cluster& cluster) {
    SelectRules rules{conf.parameters, conf.partitions, {}, SlurmVersion::v22_05};
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
        names.push_back(cluster.name(NodeId(i)));
        rules.node_order.emplace_back(i);
    }
    const auto is_before = [&](NodeId a, NodeId b) {
        return choice::is_before_by_name(names[a.value()], names[b.value()]);
    };
    if (std::is_sorted(rules.node_order.begin(), rules.node_order.end(), is_before)) {
        rules.node_order.clear();
    } else {
        std::stable_sort(rules.node_order.begin(), rules.node_order.end(), is_before);
    }
    return rules;
}

}  // namespace trestle::slurm
