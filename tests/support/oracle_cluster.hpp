// SPDX-License-Identifier: Apache-2.0
// A cluster as plainly as it can be written: what it is made of, a map of allocations, and nothing
// that could be out of date. Tells which code every operation has to answer, and finds what is
// wrong with a Cluster that should be the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "alloc/cluster/class_of.hpp"
#include "alloc/cluster/states/node_classes.hpp"
#include "alloc/cluster/states/node_states.hpp"
#include "model/cluster_counts.hpp"
#include "model/topologies.hpp"
#include "support/owner_model.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

class ClusterModel {
  public:
    ClusterModel() = default;
    explicit ClusterModel(ClusterParts parts) : parts_(std::move(parts)) {}

    [[nodiscard]] const ClusterParts& parts() const { return parts_; }
    [[nodiscard]] std::uint32_t node_count() const {
        return static_cast<std::uint32_t>(parts_.nodes.size());
    }
    [[nodiscard]] const Node& node(NodeId id) const { return parts_.nodes[id.value()]; }
    [[nodiscard]] const std::map<OwnerId, Allocation>& allocations() const { return allocations_; }
    [[nodiscard]] std::vector<NodeId> live_nodes() const {
        std::vector<NodeId> live;
        for (std::uint32_t i = 0; i < node_count(); ++i) {
            if (is_live(NodeId(i))) live.emplace_back(i);
        }
        return live;
    }

    // Each of these gives the code that the Cluster's function of that name has to give, and
    // changes something when it is kOk.
    StatusCode commit(const Allocation& allocation) {
        if (allocations_.count(allocation.owner) != 0) return StatusCode::kFailedPrecondition;
        const StatusCode code = take(allocation.placement, allocation.owner);
        if (code == StatusCode::kOk) allocations_[allocation.owner] = allocation;
        return code;
    }
    StatusCode extend(OwnerId owner, const Placement& more);
    StatusCode release(OwnerId owner) {
        return allocations_.erase(owner) == 1 ? StatusCode::kOk : StatusCode::kNotFound;
    }
    StatusCode release_part(OwnerId owner, const Placement& part);

    StatusCode add_node(const Node& node) {
        const bool is_known = std::any_of(parts_.nodes.begin(), parts_.nodes.end(),
                                          [&](const Node& one) { return one.name == node.name; });
        if (node.name.empty() || is_known || node.state == NodeState::removed) {
            return StatusCode::kInvalidArgument;
        }
        parts_.nodes.push_back(node);
        return StatusCode::kOk;
    }
    StatusCode remove_node(NodeId id);
    /// Changes a node that is there.
    template <class Change>
    void change(NodeId id, const Change& change) {
        change(parts_.nodes[id.value()]);
    }
    StatusCode set_partitions(const std::vector<Partition>& partitions) {
        std::set<std::string> names;
        for (const Partition& one : partitions) {
            if (!are_live(one.nodes) || !check(one).ok() || !names.insert(one.name).second) {
                return StatusCode::kInvalidArgument;
            }
        }
        parts_.partitions = partitions;
        return StatusCode::kOk;
    }
    StatusCode set_fleets(const std::vector<Fleet>& fleets) {
        std::set<NodeId> members;
        for (const Fleet& one : fleets) {
            if (!are_live(one.nodes) || one.blocks.is_zero()) return StatusCode::kInvalidArgument;
            for (const NodeId node : one.nodes) {
                if (!members.insert(node).second) return StatusCode::kInvalidArgument;
            }
        }
        parts_.fleets = fleets;
        return StatusCode::kOk;
    }
    StatusCode add_to_fleet(const std::string& name, NodeId node);
    StatusCode remove_from_fleet(const std::string& name, NodeId node);
    StatusCode set_network(const Network& network) {
        bool is_good = check(network).ok();
        for_each_topology(network, [&](TopologyId, const auto& one) {
            is_good = is_good && are_live(nodes_of(one));
        });
        if (!is_good) return StatusCode::kInvalidArgument;
        parts_.network = network;
        return StatusCode::kOk;
    }
    StatusCode set_counts(const std::vector<ClusterCount>& counts) {
        if (!check(counts).ok()) return StatusCode::kInvalidArgument;
        const std::vector<ClusterCount> before = parts_.counts;
        parts_.counts = counts;
        if (free_counts()) return StatusCode::kOk;
        parts_.counts = before;
        return StatusCode::kFailedPrecondition;
    }

    /// The first thing in which `cluster` differs from this; empty when nothing does.
    [[nodiscard]] std::string difference(const Cluster& cluster) const;

    friend bool operator==(const ClusterModel&, const ClusterModel&) = default;

  private:
    [[nodiscard]] bool is_live(NodeId id) const {
        return id.value() < node_count() && node(id).state != NodeState::removed;
    }
    [[nodiscard]] bool are_live(const NodeSet& nodes) const {
        return std::all_of(nodes.begin(), nodes.end(), [&](NodeId id) { return is_live(id); });
    }
    /// What nobody has; nothing when owners have more than there is.
    [[nodiscard]] std::optional<std::map<std::string, Count>> free_counts() const {
        std::map<std::string, std::int64_t> free;
        for (const ClusterCount& one : parts_.counts) free[one.name] += one.count.value();
        for (const auto& [owner, one] : allocations_) {
            for (const ClusterCount& c : one.placement.cluster_counts) {
                free[c.name] -= c.count.value();
            }
        }
        std::map<std::string, Count> result;
        for (const auto& [name, count] : free) {
            if (count < 0) return std::nullopt;
            if (count > 0) result[name] = Count(count);
        }
        return result;
    }
    [[nodiscard]] OwnerModel ledger(NodeId id) const {
        OwnerModel ledger(*node(id).shape);
        for (const auto& [owner, one] : allocations_) {
            for (const NodePlacement& part : one.placement.nodes) {
                if (part.node == id) static_cast<void>(ledger.take(part, owner));
            }
        }
        return ledger;
    }
    [[nodiscard]] StatusCode check_order(const Placement& placement) const {
        std::optional<NodeId> before;
        for (const NodePlacement& part : placement.nodes) {
            if (!is_live(part.node) || (before && !(*before < part.node))) {
                return StatusCode::kInvalidArgument;
            }
            before = part.node;
        }
        return StatusCode::kOk;
    }
    /// What becomes of a placement that `owner` is to have beside what it has.
    [[nodiscard]] StatusCode take(const Placement& placement, OwnerId owner) const {
        if (check_order(placement) != StatusCode::kOk) return StatusCode::kInvalidArgument;
        for (const NodePlacement& part : placement.nodes) {
            const StatusCode code = ledger(part.node).take(part, owner);
            if (code != StatusCode::kOk) return code;
        }
        if (!check(placement.cluster_counts).ok()) return StatusCode::kInvalidArgument;
        const auto free = free_counts();
        for (const ClusterCount& one : placement.cluster_counts) {
            const auto at = free->find(one.name);
            if (at == free->end() || at->second < one.count) {
                return StatusCode::kFailedPrecondition;
            }
        }
        return StatusCode::kOk;
    }
    /// As NodeStateData::kinds.
    [[nodiscard]] std::uint64_t kinds_on(NodeId id) const {
        std::uint64_t kinds = 0;
        for (const auto& [owner, one] : allocations_) {
            for (const NodePlacement& part : one.placement.nodes) {
                if (part.node != id || part.devices.empty()) continue;
                const bool are_whole =
                    std::all_of(part.devices.begin(), part.devices.end(), [&](const auto& share) {
                        const Device& device = node(id).shape->devices[share.device.value()];
                        return !share.slice && share.shares == device.shares;
                    });
                kinds |= std::uint64_t{1} << (are_whole ? part.devices.size() : 0);
            }
        }
        return kinds;
    }
    [[nodiscard]] NodeClass class_of(NodeId id) const {
        NodeClass one = trestle::class_of(node(id));
        for (std::uint32_t p = 0; p < parts_.partitions.size(); ++p) {
            if (parts_.partitions[p].nodes.contains(id)) one.partitions.push_back(p);
        }
        return one;
    }

    [[nodiscard]] std::string difference_of_node(const Cluster& cluster, NodeId id) const;
    [[nodiscard]] std::string difference_of_owners(const Cluster& cluster) const;
    [[nodiscard]] std::string difference_of_states(const Cluster& cluster) const;

    ClusterParts parts_;
    std::map<OwnerId, Allocation> allocations_;
};

namespace detail {

/// Amounts by unit: what can be added and taken away without a thought.
struct PlainPart {
    std::set<CoreId> cores;
    std::int64_t milli_cpus = 0;
    std::map<DomainId, std::int64_t> memory;
    std::map<std::tuple<DeviceId, std::uint32_t, std::uint32_t, std::string>, std::int64_t> devices;

    void add(const NodePlacement& part, std::int64_t sign) {
        for (const CoreId core : part.cores) {
            if (sign > 0) {
                cores.insert(core);
            } else {
                cores.erase(core);
            }
        }
        milli_cpus += sign * part.milli_cpus.value();
        for (const MemoryShare& share : part.memory) {
            memory[share.domain] += sign * share.bytes.value();
        }
        for (const DeviceShare& share : part.devices) {
            const Slicing::Instance slice = share.slice.value_or(Slicing::Instance{0, 0, ""});
            devices[{share.device, slice.start, slice.size, slice.profile}] +=
                sign * share.shares.value();
        }
    }
    void write(NodePlacement& part) const {
        part.cores = {};
        for (const CoreId core : cores) part.cores.insert(core);
        part.milli_cpus = MilliCpu(milli_cpus);
        part.memory.clear();
        for (const auto& [domain, bytes] : memory) {
            if (bytes != 0) part.memory.push_back({domain, Bytes(bytes)});
        }
        part.devices.clear();
        for (const auto& [unit, shares] : devices) {
            const auto& [device, start, size, profile] = unit;
            if (shares == 0) continue;
            part.devices.push_back({device, Count(shares)});
            if (size != 0) part.devices.back().slice = Slicing::Instance{start, size, profile};
        }
    }
};

/// `whole` with `part` added or taken away.
[[nodiscard]] inline NodePlacement plain_sum(NodePlacement whole, const NodePlacement& part,
                                             std::int64_t sign) {
    PlainPart plain;
    plain.add(whole, 1);
    plain.add(part, sign);
    plain.write(whole);
    return whole;
}

[[nodiscard]] inline std::vector<ClusterCount> plain_sum(const std::vector<ClusterCount>& whole,
                                                         const std::vector<ClusterCount>& part,
                                                         std::int64_t sign) {
    std::map<std::string, std::int64_t> counts;
    for (const ClusterCount& one : whole) counts[one.name] += one.count.value();
    for (const ClusterCount& one : part) counts[one.name] += sign * one.count.value();
    std::vector<ClusterCount> sum;
    for (const auto& [name, count] : counts) {
        if (count != 0) sum.push_back({name, Count(count)});
    }
    return sum;
}

}  // namespace detail

inline StatusCode ClusterModel::extend(OwnerId owner, const Placement& more) {
    const auto found = allocations_.find(owner);
    if (found == allocations_.end()) return StatusCode::kNotFound;
    const StatusCode code = take(more, owner);
    if (code != StatusCode::kOk) return code;
    std::map<NodeId, NodePlacement> grown;
    for (const NodePlacement& part : found->second.placement.nodes) grown[part.node] = part;
    for (const NodePlacement& part : more.nodes) {
        const auto [at, is_new] = grown.insert({part.node, part});
        if (is_new) continue;
        if (at->second.row != part.row) return StatusCode::kFailedPrecondition;
        const Count tasks = at->second.tasks + part.tasks;
        at->second = detail::plain_sum(at->second, part, 1);
        at->second.tasks = tasks;
        for (const DeviceShare& share : at->second.devices) {
            const Device& device = node(part.node).shape->devices[share.device.value()];
            if (!share.slice && device.shares < share.shares) {
                return StatusCode::kFailedPrecondition;
            }
        }
    }
    Placement& placement = found->second.placement;
    placement.nodes.clear();
    for (auto& [node, part] : grown) placement.nodes.push_back(std::move(part));
    placement.cluster_counts = detail::plain_sum(placement.cluster_counts, more.cluster_counts, 1);
    return StatusCode::kOk;
}

inline StatusCode ClusterModel::release_part(OwnerId owner, const Placement& part) {
    const auto found = allocations_.find(owner);
    if (found == allocations_.end()) return StatusCode::kNotFound;
    if (check_order(part) != StatusCode::kOk) return StatusCode::kInvalidArgument;
    for (const NodePlacement& one : part.nodes) {
        const StatusCode code = ledger(one.node).give_back(one, owner);
        if (code != StatusCode::kOk) return code;
    }
    Placement left = found->second.placement;
    if (!check(part.cluster_counts).ok()) return StatusCode::kInvalidArgument;
    if (!contains(left.cluster_counts, part.cluster_counts)) return StatusCode::kFailedPrecondition;
    left.cluster_counts = detail::plain_sum(left.cluster_counts, part.cluster_counts, -1);
    for (const NodePlacement& gone : part.nodes) {
        for (NodePlacement& one : left.nodes) {
            if (one.node == gone.node) one = detail::plain_sum(one, gone, -1);
        }
        std::erase_if(left.nodes, [&](const NodePlacement& one) {
            return one.node == gone.node && one.cores.is_empty() && one.milli_cpus.is_zero() &&
                   one.memory.empty() && one.devices.empty();
        });
    }
    if (left == Placement()) {
        allocations_.erase(found);
    } else {
        found->second.placement = left;
    }
    return StatusCode::kOk;
}

inline StatusCode ClusterModel::remove_node(NodeId id) {
    if (!is_live(id)) return StatusCode::kNotFound;
    for (const auto& [owner, one] : allocations_) {
        for (const NodePlacement& part : one.placement.nodes) {
            if (part.node == id) return StatusCode::kFailedPrecondition;
        }
    }
    parts_.nodes[id.value()].name.clear();
    parts_.nodes[id.value()].state = NodeState::removed;
    for (Partition& one : parts_.partitions) one.nodes.erase(id);
    for (Fleet& one : parts_.fleets) one.nodes.erase(id);
    for (TreeTopology& tree : parts_.network.trees) {
        for (TreeTopology::Switch& one : tree.switches) one.nodes.erase(id);
    }
    for (BlockTopology& blocks : parts_.network.blocks) {
        for (BlockTopology::Block& one : blocks.blocks) one.nodes.erase(id);
    }
    for (TorusTopology& toruses : parts_.network.toruses) {
        for (TorusTopology::Torus& one : toruses.toruses) {
            for (auto& node : one.nodes) {
                if (node == id) node.reset();
            }
        }
    }
    for (RingTopology& rings : parts_.network.rings) {
        for (RingTopology::Ring& one : rings.rings) std::erase(one.nodes, id);
    }
    return StatusCode::kOk;
}

inline StatusCode ClusterModel::add_to_fleet(const std::string& name, NodeId node) {
    if (!is_live(node)) return StatusCode::kNotFound;
    Fleet* wanted = nullptr;
    for (Fleet& one : parts_.fleets) {
        if (one.name == name && !wanted) wanted = &one;
    }
    if (!wanted) return StatusCode::kNotFound;
    for (Fleet& one : parts_.fleets) {
        if (!one.nodes.contains(node)) continue;
        return &one == wanted ? StatusCode::kOk : StatusCode::kFailedPrecondition;
    }
    if (wanted->size.max && Count(wanted->nodes.count()) >= *wanted->size.max) {
        return StatusCode::kFailedPrecondition;
    }
    wanted->nodes.insert(node);
    return StatusCode::kOk;
}

inline StatusCode ClusterModel::remove_from_fleet(const std::string& name, NodeId node) {
    for (Fleet& one : parts_.fleets) {
        if (one.name != name) continue;
        if (!one.nodes.contains(node)) return StatusCode::kNotFound;
        one.nodes.erase(node);
        return StatusCode::kOk;
    }
    return StatusCode::kNotFound;
}

inline std::string ClusterModel::difference_of_node(const Cluster& cluster, NodeId id) const {
    const std::string where = "node " + std::to_string(id.value()) + ": ";
    if (cluster.node(id) != node(id)) return where + "node()";
    if (!(cluster.class_of(id) == class_of(id))) return where + "class_of()";
    const bool is_found = cluster.find_node(node(id).name) == id;
    if (is_found != is_live(id)) return where + "find_node()";
    std::vector<OwnerId> owners;
    std::uint64_t owner_limit = 0;
    for (const auto& [owner, one] : allocations_) {
        owner_limit = owner.value() + 1;
        for (const NodePlacement& part : one.placement.nodes) {
            if (part.node == id) owners.push_back(owner);
        }
    }
    if (cluster.owners_on(id) != owners) return where + "owners_on()";
    const NodeLedger seen = cluster.ledger(id);
    if (!ledger(id).equals(seen, owner_limit)) return where + "ledger()";
    if (cluster.free(id) != seen.free()) return where + "free()";
    if (cluster.state(id).kinds != kinds_on(id)) return where + "kinds";
    // What is free and what is held make up what there is, whatever the row.
    CoreSet cores = seen.free_cores();
    for (const Holding& one : seen.holdings()) cores |= one.all_cores();
    if (cores != node(id).shape->allocatable_cores()) return where + "a core is lost";
    for (std::uint32_t d = 0; d < node(id).shape->memory.size(); ++d) {
        Bytes bytes = seen.free_memory(DomainId(d));
        for (const Holding& one : seen.holdings()) bytes += one.bytes_of(DomainId(d));
        if (bytes != node(id).shape->memory[d].allocatable()) return where + "a byte is lost";
    }
    return "";
}

inline std::string ClusterModel::difference_of_owners(const Cluster& cluster) const {
    std::vector<Allocation> all;
    for (const auto& [owner, one] : allocations_) {
        all.push_back(one);
        const Allocation* const found = cluster.find_allocation(owner);
        if (!found || *found != one) return fmt::format("find_allocation({})", owner.value());
    }
    if (cluster.allocations() != all) return "allocations()";
    if (cluster.allocation_count() != all.size()) return "allocation_count()";
    const auto free = free_counts();
    if (!free || cluster.free_counts().size() != free->size()) return "free_counts()";
    for (const ClusterCount& one : cluster.free_counts()) {
        const auto at = free->find(one.name);
        if (at == free->end() || at->second != one.count) return "free_counts()";
    }
    return "";
}

/// Which nodes are in a state that looks like this.
inline std::string ClusterModel::difference_of_states(const Cluster& cluster) const {
    const NodeStates& states = cluster.states();
    std::uint32_t seen = 0;
    for (std::uint32_t s = 0; s < states.limit(); ++s) {
        const StateId state(s);
        const std::string where = "state " + std::to_string(s) + ": ";
        if (states.nodes_in(state) == 0) {
            if (states.next(state, NodeId(0))) return where + "it has a node and counts none";
            continue;
        }
        ++seen;
        std::vector<NodeId> members;
        const NodeStateData& data = *states[state];
        for (std::uint32_t i = 0; i < node_count(); ++i) {
            const NodeStateData& other = cluster.state(NodeId(i));
            const bool is_same =
                cluster.classes()[other.node_class] == cluster.classes()[data.node_class] &&
                other.kinds == data.kinds && other.free == data.free;
            if (is_same != (states.of(NodeId(i)) == state)) return where + "two that are equal";
            if (is_same) members.emplace_back(i);
        }
        if (states.nodes_in(state) != members.size()) return where + "nodes_in()";
        std::uint32_t from = 0;
        for (const NodeId member : members) {
            if (states.next(state, NodeId(from)) != member) return where + "next()";
            from = member.value() + 1;
        }
        if (states.next(state, NodeId(from))) return where + "next() behind the last";
    }
    return states.count() == seen ? "" : "count of states";
}

inline std::string ClusterModel::difference(const Cluster& cluster) const {
    if (cluster.node_count() != node_count()) return "node_count()";
    if (cluster.parts() != parts_) return "parts()";
    for (std::uint32_t i = 0; i < node_count(); ++i) {
        std::string found = difference_of_node(cluster, NodeId(i));
        if (!found.empty()) return found;
    }
    std::string found = difference_of_owners(cluster);
    if (found.empty()) found = difference_of_states(cluster);
    return found;
}

}  // namespace trestle
