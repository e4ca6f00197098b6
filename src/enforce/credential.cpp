// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/credential.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace trestle {

namespace {

Status check_part(const NodePlacement& part, const Credential::Node& known) {
    const auto last_core = part.cores.last();
    if (last_core && last_core->value() >= known.cores) {
        return invalid_argument("core {}, expected one below {}", last_core->value(), known.cores);
    }
    for (const MemoryShare& share : part.memory) {
        if (share.domain.value() < known.memory_domains) continue;
        return invalid_argument("memory domain {}, expected one below {}", share.domain.value(),
                                known.memory_domains);
    }
    for (const DeviceShare& share : part.devices) {
        if (std::none_of(known.devices.begin(), known.devices.end(),
                         [&](const auto& one) { return one.device == share.device; })) {
            return invalid_argument("it does not say what device {} is", share.device.value());
        }
    }
    return {};
}

}  // namespace

Status check(const Credential& credential) {
    const std::vector<NodePlacement>& parts = credential.allocation.placement.nodes;
    if (credential.nodes.size() != parts.size()) {
        return invalid_argument("{} nodes, expected {} as in the placement",
                                credential.nodes.size(), parts.size());
    }
    const std::size_t components = credential.allocation.request->components.size();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Credential::Node& known = credential.nodes[i];
        TRESTLE_TRY_STATUS(with_context("node " + known.name, check_part(parts[i], known)));
        if (parts[i].component > components) {
            return invalid_argument("node {}: component {} of a request with {}", known.name,
                                    parts[i].component, components);
        }
    }
    return {};
}

StatusOr<NodePlacement> part_of(const Credential& credential, const Node& node) {
    TRESTLE_TRY_STATUS(with_context("credential", check(credential)));
    const auto known =
        std::find_if(credential.nodes.begin(), credential.nodes.end(),
                     [&](const Credential::Node& one) { return one.name == node.name; });
    if (known == credential.nodes.end()) {
        return not_found("credential of owner {}: it gives nothing of node {}",
                         credential.allocation.owner.value(), node.name);
    }
    const NodeShape& shape = *node.shape;
    if (known->cores != shape.hardware.core_count() ||
        known->memory_domains != shape.memory.size()) {
        return failed_precondition(
            "node {}: {} cores and {} memory domains, the credential speaks of {} and {}",
            node.name, shape.hardware.core_count(), shape.memory.size(), known->cores,
            known->memory_domains);
    }
    const auto at = static_cast<std::size_t>(known - credential.nodes.begin());
    NodePlacement part = credential.allocation.placement.nodes[at];
    for (DeviceShare& share : part.devices) {
        const auto meant =
            std::find_if(known->devices.begin(), known->devices.end(),
                         [&](const Credential::Device& one) { return one.device == share.device; });
        const auto id = shape.find_device(meant->name, meant->index);
        if (!id) {
            return failed_precondition("node {}: it has no {} {}", node.name, meant->name,
                                       meant->index);
        }
        const std::string& type = shape.devices[id->value()].type;
        if (!type.empty() && !meant->type.empty() && type != meant->type) {
            return failed_precondition("node {}: {} {} is of type {}, the credential gives {}",
                                       node.name, meant->name, meant->index, type, meant->type);
        }
        share.device = *id;
    }
    std::sort(part.devices.begin(), part.devices.end());
    const Status exists = check(shape, part);
    if (!exists.ok())
        return failed_precondition("node {}: {}", node.name, std::string(exists.message()));
    return part;
}

StatusOr<Plan> plan_of(const Credential& credential, const Node& node, const LimitPolicy& policy,
                       PlanOptions options) {
    TRESTLE_TRY(const NodePlacement part, part_of(credential, node));
    const Request& request = *credential.allocation.request;
    options.owner = credential.allocation.owner;
    if (!options.end.time_limit) options.end.time_limit = request.time_limit;  // of all components
    return plan(node, part, part.component == 0 ? request : request.components[part.component - 1],
                policy, options);
}

}  // namespace trestle
