// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/credential.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/fmt.hpp"

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

namespace {

/// The position of the part on the node, for the component where one is named.
StatusOr<std::size_t> find_part_of(const Credential& credential, const std::string& node,
                                   std::optional<std::uint32_t> component) {
    const std::vector<NodePlacement>& parts = credential.allocation.placement.nodes;
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (credential.nodes[i].name != node) continue;
        if (component && parts[i].component != *component) continue;
        if (found) {
            return invalid_argument("node {}: it serves components {} and {}, expected one of them",
                                    node, parts[*found].component, parts[i].component);
        }
        found = i;
    }
    if (found) return *found;
    const std::string which = component ? fmt::format(" for component {}", *component) : "";
    return not_found("credential of owner {}: it gives nothing of node {}{}",
                     credential.allocation.owner.value(), node, which);
}

}  // namespace

StatusOr<NodePlacement> part_of(const Credential& credential, const Node& node,
                                std::optional<std::uint32_t> component) {
    TRESTLE_TRY_STATUS(with_context("credential", check(credential)));
    TRESTLE_TRY(const std::size_t at, find_part_of(credential, node.name, component));
    const auto known = credential.nodes.begin() + static_cast<std::ptrdiff_t>(at);
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
                       PlanOptions options, std::optional<std::uint32_t> component) {
    TRESTLE_TRY(const NodePlacement part, part_of(credential, node, component));
    const Request& request = *credential.allocation.request;
    options.owner = credential.allocation.owner;
    if (!options.end.time_limit) options.end.time_limit = request.time_limit;  // of all components
    return plan(node, part, part.component == 0 ? request : request.components[part.component - 1],
                policy, options);
}

}  // namespace trestle
