// SPDX-License-Identifier: Apache-2.0
#pragma once

// What of a cluster is taken, and which of the rest no job can use.
//
// Layer: tool. Main types: DeviceUse, NodeUse, PartitionUse; partition_uses counts them.
// A device is stranded if it is free when jobs of one device and one core each have taken what they
// can: the cores are gone, the memory is gone, or the node takes no work.
// Pitfall: a node of several partitions counts in each of them. A device that is taken in part
// counts as taken.

#include <cstdint>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/model/node.hpp"

namespace trestle::tool {

/// Devices of one name and vendor.
struct DeviceUse {
    std::string name;
    std::string vendor;
    std::int64_t count = 0;
    std::int64_t taken = 0;
    std::int64_t cores_gone = 0;   ///< stranded, because no core is left for them
    std::int64_t memory_gone = 0;  ///< stranded, because no memory is left for them
    std::int64_t node_gone = 0;    ///< stranded, because the node is drained, down or failing

    [[nodiscard]] std::int64_t free() const { return count - taken; }
    [[nodiscard]] std::int64_t stranded() const { return cores_gone + memory_gone + node_gone; }
    static constexpr auto fields(auto list) {
        return list(field("name", &DeviceUse::name), field("vendor", &DeviceUse::vendor),
                    field("count", &DeviceUse::count), field("taken", &DeviceUse::taken),
                    field("cores_gone", &DeviceUse::cores_gone),
                    field("memory_gone", &DeviceUse::memory_gone),
                    field("node_gone", &DeviceUse::node_gone));
    }
    friend bool operator==(const DeviceUse&, const DeviceUse&) = default;
};

/// One node.
struct NodeUse {
    std::string name;
    NodeState state = NodeState::up;
    bool takes_work = true;
    std::int64_t cores = 0;  ///< without those of the system
    std::int64_t cores_taken = 0;
    Bytes memory, memory_taken;
    std::vector<DeviceUse> devices;  ///< by name and vendor

    static constexpr auto fields(auto list) {
        return list(field("name", &NodeUse::name), field("state", &NodeUse::state),
                    field("takes_work", &NodeUse::takes_work), field("cores", &NodeUse::cores),
                    field("cores_taken", &NodeUse::cores_taken), field("memory", &NodeUse::memory),
                    field("memory_taken", &NodeUse::memory_taken),
                    field("devices", &NodeUse::devices));
    }
    friend bool operator==(const NodeUse&, const NodeUse&) = default;
};

/// The free devices of one name and vendor in a partition, by where they lie.
struct FreeDevices {
    std::string name;
    std::string vendor;
    std::int64_t usable = 0;          ///< free and not stranded
    std::int64_t on_idle_nodes = 0;   ///< of them those on nodes without a job
    std::int64_t most_on_a_node = 0;  ///< of them, on the node that has the most
    /// Percent of the free ones, stranded ones too, that are not on idle nodes that take work; 0 if
    /// none is free.
    std::int64_t fragmentation = 0;

    static constexpr auto fields(auto list) {
        return list(field("name", &FreeDevices::name), field("vendor", &FreeDevices::vendor),
                    field("usable", &FreeDevices::usable),
                    field("on_idle_nodes", &FreeDevices::on_idle_nodes),
                    field("most_on_a_node", &FreeDevices::most_on_a_node),
                    field("fragmentation", &FreeDevices::fragmentation));
    }
    friend bool operator==(const FreeDevices&, const FreeDevices&) = default;
};

/// The nodes of one partition.
struct PartitionUse {
    std::string name;            ///< empty: of nodes that are in no partition
    std::vector<NodeUse> nodes;  ///< in the order of the cluster
    std::int64_t idle = 0;       ///< nodes that take work and have no job
    std::int64_t out = 0;        ///< nodes that take no work
    NodeUse sum;                 ///< without name and state
    std::vector<FreeDevices> free_devices;

    static constexpr auto fields(auto list) {
        return list(field("name", &PartitionUse::name), field("nodes", &PartitionUse::nodes),
                    field("idle", &PartitionUse::idle), field("out", &PartitionUse::out),
                    field("sum", &PartitionUse::sum),
                    field("free_devices", &PartitionUse::free_devices));
    }
    friend bool operator==(const PartitionUse&, const PartitionUse&) = default;
};

/// In the order of slurm.conf, then the nodes without a partition, if there are any. The memory of
/// a job of one device is DefMemPerGPU or DefMemPerCPU of the partition, or else, and without
/// rules, 1 MiB. Complexity: linear in the nodes of each partition.
[[nodiscard]] std::vector<PartitionUse> partition_uses(const Cluster& cluster,
                                                       const slurm::SelectRules* rules = nullptr);

}  // namespace trestle::tool
