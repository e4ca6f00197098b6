// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cluster: nodes, what they are connected by, and who has what. A value.
//
// Layer: alloc. Main types: Cluster, ClusterParts. commit and release are the only ways to change
// who has what; both check everything first, so that after an error the cluster is what it was.
// Where to put a request is a pure function of a cluster: place() in place.hpp.
// A reader would get wrong: copies share the description of the nodes and are independent in all
// else, so a copy handed to another thread stays valid while the original changes.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/alloc/fit/usage.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/fleet.hpp"
#include "trestle/model/network.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/trace.hpp"

namespace trestle {

/// What a cluster is made of.
struct ClusterParts {
    std::vector<Node> nodes;  ///< by NodeId; names differ
    Network network;
    std::vector<Partition> partitions;
    std::vector<Fleet> fleets;

    static constexpr auto fields() {
        return field_list(
            field("nodes", &ClusterParts::nodes), field("network", &ClusterParts::network),
            field("partitions", &ClusterParts::partitions), field("fleets", &ClusterParts::fleets));
    }
    friend bool operator==(const ClusterParts&, const ClusterParts&) = default;
};

namespace detail {

/// Where `owner` stands, or would stand, in a list of allocations by owner.
template <class Allocations>
[[nodiscard]] auto find_owner(Allocations& allocations, OwnerId owner) {
    return std::lower_bound(
        allocations.begin(), allocations.end(), owner,
        [](const Allocation& one, OwnerId wanted) { return one.owner < wanted; });
}

}  // namespace detail

class Cluster {
  public:
    /// A cluster without nodes.
    Cluster() = default;

    /// An idle cluster. Errors: InvalidArgument for two nodes of one name, a shape that check()
    /// refuses, a node in two fleets, a network, partition or fleet that names an absent node.
    [[nodiscard]] static StatusOr<Cluster> create(ClusterParts parts);

    [[nodiscard]] const ClusterParts& parts() const { return *parts_; }
    [[nodiscard]] std::uint32_t node_count() const {
        return static_cast<std::uint32_t>(usage_.size());
    }
    /// Requires: the node exists.
    [[nodiscard]] const Node& node(NodeId id) const {
        TRESTLE_EXPECTS(id.value() < node_count(), "the node exists");
        return parts_->nodes[id.value()];
    }
    /// Requires: the node exists.
    [[nodiscard]] const NodeUsage& usage(NodeId id) const {
        TRESTLE_EXPECTS(id.value() < node_count(), "the node exists");
        return usage_[id.value()];
    }
    /// The node called `name`, or nothing. Complexity: linear in the nodes.
    [[nodiscard]] std::optional<NodeId> find_node(std::string_view name) const;

    /// By owner.
    [[nodiscard]] const std::vector<Allocation>& allocations() const { return allocations_; }
    /// What `owner` has, or nothing.
    [[nodiscard]] const Allocation* find_allocation(OwnerId owner) const {
        const auto at = detail::find_owner(allocations_, owner);
        return at != allocations_.end() && at->owner == owner ? &*at : nullptr;
    }

    /// Gives the allocation's placement to its owner. The sink of this and of the releases hears
    /// one event a node, or one refusal. Errors: FailedPrecondition when the owner has an
    /// allocation already, or a unit is not free (the message names node, unit and owner);
    /// InvalidArgument for nodes or units that do not exist or stand twice. Nothing changes then.
    [[nodiscard]] Status commit(Allocation allocation, const TraceSink& sink = {});

    /// Takes everything back from `owner` and returns what it was.
    /// Errors: NotFound when the owner has nothing, as after a first release.
    [[nodiscard]] StatusOr<Allocation> release(OwnerId owner, const TraceSink& sink = {});

    /// Takes a part back: the nodes, cores, bytes and devices named, all of which `owner` has.
    /// Errors: NotFound when the owner has nothing; FailedPrecondition for a unit that somebody
    /// else has or nobody, naming who. Nothing changes then.
    [[nodiscard]] Status release_part(OwnerId owner, const Placement& part,
                                      const TraceSink& sink = {});

    /// Lets a node take work or not; what runs there stays. It is place() that passes over nodes
    /// which take none: commit() believes the placement. Requires: the node exists. Complexity:
    /// linear in the nodes.
    void set_node_state(NodeId id, NodeState state) {
        TRESTLE_EXPECTS(id.value() < node_count(), "the node exists");
        ClusterParts parts = *parts_;
        parts.nodes[id.value()].state = state;
        parts_ = std::move(parts);
    }

    friend bool operator==(const Cluster&, const Cluster&) = default;
    void hash_into(HashState& state) const {
        trestle::hash_into(state, parts_);
        trestle::hash_into(state, allocations_);
    }

  private:
    [[nodiscard]] Status check_nodes(const Placement& placement) const;
    /// The usage of the nodes of a placement as it would be afterwards.
    [[nodiscard]] StatusOr<std::vector<NodeUsage>> after_commit(const Allocation& allocation) const;
    [[nodiscard]] StatusOr<std::vector<NodeUsage>> after_release(OwnerId owner,
                                                                 const Placement& part) const;
    void store(const Placement& placement, std::vector<NodeUsage> changed);
    void report(const TraceSink& sink, TraceEvent::Kind kind, OwnerId owner,
                const Placement& placement) const;
    /// `why`, and the sink hears of it.
    [[nodiscard]] static Status refuse(const TraceSink& sink, OwnerId owner, Status why);

    Shared<ClusterParts> parts_;
    std::vector<NodeUsage> usage_;         ///< by NodeId
    std::vector<Allocation> allocations_;  ///< by owner
};

/// `cores=0-7 memory=0:16GiB devices=gpu:0,gpu:1(1/4),gpu:2[1g.10gb@4]`: what is given of a node.
/// Requires: the devices exist on the node.
[[nodiscard]] inline std::string units_to_text(const NodePlacement& placement, const Node& node) {
    std::string text = "cores=" + to_text(placement.cores);
    if (!placement.memory.empty()) {
        text += " memory=";
        for (std::size_t i = 0; i < placement.memory.size(); ++i) {
            const MemoryShare& share = placement.memory[i];
            text += fmt::format("{}{}:{}", i == 0 ? "" : ",", share.domain, share.bytes);
        }
    }
    if (!placement.devices.empty()) {
        text += " devices=";
        for (std::size_t i = 0; i < placement.devices.size(); ++i) {
            const DeviceShare& share = placement.devices[i];
            const Device& device = node.shape->devices[share.device.value()];
            text += fmt::format("{}{}:{}", i == 0 ? "" : ",", device.name, device.index);
            if (share.slice) {
                text += fmt::format("[{}@{}]", share.slice->profile, share.slice->start);
            } else if (share.shares != device.shares) {
                text += fmt::format("({}/{})", share.shares, device.shares);
            }
        }
    }
    return text;
}

/// The same behind the node's name: `n1 cores=0-7 ...`. Requires: as above.
[[nodiscard]] inline std::string to_text(const NodePlacement& placement, const Node& node) {
    return node.name + " " + units_to_text(placement, node);
}

/// One line a node. Requires: the nodes exist in the cluster, and as above.
[[nodiscard]] inline std::string to_text(const Placement& placement, const Cluster& cluster) {
    std::string text;
    for (const NodePlacement& part : placement.nodes) {
        text += (text.empty() ? "" : "\n") + to_text(part, cluster.node(part.node));
    }
    return text;
}

inline StatusOr<Cluster> Cluster::create(ClusterParts parts) {
    std::vector<std::string_view> names;
    for (const Node& node : parts.nodes) {
        if (node.name.empty()) return invalid_argument("node {}: it has no name", names.size());
        names.push_back(node.name);
    }
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end()) return invalid_argument("node {}: the name stands twice", *twice);

    const auto is_known = [&](const NodeSet& nodes) {
        const auto last = nodes.last();
        return !last || last->value() < parts.nodes.size();
    };
    for (const Partition& partition : parts.partitions) {
        if (!is_known(partition.nodes)) {
            return invalid_argument("partition {}: node {} does not exist", partition.name,
                                    partition.nodes.last()->value());
        }
    }
    for (const Fleet& fleet : parts.fleets) {
        if (!is_known(fleet.nodes)) {
            return invalid_argument("fleet {}: node {} does not exist", fleet.name,
                                    fleet.nodes.last()->value());
        }
    }
    for (const Switch& one : parts.network.switches) {
        if (!is_known(one.nodes)) {
            return invalid_argument("switch {}: node {} does not exist", one.name,
                                    one.nodes.last()->value());
        }
    }
    for (const NetworkBlock& block : parts.network.blocks) {
        if (!is_known(block.nodes)) {
            return invalid_argument("block {}: node {} does not exist", block.name,
                                    block.nodes.last()->value());
        }
    }
    TRESTLE_TRY_STATUS(check(parts.network));
    TRESTLE_TRY_STATUS(check(parts.fleets));

    Cluster cluster;
    const Node* previous = nullptr;
    for (const Node& node : parts.nodes) {
        if (!previous || !node.shape.is_same_object(previous->shape)) {
            TRESTLE_TRY_STATUS(with_context("node " + node.name, check(*node.shape)));
        }
        previous = &node;
        cluster.usage_.emplace_back(*node.shape);
    }
    cluster.parts_ = std::move(parts);
    return cluster;
}

inline std::optional<NodeId> Cluster::find_node(std::string_view name) const {
    for (std::uint32_t i = 0; i < node_count(); ++i) {
        if (parts_->nodes[i].name == name) return NodeId(i);
    }
    return std::nullopt;
}

inline Status Cluster::check_nodes(const Placement& placement) const {
    for (std::size_t i = 0; i < placement.nodes.size(); ++i) {
        const NodeId node = placement.nodes[i].node;
        if (node.value() >= node_count()) {
            return invalid_argument("node {} does not exist", node.value());
        }
        if (i != 0 && !(placement.nodes[i - 1].node < node)) {
            return invalid_argument("node {}: expected rising node ids, each once", node.value());
        }
    }
    return {};
}

inline StatusOr<std::vector<NodeUsage>> Cluster::after_commit(const Allocation& allocation) const {
    if (find_allocation(allocation.owner) != nullptr) {
        return failed_precondition("owner {} has an allocation already", allocation.owner.value());
    }
    TRESTLE_TRY_STATUS(check_nodes(allocation.placement));
    std::vector<NodeUsage> changed;
    for (const NodePlacement& part : allocation.placement.nodes) {
        changed.push_back(usage(part.node));
        const Status taken = changed.back().take(part, allocation.owner);
        if (!taken.ok()) return with_context("node " + node(part.node).name, taken);
    }
    return changed;
}

inline StatusOr<std::vector<NodeUsage>> Cluster::after_release(OwnerId owner,
                                                               const Placement& part) const {
    if (find_allocation(owner) == nullptr) {
        return not_found("owner {} has no allocation", owner.value());
    }
    TRESTLE_TRY_STATUS(check_nodes(part));
    std::vector<NodeUsage> changed;
    for (const NodePlacement& one : part.nodes) {
        changed.push_back(usage(one.node));
        const Status given = changed.back().give_back(one, owner);
        if (!given.ok()) return with_context("node " + node(one.node).name, given);
    }
    return changed;
}

inline void Cluster::store(const Placement& placement, std::vector<NodeUsage> changed) {
    for (std::size_t i = 0; i < changed.size(); ++i) {
        usage_[placement.nodes[i].node.value()] = std::move(changed[i]);
    }
}

inline Status Cluster::commit(Allocation allocation, const TraceSink& sink) {
    auto changed = after_commit(allocation);
    if (!changed.ok()) return refuse(sink, allocation.owner, changed.status());
    const auto at = allocations_.insert(detail::find_owner(allocations_, allocation.owner),
                                        std::move(allocation));
    store(at->placement, *std::move(changed));
    report(sink, TraceEvent::Kind::commit, at->owner, at->placement);
    return {};
}

inline StatusOr<Allocation> Cluster::release(OwnerId owner, const TraceSink& sink) {
    const Allocation* const found = find_allocation(owner);
    auto changed = after_release(owner, found == nullptr ? Placement() : found->placement);
    if (!changed.ok()) return refuse(sink, owner, changed.status());
    const auto at = detail::find_owner(allocations_, owner);
    Allocation allocation = std::move(*at);
    allocations_.erase(at);
    store(allocation.placement, *std::move(changed));
    report(sink, TraceEvent::Kind::release, owner, allocation.placement);
    return allocation;
}

namespace detail {

/// `whole` without `part`, which it holds.
[[nodiscard]] inline NodePlacement subtract(NodePlacement whole, const NodePlacement& part) {
    Holding held;
    add(held, whole);
    remove(held, part);
    whole.cores = held.cores_in(whole.row);
    whole.memory = std::move(held.memory);
    whole.devices = std::move(held.devices);
    return whole;
}

}  // namespace detail

inline Status Cluster::release_part(OwnerId owner, const Placement& part, const TraceSink& sink) {
    auto changed = after_release(owner, part);
    if (!changed.ok()) return refuse(sink, owner, changed.status());
    store(part, *std::move(changed));
    const auto at = detail::find_owner(allocations_, owner);
    std::vector<NodePlacement>& left = at->placement.nodes;
    for (const NodePlacement& one : part.nodes) {
        for (NodePlacement& whole : left) {
            if (whole.node == one.node) whole = detail::subtract(std::move(whole), one);
        }
    }
    std::erase_if(left, [](const NodePlacement& one) {
        return one.cores.is_empty() && one.memory.empty() && one.devices.empty();
    });
    if (left.empty()) allocations_.erase(at);
    report(sink, TraceEvent::Kind::release, owner, part);
    return {};
}

inline void Cluster::report(const TraceSink& sink, TraceEvent::Kind kind, OwnerId owner,
                            const Placement& placement) const {
    if (!sink) return;
    for (const NodePlacement& part : placement.nodes) {
        sink({kind, owner, node(part.node).name, units_to_text(part, node(part.node))});
    }
}

inline Status Cluster::refuse(const TraceSink& sink, OwnerId owner, Status why) {
    if (sink) sink({TraceEvent::Kind::refusal, owner, "", std::string(message(why))});
    return why;
}

}  // namespace trestle
