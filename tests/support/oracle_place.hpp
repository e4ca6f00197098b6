// SPDX-License-Identifier: Apache-2.0
// place() without thinking: every set of nodes of an allowed size and shape, every order of the
// parts on it. Says whether there is a placement, and whether a given one is right. Nodes answer
// for themselves by fit(), which has an oracle of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/device_match.hpp"
#include "trestle/alloc/fit/demand.hpp"
#include "trestle/alloc/fit/fit.hpp"
#include "trestle/alloc/place.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

class PlaceOracle {
  public:
    PlaceOracle(const Cluster& cluster, const Request& request)
        : cluster_(cluster), request_(request) {}

    /// True when some set of nodes meets the request.
    [[nodiscard]] bool has_placement() const {
        for (std::uint32_t mask = 1; mask >> cluster_.node_count() == 0; ++mask) {
            std::vector<NodeId> nodes;
            for (std::uint32_t i = 0; i < cluster_.node_count(); ++i) {
                if ((mask >> i & 1) != 0) nodes.emplace_back(i);
            }
            if (are_allowed(nodes) && has_order(nodes)) return true;
        }
        return false;
    }

    /// What is wrong with a placement; empty when nothing is.
    [[nodiscard]] std::string wrong_with(const Placement& placement) const {
        std::vector<NodeId> nodes;
        for (const NodePlacement& part : placement.nodes) {
            if (!nodes.empty() && part.node <= nodes.back()) return "nodes are not in order";
            nodes.push_back(part.node);
        }
        if (!are_allowed(nodes)) return "these nodes are not allowed";
        Cluster after = cluster_;
        const Status status = after.commit({OwnerId(1'000), request_, placement});
        if (!status.ok()) return std::string(message(status));
        std::vector<std::size_t> order(nodes.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        do {  // parts may be on any of the nodes
            bool is_right = true;
            for (std::size_t part = 0; part < order.size(); ++part) {
                is_right &= gives(placement.nodes[order[part]], part_of(part, order.size()));
            }
            if (is_right) return "";
        } while (std::next_permutation(order.begin(), order.end()));
        return "a node gives too little or too much";
    }

  private:
    static NodePart part_of(std::size_t index, std::size_t nodes) {
        return {static_cast<std::int64_t>(index), static_cast<std::int64_t>(nodes)};
    }

    [[nodiscard]] std::uint32_t sockets(const Node& node) const {
        const auto& groups = node.shape->hardware.groups;
        const auto packages = std::count_if(groups.begin(), groups.end(), [](const CoreGroup& g) {
            return g.level == HardwareLevel::package;
        });
        return packages == 0 ? 1u : static_cast<std::uint32_t>(packages);
    }

    [[nodiscard]] bool may_use(NodeId id) const {
        const Node& node = cluster_.node(id);
        const auto has = [](const auto& list, const auto& x) {
            return std::count(list.begin(), list.end(), x) > 0;
        };
        if (node.state != NodeState::up || node.health == Health::failure) return false;
        if (has(request_.excluded_nodes, node.name)) return false;
        if (request_.architecture.value_or(node.shape->architecture) != node.shape->architecture) {
            return false;
        }
        if (!matches(request_.features, node.features)) return false;
        if (node.shape->disk < request_.disk.least()) return false;
        if (request_.partition.empty()) return true;
        for (const Partition& partition : cluster_.parts().partitions) {
            if (partition.name != request_.partition) continue;
            return partition.state == PartitionState::up && partition.nodes.contains(id);
        }
        return false;
    }

    /// How many, which, and how they lie in the network.
    [[nodiscard]] bool are_allowed(const std::vector<NodeId>& nodes) const {
        const Count count(static_cast<std::int64_t>(nodes.size()));
        const auto required = request_.required_nodes.size();
        if (nodes.empty()) return false;
        if (count < request_.nodes.least()) return false;
        if (request_.nodes.max && count > *request_.nodes.max) return false;
        // A task more or less: nodes beyond the tasks are taken only when they are asked for.
        const Count least = std::max(request_.nodes.least(), Count(static_cast<int>(required)));
        if (request_.tasks && count > std::max({*request_.tasks, least, Count(1)})) return false;
        for (const NodeId id : nodes) {
            if (!may_use(id)) return false;
        }
        for (const std::string& name : request_.required_nodes) {
            const auto is_it = [&](NodeId id) { return cluster_.node(id).name == name; };
            if (std::none_of(nodes.begin(), nodes.end(), is_it)) return false;
        }
        if (request_.topology.is_contiguous &&
            nodes.back().value() - nodes.front().value() + 1 != nodes.size()) {
            return false;
        }
        if (!request_.topology.switches_max) return true;
        const std::vector<TreeTopology>& trees = cluster_.parts().network.trees;
        if (trees.empty()) return false;
        std::int64_t switches = 0;
        std::size_t connected = 0;
        for (const Switch& one : trees.front().switches) {
            const auto here = std::count_if(nodes.begin(), nodes.end(),
                                            [&](NodeId id) { return one.nodes.contains(id); });
            switches += here > 0 ? 1 : 0;
            connected += static_cast<std::size_t>(here);
        }
        return connected == nodes.size() && switches <= request_.topology.switches_max->value();
    }

    [[nodiscard]] bool has_order(std::vector<NodeId> nodes) const {
        do {
            bool fits_all = true;
            for (std::size_t i = 0; i < nodes.size() && fits_all; ++i) {
                const Node& node = cluster_.node(nodes[i]);
                const NodeDemand demand =
                    demand_of(request_, part_of(i, nodes.size()), sockets(node));
                fits_all = fit(*node.shape, cluster_.usage(nodes[i]), demand).has_value();
            }
            if (fits_all) return true;
        } while (std::next_permutation(nodes.begin(), nodes.end()));
        return false;
    }

    /// True when `given` is what the part asks for, looked at from outside.
    [[nodiscard]] bool gives(const NodePlacement& given, const NodePart& part) const {
        const Node& node = cluster_.node(given.node);
        const NodeDemand demand = demand_of(request_, part, sockets(node));
        const Count threads(threads_of(*node.shape, given).count());
        Bytes memory = demand.memory;
        if (demand.memory_per == Per::cpu) {
            memory = memory * (cpus_per_core(*node.shape) * given.cores.count());
        }
        if (demand.memory_per == Per::device) {
            memory = memory * static_cast<std::int64_t>(given.devices.size());
        }
        if (given.tasks != demand.tasks || threads < demand.cpus()) return false;
        if (given.total_memory() != memory) return false;
        if (demand.exclusivity == Exclusivity::whole_node &&
            (!cluster_.usage(given.node).is_idle() ||
             given.cores != node.shape->hardware.all_cores())) {
            return false;
        }
        return gives_devices(given, demand, *node.shape);
    }

    /// With one demand for devices at most, as the generators make them.
    [[nodiscard]] static bool gives_devices(const NodePlacement& given, const NodeDemand& demand,
                                            const NodeShape& shape) {
        if (demand.devices.empty()) return given.devices.empty();
        const DeviceDemand& wanted = demand.devices.front();
        const Count count(static_cast<std::int64_t>(given.devices.size()));
        if (demand.devices.size() > 1 || !wanted.count.contains(count)) return false;
        for (const DeviceShare& share : given.devices) {
            const Device& device = shape.devices[share.device.value()];
            const CoreSet& near = device.cores;
            const bool must_be_near =
                wanted.request.locality == Locality::require && !near.is_empty();
            const Count shares =
                wanted.request.shares.is_zero() ? device.shares : wanted.request.shares;
            if (!is_usable(device) || mismatch(device, wanted.request)) return false;
            if (share.shares != shares) return false;
            if (must_be_near && !near.contains_all(given.cores)) return false;
        }
        return true;
    }

    const Cluster& cluster_;
    const Request& request_;
};

}  // namespace trestle
