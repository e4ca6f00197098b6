// SPDX-License-Identifier: Apache-2.0
#pragma once

// Credential: an allocation on its way from the scheduler to the machines that enforce it.
//
// Layer: enforce. Main type: Credential; credential_of() on the one side, part_of() and plan_of()
// on the other. dialect/json/credential.hpp writes it as text with checksum and signature.
// Pitfall: the caller has to reject credentials that are too old or were used before; there is no
// clock here.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

/// An allocation, and what its numbers mean.
struct Credential {
    /// What an id of a device in the placement means, so that a machine that numbers its devices
    /// otherwise gives the right one.
    struct Device {
        DeviceId device;
        std::string name;
        std::string type;
        std::uint32_t index = 0;  ///< among the node's devices of this name

        static constexpr auto fields(auto list) {
            return list(field("device", &Device::device), field("name", &Device::name),
                        field("type", &Device::type), field("index", &Device::index));
        }
        friend bool operator==(const Device&, const Device&) = default;
    };

    /// What the numbers of one node's part mean.
    struct Node {
        std::string name;
        std::uint32_t cores = 0;           ///< of the node
        std::uint32_t memory_domains = 0;  ///< of the node
        std::vector<Device> devices;       ///< those of the placement, each once

        static constexpr auto fields(auto list) {
            return list(field("name", &Node::name), field("cores", &Node::cores),
                        field("memory_domains", &Node::memory_domains),
                        field("devices", &Node::devices));
        }
        friend bool operator==(const Node&, const Node&) = default;
    };

    Allocation allocation;
    std::vector<Node> nodes;  ///< as the nodes of the placement
    Seconds issued_at;        ///< by the issuer's clock, since 1970

    static constexpr auto fields(auto list) {
        return list(field("allocation", &Credential::allocation),
                    field("nodes", &Credential::nodes), field("issued_at", &Credential::issued_at));
    }
    friend bool operator==(const Credential&, const Credential&) = default;
};

/// The credential of an allocation; `node_of(id)` gives the cluster's node.
/// Errors: InvalidArgument for a placement that takes what its nodes lack.
template <class NodeOf>
[[nodiscard]] StatusOr<Credential> credential_of(const Allocation& allocation,
                                                 const NodeOf& node_of, Seconds issued_at = {}) {
    Credential credential{allocation, {}, issued_at};
    for (const NodePlacement& part : allocation.placement.nodes) {
        const Node node = node_of(part.node);
        TRESTLE_TRY_STATUS(with_context("node " + node.name, check(*node.shape, part)));
        Credential::Node& known = credential.nodes.emplace_back();
        known.name = node.name;
        known.cores = node.shape->hardware.core_count();
        known.memory_domains = static_cast<std::uint32_t>(node.shape->memory.size());
        for (const DeviceId id : part.device_set()) {
            const Device& device = node.shape->devices[id.value()];
            known.devices.push_back({id, device.name, device.type, device.index});
        }
    }
    return credential;
}

/// Ok when the nodes are those of the placement, in its order. Each part must take cores, memory
/// domains and devices of its described node, for a component of the request.
/// Errors: InvalidArgument that names the first breach. Complexity: linear.
[[nodiscard]] Status check(const Credential& credential);

/// What the credential gives of `node`, by the numbers of that node. The node is found by its name,
/// a device by name and index. A node that serves several components has a part for each: name the
/// one that is meant. Errors: as check(credential) has them. NotFound when the credential has no
/// node of that name, or nothing there for the component. InvalidArgument when the node serves
/// several components and none is named. FailedPrecondition when the node has another number of
/// cores or memory domains. The same when it lacks a device, or has one of another type (where both
/// name one).
[[nodiscard]] StatusOr<NodePlacement> part_of(const Credential& credential, const Node& node,
                                              std::optional<std::uint32_t> component = {});

/// plan() of that part, for the component of the request that it belongs to. `options.owner` is set
/// to the credential's. Each component on a node has a plan of its own, so give each a group of its
/// own: `job_42/leader` and `job_42/workers`. Errors: those of part_of and plan.
[[nodiscard]] StatusOr<Plan> plan_of(const Credential& credential, const Node& node,
                                     const LimitPolicy& policy, PlanOptions options,
                                     std::optional<std::uint32_t> component = {});

}  // namespace trestle
