// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeDemand: what one node must give for its part of a request.
//
// Layer: alloc. Main types: NodePart (how many of the job's tasks, devices and nodes fall on this
// one), NodeDemand. demand_of turns a Request into plain numbers once, so that the search and its
// oracle start from the same page.
// A reader would get wrong: `count` of a device demand is still a range; the search settles it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/locality.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// CPUs that one core counts for: the fewest threads of any core that is given to work; 1 on a node
/// without such cores.
[[nodiscard]] std::int64_t cpus_per_core(const NodeShape& shape);

/// Hardware threads that each task gets at the least: one, but where thousandths of CPUs alone are
/// asked.
[[nodiscard]] Count cpus_of_task(const Request& request);

/// Which part of a job a node takes: the `index`-th of `nodes`. Tasks and counts per job are split
/// evenly; what is left over goes to the first nodes, one each.
struct NodePart {
    std::int64_t index = 0;
    std::int64_t nodes = 1;

    static constexpr auto fields(auto list) {
        return list(field("index", &NodePart::index), field("nodes", &NodePart::nodes));
    }
    friend bool operator==(const NodePart&, const NodePart&) = default;
};

/// A number of devices with the properties of `request`.
struct DeviceDemand {
    DeviceRequest request;
    Range<Count> count;  ///< on this node
    /// Counted per socket: on exactly so many packages lie devices, on each of them as many as the
    /// request says. 0: wherever they lie.
    Count sockets{};

    static constexpr auto fields(auto list) {
        return list(field("request", &DeviceDemand::request), field("count", &DeviceDemand::count),
                    field("sockets", &DeviceDemand::sockets));
    }
    friend bool operator==(const DeviceDemand&, const DeviceDemand&) = default;
};

/// Counts that are 0 say nothing, but for tasks, cpus_per_task, milli_cpus and memory.
struct NodeDemand {
    Count tasks{1};
    Count cpus_per_task{1};
    MilliCpu milli_cpus;  ///< for each task, of CPUs of cores that nobody has
    Count threads_per_core;
    Count tasks_per_core;
    Count tasks_per_socket;
    Count sockets_per_node;
    Count cores_per_socket;
    Locality core_locality = Locality::prefer;
    HardwareLevel core_level = HardwareLevel::numa;
    Distribution distribution = Distribution::block;  ///< over the packages
    Count plane_size{1};
    Count system_cores;
    Bytes memory;  ///< counted per `memory_per`
    Per memory_per = Per::node;
    Locality memory_locality = Locality::prefer;
    std::optional<HardwareLevel> memory_level;
    std::vector<DeviceDemand> devices;
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
            field("tasks_per_core", &NodeDemand::tasks_per_core),
            field("tasks_per_socket", &NodeDemand::tasks_per_socket),
            field("sockets_per_node", &NodeDemand::sockets_per_node),
            field("cores_per_socket", &NodeDemand::cores_per_socket),
            field("core_locality", &NodeDemand::core_locality),
            field("core_level", &NodeDemand::core_level),
            field("distribution", &NodeDemand::distribution),
            field("plane_size", &NodeDemand::plane_size),
            field("system_cores", &NodeDemand::system_cores), field("memory", &NodeDemand::memory),
            field("memory_per", &NodeDemand::memory_per),
            field("memory_locality", &NodeDemand::memory_locality),
            field("memory_level", &NodeDemand::memory_level),
            field("devices", &NodeDemand::devices),
            field("cpus_per_device", &NodeDemand::cpus_per_device),
            field("exclusivity", &NodeDemand::exclusivity));
    }
    friend bool operator==(const NodeDemand&, const NodeDemand&) = default;
};

namespace detail {

/// The share of `total` that falls on a part: evenly, the first parts one more.
[[nodiscard]] constexpr std::int64_t split_evenly(std::int64_t total, const NodePart& part) {
    return total / part.nodes + (part.index < total % part.nodes ? 1 : 0);
}

[[nodiscard]] Range<Count> count_on_node(const DeviceRequest& device, Count tasks, Count sockets,
                                         const NodePart& part);

}  // namespace detail

/// What a node with this number of packages gives as its part of `request`.
/// Requires: check(request) is ok; 0 <= part.index < part.nodes.
[[nodiscard]] NodeDemand demand_of(const Request& request, const NodePart& part,
                                   std::uint32_t sockets);

/// Packages of a node, at least 1.
[[nodiscard]] std::uint32_t socket_count(const NodeShape& shape);

/// decide(0), and while that is a no, decide(1), ... below `count`. All of them refused: the first
/// refusal. `decide` gives a Verdict; a search that gave up has not refused, and ends the row.
/// Requires: count > 0.
template <class Decide>
[[nodiscard]] auto first_settled(std::size_t count, const Decide& decide)
    -> decltype(decide(std::size_t{0})) {
    const auto is_settled = [](const auto& verdict) {
        return verdict || verdict.refusal().constraint == Constraint::gave_up;
    };
    auto first = decide(std::size_t{0});
    if (is_settled(first)) return first;
    for (std::size_t i = 1; i < count; ++i) {
        auto verdict = decide(i);
        if (is_settled(verdict)) return verdict;
    }
    return first;
}

/// The first_settled() of decide(request) and, in order, of decide with each of the request's
/// device_alternatives in place of its devices.
template <class Decide>
[[nodiscard]] auto first_alternative(const Request& request, const Decide& decide)
    -> decltype(decide(request)) {
    return first_settled(1 + request.device_alternatives.size(), [&](std::size_t i) {
        if (i == 0) return decide(request);
        Request other = request;
        other.devices = request.device_alternatives[i - 1];
        return decide(other);
    });
}

}  // namespace trestle
