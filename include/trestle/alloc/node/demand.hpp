// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeDemand: what one node must give for its part of a request.
//
// Layer: alloc. Main types: NodePart (how many of the job's tasks, devices and nodes fall on this
// one), NodeDemand. demand_of turns a Request into plain numbers once. The search and its test
// oracle have the same input.
// Pitfall: `count` of a device demand is still a range; fit() chooses the number.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/hardware.hpp"
#include "trestle/model/locality.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// Which part of a job a node takes. In an even split that is the `index`-th of `nodes`; what is
/// left over goes to the first nodes, one each. Otherwise it is what an uneven split gives the
/// node.
struct NodePart {
    std::int64_t index = 0;
    std::int64_t nodes = 1;
    std::optional<Count> tasks = {};  ///< on this node; absent: of an even split
    /// How many on this node of each demand for devices counted per job, in their order. Empty: of
    /// an even split, which splits both ends of a range.
    std::vector<Count> devices = {};

    static constexpr auto fields(auto list) {
        return list(field("index", &NodePart::index), field("nodes", &NodePart::nodes),
                    field("tasks", &NodePart::tasks), field("devices", &NodePart::devices));
    }
    friend bool operator==(const NodePart&, const NodePart&) = default;
};

/// Counts that are 0 say nothing, but for tasks, cpus_per_task, milli_cpus and memory.
struct NodeDemand {
    /// A number of devices with the properties of `request`.
    struct Device {
        DeviceRequest request;
        Range<Count> count;  ///< on this node
        /// Counted per socket: on exactly so many packages lie devices, on each of them as many as
        /// the request says. 0: wherever they lie.
        Count sockets{};

        static constexpr auto fields(auto list) {
            return list(field("request", &Device::request), field("count", &Device::count),
                        field("sockets", &Device::sockets));
        }
        friend bool operator==(const Device&, const Device&) = default;
    };

    Count tasks{1};
    Count cpus_per_task{1};
    MilliCpu milli_cpus;  ///< for each task, of CPUs of cores without an owner
    Count threads_per_core;
    std::optional<Core::Kind> core_kind;
    std::optional<Core::Kind> preferred_core_kind;
    Count tasks_per_core;
    Count tasks_per_socket;
    Count sockets_per_node;
    Count cores_per_socket;
    Strictness core_locality = Strictness::prefer;
    HardwareLevel core_level = HardwareLevel::numa;
    Distribution distribution = Distribution::block;  ///< over the groups of distribution_level
    HardwareLevel distribution_level = HardwareLevel::package;  ///< as in TaskDistribution::level
    Count plane_size{1};
    std::optional<HardwareLevel> task_level;  ///< each task's cores lie in one group of it
    Count system_cores;
    Bytes memory;  ///< counted per `memory_per`
    Per memory_per = Per::node;
    Strictness memory_locality = Strictness::prefer;
    std::optional<HardwareLevel> memory_level;
    std::vector<Device> devices;
    /// All of them; those without a name, or about none of `devices`, say nothing.
    std::vector<Request::CommonAttribute> common_attributes;
    Count cpus_per_device;  ///< for each device of the first demand's name
    Exclusivity exclusivity = Exclusivity::shared;

    /// Hardware threads for all tasks together; the largest Count where they are more.
    [[nodiscard]] Count cpus() const {
        return checked_mul(cpus_per_task, tasks.value()).value_or(Count::max());
    }

    /// Thousandths of CPUs for all tasks together; the largest MilliCpu where they are more.
    [[nodiscard]] MilliCpu all_milli_cpus() const {
        return checked_mul(milli_cpus, tasks.value()).value_or(MilliCpu::max());
    }

    static constexpr auto fields(auto list) {
        return list(
            field("tasks", &NodeDemand::tasks), field("cpus_per_task", &NodeDemand::cpus_per_task),
            field("milli_cpus", &NodeDemand::milli_cpus),
            field("threads_per_core", &NodeDemand::threads_per_core),
            field("core_kind", &NodeDemand::core_kind),
            field("preferred_core_kind", &NodeDemand::preferred_core_kind),
            field("tasks_per_core", &NodeDemand::tasks_per_core),
            field("tasks_per_socket", &NodeDemand::tasks_per_socket),
            field("sockets_per_node", &NodeDemand::sockets_per_node),
            field("cores_per_socket", &NodeDemand::cores_per_socket),
            field("core_locality", &NodeDemand::core_locality),
            field("core_level", &NodeDemand::core_level),
            field("distribution", &NodeDemand::distribution),
            field("distribution_level", &NodeDemand::distribution_level),
            field("plane_size", &NodeDemand::plane_size),
            field("task_level", &NodeDemand::task_level),
            field("system_cores", &NodeDemand::system_cores), field("memory", &NodeDemand::memory),
            field("memory_per", &NodeDemand::memory_per),
            field("memory_locality", &NodeDemand::memory_locality),
            field("memory_level", &NodeDemand::memory_level),
            field("devices", &NodeDemand::devices),
            field("common_attributes", &NodeDemand::common_attributes),
            field("cpus_per_device", &NodeDemand::cpus_per_device),
            field("exclusivity", &NodeDemand::exclusivity));
    }
    friend bool operator==(const NodeDemand&, const NodeDemand&) = default;
};

/// What a node with this number of packages gives as its part of `request`.
/// Requires: check(request) is ok; 0 <= part.index < part.nodes; part.devices is empty or has an
/// entry for each demand counted per job.
[[nodiscard]] NodeDemand demand_of(const Request& request, const NodePart& part,
                                   std::uint32_t sockets);

}  // namespace trestle
