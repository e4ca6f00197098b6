// SPDX-License-Identifier: Apache-2.0
#include "unavailable.hpp"

#include <algorithm>
#include <map>

#include "../../node_lookup.hpp"
#include "alloc/cluster/states/description.hpp"
#include "alloc/cluster/states/node_classes.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"

namespace trestle::slurm::choice {

namespace {

/// Why nodes are in their state, as the configuration says: `down (bad fan)`.
std::map<NodeId, std::string> configured_reasons(const Cluster& cluster, const SelectRules& rules) {
    std::map<NodeId, std::string> reasons;
    for (const DownLine& line : rules.reasons) {
        for (const NodeId node : look_up(line.names, *cluster.description()->names).nodes) {
            if (cluster.class_of(node).state == line.state) reasons[node] = line.reason;
        }
    }
    return reasons;
}

}  // namespace

std::string unavailable_nodes(const Cluster& cluster, const Partition& partition,
                              const std::vector<bool>& has_class, const SelectRules& rules) {
    const NodeClasses& classes = cluster.classes();
    bool is_any = false;
    for (ClassId id(0); id.value() < classes.size(); id = ClassId(id.value() + 1)) {
        is_any = is_any || (has_class[id.value()] && !is_usable(classes[id]));
    }
    if (!is_any) return {};
    const std::map<NodeId, std::string> reasons = configured_reasons(cluster, rules);
    std::map<std::string, Hostlist> by_state;
    for (const NodeId node : partition.nodes) {
        const NodeClass& its = cluster.class_of(node);
        if (is_usable(its)) continue;
        const bool is_up = its.state == NodeState::up;
        const auto state = is_up ? std::string_view("failed") : trestle::to_text(its.state);
        const std::string name = cluster.name(node);
        const auto fault =
            std::find_if(rules.invalid.begin(), rules.invalid.end(),
                         [&](const InvalidNodes& invalid) { return invalid.nodes.contains(name); });
        std::string why(state);
        if (fault != rules.invalid.end()) {
            why += fmt::format(" ({})", fault->fault.reason);
        } else if (const auto reason = reasons.find(node); reason != reasons.end()) {
            why += fmt::format(" ({})", reason->second);
        }
        by_state[why].push_back(name);
    }
    std::string text;
    for (const auto& [state, nodes] : by_state) {
        text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", state, nodes.sorted());
    }
    return text;
}

}  // namespace trestle::slurm::choice
