// SPDX-License-Identifier: Apache-2.0
#pragma once

// Placement: the cores, bytes and devices that a request gets. Allocation: a placement and its
// owner.
//
// Layer: model. Main types: NodePlacement, Placement, Allocation. A placement is a proposal and
// changes nothing until it is committed to a cluster.
// Pitfall: a share equal to the device's `shares` takes the device whole. A node that serves
// several components of a job stands once for each of them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/boxed_optional.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/small_vector.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/cluster_count.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/request.hpp"
#include "trestle/model/tres.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// Bytes taken from one memory domain of a node.
struct MemoryShare {
    DomainId domain;
    Bytes bytes;

    static constexpr auto fields(auto list) {
        return list(field("domain", &MemoryShare::domain), field("bytes", &MemoryShare::bytes));
    }
    friend bool operator==(const MemoryShare&, const MemoryShare&) = default;
    friend auto operator<=>(const MemoryShare&, const MemoryShare&) = default;
};

/// Shares taken of one device, or one instance that it is cut into.
struct DeviceShare {
    DeviceId device;
    Count shares{1};                           ///< 1 for an instance
    BoxedOptional<Slicing::Instance> slice{};  ///< absent: shares of the uncut device

    static constexpr auto fields(auto list) {
        return list(field("device", &DeviceShare::device), field("shares", &DeviceShare::shares),
                    field("slice", &DeviceShare::slice));
    }
    friend bool operator==(const DeviceShare&, const DeviceShare&) = default;
    friend auto operator<=>(const DeviceShare&, const DeviceShare&) = default;
};

/// What one node gives. Memory and devices are sorted by id, each at most once, none of amount 0.
/// Instances of a sliced device are entries of their own, by where they start.
struct NodePlacement {
    NodeId node;
    Count tasks{1};
    CoreSet cores;
    /// Hardware threads used of each core, the first ones; 0: all.
    Count threads_per_core;
    /// Absent: the cores have no other owner. Else they are taken in this row only, and owners in
    /// other rows may have them too (OverSubscribe).
    std::optional<std::uint32_t> row;
    /// For all tasks together, of the threads of cores without an owner; not of `cores`.
    MilliCpu milli_cpus;
    SmallVector<MemoryShare> memory;
    SmallVector<DeviceShare> devices;
    /// The group of the job that has this: 0 the request's own, i that of components[i - 1].
    std::uint32_t component = 0;

    [[nodiscard]] Bytes total_memory() const;
    [[nodiscard]] DeviceSet device_set() const;

    static constexpr auto fields(auto list) {
        return list(
            field("node", &NodePlacement::node), field("tasks", &NodePlacement::tasks),
            field("cores", &NodePlacement::cores),
            field("threads_per_core", &NodePlacement::threads_per_core),
            field("row", &NodePlacement::row), field("milli_cpus", &NodePlacement::milli_cpus),
            field("memory", &NodePlacement::memory), field("devices", &NodePlacement::devices),
            field("component", &NodePlacement::component));
    }
    friend bool operator==(const NodePlacement&, const NodePlacement&) = default;
};

/// What all nodes give, and the cluster as a whole. Parts are in the order of their nodes' ids,
/// each node once. A node that serves several components (Request::component_nodes) has a part for
/// each, in their order. They take different cores, of one row. Together they take not more of
/// memory and of each device than the node has.
struct Placement {
    std::vector<NodePlacement> nodes;
    std::vector<ClusterCount> cluster_counts{};

    static constexpr auto fields(auto list) {
        return list(field("nodes", &Placement::nodes),
                    field("cluster_counts", &Placement::cluster_counts));
    }
    friend bool operator==(const Placement&, const Placement&) = default;
};

/// What one component has of the nodes: its parts, and nothing of cluster_counts. With the request
/// of that component, it is what layout_tasks(), bind_cpus(), bind_devices() and JobState::create()
/// take.
[[nodiscard]] Placement component_placement(const Placement& placement, std::uint32_t component);

/// `node 3: tasks=2 cores=0-7 milli_cpus=500 memory=0:16GiB devices=0,1(3),2[1g.10gb@4]`: domains
/// and devices by id, shares when they are not 1, instances by profile and start. What has its
/// default is left out.
[[nodiscard]] std::string to_text(const NodePlacement& placement);
/// `n1 cores=0-7 milli_cpus=500 memory=0:16GiB devices=gpu:0,gpu:1(1/4),gpu:2[1g.10gb@4]`: the
/// node's name and what is given of it, with the names of its devices. For people; it is not read
/// back. Requires: check(*node.shape, placement).
[[nodiscard]] std::string to_text(const NodePlacement& placement, const Node& node);

/// The nodes in one line, separated by `; `, and behind them what the cluster gives as a whole:
/// `cluster: abaqus@flex1:2,power:300`.
[[nodiscard]] std::string to_text(const Placement& placement);

/// A placement with its owner.
struct Allocation {
    OwnerId owner;
    Shared<Request> request;  ///< what was asked
    Placement placement;      ///< what was granted

    static constexpr auto fields(auto list) {
        return list(field("owner", &Allocation::owner), field("request", &Allocation::request),
                    field("placement", &Allocation::placement));
    }
    friend bool operator==(const Allocation&, const Allocation&) = default;
};

/// Ok when the sums that the placement takes fit into 63 bits, of each node and of all nodes. Sums
/// are those of tasks, thousandths of CPUs, bytes of memory and shares of devices.
/// Errors: InvalidArgument that names node and amount. Complexity: linear in the placement.
[[nodiscard]] Status check(const NodePlacement& placement);
[[nodiscard]] Status check(const Placement& placement);

/// Ok when check(placement) is and a node of this shape has what the placement takes, free or not.
/// Errors: InvalidArgument that names the first core, memory domain, device or instance that the
/// node lacks. The same for a device with no share or more than it has. The same for more
/// thousandths of CPUs than the node has. Complexity: linear in the placement.
[[nodiscard]] Status check(const NodeShape& shape, const NodePlacement& placement);

// The functions below require check(shape, placement).

/// The hardware threads that a node placement uses, as the kernel numbers them.
[[nodiscard]] PuSet threads_of(const NodeShape& shape, const NodePlacement& placement);

/// The TRES of a node placement: cpu (all threads of its cores), cpu_milli (thousandths of CPUs
/// beside them, if any) and mem (bytes). A device counts as `gres/<name>` and, if it has a type, as
/// `gres/<name>:<type>`, whether or not the type was requested. A device that is taken in part
/// counts by its shares under `gres/<name>_share`, not as a device. An instance counts under
/// `gres/<name>_slice` and `gres/<name>_slice:<profile>`. Devices that are not consumed are not
/// counted.
[[nodiscard]] TresCounts tres_of(const NodeShape& shape, const NodePlacement& placement);

/// True when new work may get all devices of the placement: none has failed or is drained. What of
/// the blocks that a node is split into can be had.
[[nodiscard]] bool is_usable(const NodeShape& shape, const NodePlacement& placement);

/// What an idle node of this shape has to give, counted as tres_of does. It is without what is kept
/// for the system, and without devices that failed or are drained. Its CPUs stand under cpu alone,
/// though they can be had in thousandths too.
[[nodiscard]] TresCounts capacity_of(const NodeShape& shape);

}  // namespace trestle
