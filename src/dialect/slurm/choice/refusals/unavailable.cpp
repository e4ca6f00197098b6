// SPDX-License-Identifier: Apache-2.0
#include "unavailable.hpp"

#include <algorithm>
#include <map>

#include "alloc/cluster/states/node_classes.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"

namespace trestle::slurm::choice {

std::string unavailable_nodes(const Cluster& cluster, const Partition& partition,
                              const std::vector<bool>& has_class, const SelectRules& rules) {
    const NodeClasses& classes = cluster.classes();
    bool is_any = false;
    for (ClassId id(0); id.value() < classes.size(); id = ClassId(id.value() + 1)) {
        is_any = is_any || (has_class[id.value()] && !is_usable(classes[id]));
    }
    if (!is_any) return {};
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
        const std::string why = fault != rules.invalid.end()
                                    ? fmt::format("{} ({})", state, fault->fault.reason)
                                    : std::string(state);
        by_state[why].push_back(name);
    }
    std::string text;
    for (const auto& [state, nodes] : by_state) {
        text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", state, nodes.sorted());
    }
    return text;
}

}  // namespace trestle::slurm::choice
