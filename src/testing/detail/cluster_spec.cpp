// SPDX-License-Identifier: Apache-2.0
#include "testing/detail/cluster_spec.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "description_of.hpp"
#include "model/topologies.hpp"
#include "model/topology/levels.hpp"
#include "testing/detail/split.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/network.hpp"
#include "trestle/model/node_builder.hpp"

namespace trestle {

namespace testing {

namespace detail {

void add_switches(std::vector<TreeTopology::Switch>& switches, std::uint32_t& leaf_count,
                  const GroupSpec& group, Interval<std::uint32_t> ids) {
    for_each_part(ids, group.per_pod == 0 ? group.count : group.per_pod,
                  [&](Interval<std::uint32_t> pod) {
                      std::optional<TreeTopology::SwitchId> parent;
                      if (group.per_pod != 0) {
                          const auto number = static_cast<std::uint32_t>(switches.size());
                          parent = TreeTopology::SwitchId(number);
                          const auto name = "p" + std::to_string(number - leaf_count);
                          switches.push_back({name, std::nullopt, {}});
                      }
                      for_each_part(pod, group.per_switch, [&](Interval<std::uint32_t> nodes) {
                          switches.push_back(
                              {"s" + std::to_string(leaf_count++), parent, NodeSet::range(nodes)});
                      });
                  });
}

void add_top(std::vector<TreeTopology::Switch>& switches) {
    const auto roots = std::count_if(switches.begin(), switches.end(),
                                     [](const TreeTopology::Switch& one) { return !one.parent; });
    if (roots < 2) return;
    for (TreeTopology::Switch& one : switches)
        one.parent = TreeTopology::SwitchId(one.parent ? one.parent->value() + 1 : 0);
    switches.insert(switches.begin(), {"top", std::nullopt, {}});
}

StatusOr<ClusterParts> to_parts(const std::vector<GroupSpec>& groups) {
    ClusterParts parts;
    std::vector<TreeTopology::Switch> switches;
    std::uint32_t leaf_count = 0;
    std::vector<BlockTopology::Block> blocks;
    std::map<std::string, std::uint32_t> next_number;
    for (const GroupSpec& group : groups) {
        const auto first = static_cast<std::uint32_t>(parts.nodes.size());
        const Interval<std::uint32_t> ids{first, first + group.count};
        TRESTLE_TRY(Node node, make_node(group.node));
        const bool has_own_name = !group.is_numbered && !group.node.name.empty();
        const std::string prefix(group.node.name.empty() ? default_prefix
                                                         : std::string_view(group.node.name));
        for (std::uint32_t i = 0; i < group.count; ++i) {
            if (!has_own_name) node.name = prefix + std::to_string(next_number[prefix]++);
            parts.nodes.push_back(node);
        }
        add_switches(switches, leaf_count, group, ids);
        for_each_part(ids, group.per_block, [&](Interval<std::uint32_t> nodes) {
            blocks.push_back({"b" + std::to_string(blocks.size()), NodeSet::range(nodes)});
        });
    }
    add_top(switches);
    if (!switches.empty()) parts.network.trees.push_back({"tree", std::move(switches)});
    if (!blocks.empty()) parts.network.blocks.push_back({"blocks", std::move(blocks), {}});
    return parts;
}

std::optional<std::uint32_t> part_size(const std::vector<std::uint32_t>& holder_of,
                                       std::size_t first, std::size_t last) {
    const auto is_cut = [&](std::size_t i) {
        return i == 0 || i == holder_of.size() || holder_of[i - 1] == 0 || holder_of[i] == 0 ||
               holder_of[i - 1] != holder_of[i];
    };
    if (!is_cut(first) || !is_cut(last)) return std::nullopt;
    const std::uint32_t holder = holder_of[first];
    if (holder == 0) {
        const bool has_none = std::all_of(holder_of.begin() + static_cast<std::ptrdiff_t>(first),
                                          holder_of.begin() + static_cast<std::ptrdiff_t>(last),
                                          [](std::uint32_t h) { return h == 0; });
        return has_none ? std::optional(0u) : std::nullopt;
    }
    std::size_t size = 1;
    while (first + size < last && holder_of[first + size] == holder) ++size;
    for (std::size_t i = first + 1; i < last; ++i) {
        if (holder_of[i] == 0 || is_cut(i) != ((i - first) % size == 0)) return std::nullopt;
    }
    return static_cast<std::uint32_t>(size);
}

std::vector<std::optional<std::string>> prefixes_of(const std::vector<Node>& nodes) {
    std::map<std::string, std::uint32_t> next_number;
    std::vector<std::optional<std::string>> prefixes;
    for (const Node& node : nodes) {
        const std::size_t letter = node.name.find_last_not_of("0123456789");
        const std::string prefix = node.name.substr(0, letter == node.name.npos ? 0 : letter + 1);
        const bool is_next =
            !prefix.empty() && node.name == prefix + std::to_string(next_number[prefix]);
        if (is_next) ++next_number[prefix];
        prefixes.push_back(is_next ? std::optional(prefix) : std::nullopt);
    }
    return prefixes;
}

bool is_alike(const Node& a, const Node& b) {
    return a.shape == b.shape && a.features == b.features && a.weight == b.weight &&
           a.state == b.state && a.health == b.health;
}

std::vector<TreeTopology::Switch> pods_of(const TreeTopology& tree) {
    std::vector<TreeTopology::Switch> pods;
    for (std::uint32_t i = 0; i < tree.switches.size(); ++i) {
        const TreeTopology::Switch& one = tree.switches[i];
        if (!one.nodes.is_empty() || one.name == "top") continue;
        pods.push_back({one.name, one.parent, nodes_below(tree, TreeTopology::SwitchId(i))});
    }
    return pods;
}

std::optional<std::vector<GroupSpec>> groups_of(const ClusterParts& parts) {
    const auto& nodes = parts.nodes;
    const auto prefixes = prefixes_of(nodes);
    if (!check(parts.network).ok()) return std::nullopt;
    const TreeTopology tree = first_of(parts.network.trees);
    const auto switch_of = holder_of_nodes(tree.switches, nodes.size());
    const auto pod_of = holder_of_nodes(pods_of(tree), nodes.size());
    const auto block_of = holder_of_nodes(first_of(parts.network.blocks).blocks, nodes.size());
    const auto longest = [&](std::size_t first) {
        std::size_t last = first + 1;
        while (last < nodes.size() && prefixes[first] && prefixes[last] == prefixes[first] &&
               is_alike(nodes[first], nodes[last])) {
            ++last;
        }
        return last;
    };
    const auto describe = [&](std::size_t first, std::size_t last) -> std::optional<GroupSpec> {
        const auto per_switch = part_size(switch_of, first, last);
        const auto per_pod = part_size(pod_of, first, last);
        const auto per_block = part_size(block_of, first, last);
        if (!per_switch || !per_pod || !per_block) return std::nullopt;
        const std::uint32_t each = std::max(*per_switch, 1u);
        const std::uint32_t whole_pod = (*per_pod + each - 1) / each * each;
        auto node = description_of(nodes[first]);
        if (!node) return std::nullopt;
        const auto& prefix = prefixes[first];
        if (prefix) node->name = *prefix == default_prefix ? "" : *prefix;
        const auto count = static_cast<std::uint32_t>(last - first);
        // One node of the default name needs no count.
        const bool is_numbered = prefix && (count > 1 || *prefix != default_prefix);
        return GroupSpec{*std::move(node), count, is_numbered, *per_switch, whole_pod, *per_block};
    };
    const auto pieces = split(nodes.size(), longest, describe);
    if (!pieces || pieces->empty()) return std::nullopt;
    std::vector<GroupSpec> groups;
    for (const auto& piece : *pieces) groups.push_back(piece.description);
    return groups;
}

}  // namespace detail

}  // namespace testing

}  // namespace trestle
