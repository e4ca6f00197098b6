// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/credential.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace trestle {

StatusOr<NodePlacement> part_of(const Credential& credential, const Node& node) {
    const auto known =
        std::find_if(credential.nodes.begin(), credential.nodes.end(),
                     [&](const Credential::Node& one) { return one.name == node.name; });
    const auto at = static_cast<std::size_t>(known - credential.nodes.begin());
    if (at >= credential.allocation.placement.nodes.size()) {
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
    NodePlacement part = credential.allocation.placement.nodes[at];
    for (DeviceShare& share : part.devices) {
        const auto meant =
            std::find_if(known->devices.begin(), known->devices.end(),
                         [&](const Credential::Device& one) { return one.device == share.device; });
        if (meant == known->devices.end()) {
            return failed_precondition("node {}: the credential does not say what device {} is",
                                       node.name, share.device.value());
        }
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
    return part;
}

StatusOr<Plan> plan_of(const Credential& credential, const Node& node, const LimitPolicy& policy,
                       PlanOptions options) {
    TRESTLE_TRY(const NodePlacement part, part_of(credential, node));
    const Request& request = *credential.allocation.request;
    if (part.component > request.components.size()) {
        return failed_precondition("credential: component {} of a request with {}", part.component,
                                   request.components.size());
    }
    options.owner = credential.allocation.owner;
    return plan(node, part, part.component == 0 ? request : request.components[part.component - 1],
                policy, options);
}

}  // namespace trestle
