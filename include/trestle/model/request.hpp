// SPDX-License-Identifier: Apache-2.0
#pragma once

// Request: what a job wants, wide enough for Slurm's exact counts and dstack's ranges.
//
// Layer: model. Main types: Request, DeviceRequest. A request is made by a dialect, by hand or by a
// generator, is checked by check(request), and is never changed by the allocator.
// A reader would get wrong: a default Request asks for one task with one CPU on one node and is
// given no memory at all (0 bytes), not "everything". On a node a range of CPUs or bytes is granted
// at its low end; an offer, which is taken whole or in blocks, must lie inside the range.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/device.hpp"
#include "trestle/model/node.hpp"

namespace trestle {

/// What an amount is counted per.
enum class Per { node, job, task, socket, cpu, device };

constexpr auto enum_names(Per) {
    using enum Per;
    return std::array{named(node, "node"),     named(job, "job"), named(task, "task"),
                      named(socket, "socket"), named(cpu, "cpu"), named(device, "device")};
}

/// How much nearness matters.
enum class Locality { ignore, prefer, require };

constexpr auto enum_names(Locality) {
    using enum Locality;
    return std::array{named(ignore, "ignore"), named(prefer, "prefer"), named(require, "require")};
}

/// Which end of a range of counts is wanted.
enum class Prefer { fewest, most };

constexpr auto enum_names(Prefer) {
    return std::array{named(Prefer::fewest, "fewest"), named(Prefer::most, "most")};
}

/// How two values compare in a test of an attribute.
enum class Comparison { equal, not_equal, less, less_equal, greater, greater_equal };

constexpr auto enum_names(Comparison) {
    using enum Comparison;
    return std::array{named(equal, "equal"),     named(not_equal, "not_equal"),
                      named(less, "less"),       named(less_equal, "less_equal"),
                      named(greater, "greater"), named(greater_equal, "greater_equal")};
}

/// `name <comparison> value` on a device's attribute: as numbers when both are, else as text.
/// A device without the attribute fails every test.
struct AttributeTest {
    std::string name;
    Comparison comparison = Comparison::equal;
    std::string value;

    static constexpr auto fields() {
        return field_list(field("name", &AttributeTest::name),
                          field("comparison", &AttributeTest::comparison),
                          field("value", &AttributeTest::value));
    }
    friend bool operator==(const AttributeTest&, const AttributeTest&) = default;
};

/// A demand for devices of one name.
struct DeviceRequest {
    std::string name = "gpu";
    std::vector<std::string> types;  ///< any of these; empty: any type
    Range<Count> count = Range<Count>::exactly(Count(1));
    Per per = Per::node;  ///< node, job, task or socket
    Prefer prefer = Prefer::fewest;
    Count shares;  ///< of one device; 0: whole devices
    std::string vendor;
    std::vector<std::string> models;  ///< any of these, without regard to case; empty: any
    Range<Bytes> memory;              ///< of each device
    Range<Bytes> total_memory;        ///< of all chosen devices of a node together
    Range<Version> compute_capability;
    std::vector<AttributeTest> attributes;  ///< all of them
    Locality locality = Locality::prefer;   ///< to the chosen cores

    static constexpr auto fields() {
        return field_list(
            field("name", &DeviceRequest::name), field("types", &DeviceRequest::types),
            field("count", &DeviceRequest::count), field("per", &DeviceRequest::per),
            field("prefer", &DeviceRequest::prefer), field("shares", &DeviceRequest::shares),
            field("vendor", &DeviceRequest::vendor), field("models", &DeviceRequest::models),
            field("memory", &DeviceRequest::memory),
            field("total_memory", &DeviceRequest::total_memory),
            field("compute_capability", &DeviceRequest::compute_capability),
            field("attributes", &DeviceRequest::attributes),
            field("locality", &DeviceRequest::locality));
    }
    friend bool operator==(const DeviceRequest&, const DeviceRequest&) = default;
};

/// Whether others may use the same nodes. A whole node is one that nobody uses; it gives all its
/// cores, and memory and devices as asked.
enum class Exclusivity { shared, whole_node };

constexpr auto enum_names(Exclusivity) {
    return std::array{named(Exclusivity::shared, "shared"),
                      named(Exclusivity::whole_node, "whole_node")};
}

/// Where the nodes of a job lie in the network.
struct TopologyRequest {
    std::optional<Count> switches_max;  ///< leaf switches
    bool is_contiguous = false;         ///< consecutive node ids

    static constexpr auto fields() {
        return field_list(field("switches_max", &TopologyRequest::switches_max),
                          field("is_contiguous", &TopologyRequest::is_contiguous));
    }
    friend bool operator==(const TopologyRequest&, const TopologyRequest&) = default;
};

struct Request {
    Range<Count> nodes = Range<Count>::exactly(Count(1));
    std::optional<Count> tasks;  ///< in all; absent: one a node
    /// Hardware threads for each task. Cores are given whole, so a node gives at least as many.
    Range<Count> cpus_per_task = Range<Count>::at_least(Count(1));
    Range<Bytes> memory;
    Per memory_per = Per::node;  ///< node, cpu or device
    Locality memory_locality = Locality::prefer;
    std::vector<DeviceRequest> devices;
    std::optional<Count> cpus_per_device;  ///< at least so many CPUs for each device chosen
    Range<Bytes> disk;
    std::optional<Bytes> shm_size;
    std::optional<Architecture> architecture;
    std::vector<std::string> features;        ///< all of them
    std::vector<std::string> required_nodes;  ///< by name
    std::vector<std::string> excluded_nodes;
    Exclusivity exclusivity = Exclusivity::shared;
    TopologyRequest topology;
    std::optional<Seconds> time_limit;
    std::optional<Microdollars> price_max;  ///< an hour; offers only
    std::string partition;                  ///< empty: any

    static constexpr auto fields() {
        return field_list(
            field("nodes", &Request::nodes), field("tasks", &Request::tasks),
            field("cpus_per_task", &Request::cpus_per_task), field("memory", &Request::memory),
            field("memory_per", &Request::memory_per),
            field("memory_locality", &Request::memory_locality),
            field("devices", &Request::devices),
            field("cpus_per_device", &Request::cpus_per_device), field("disk", &Request::disk),
            field("shm_size", &Request::shm_size), field("architecture", &Request::architecture),
            field("features", &Request::features),
            field("required_nodes", &Request::required_nodes),
            field("excluded_nodes", &Request::excluded_nodes),
            field("exclusivity", &Request::exclusivity), field("topology", &Request::topology),
            field("time_limit", &Request::time_limit), field("price_max", &Request::price_max),
            field("partition", &Request::partition));
    }
    friend bool operator==(const Request&, const Request&) = default;
};

namespace detail {
template <class T>
[[nodiscard]] bool runs_upwards(const Range<T>& range) {
    return !range.min || !range.max || !(*range.max < *range.min);
}
}  // namespace detail

/// Ok when a request can be meant: ranges run upwards, at least one node, one task and one CPU,
/// devices have a name, shares and counts per unit make sense.
/// Errors: InvalidArgument that names the field and what was expected.
[[nodiscard]] inline Status check(const Request& request) {
    if (!detail::runs_upwards(request.nodes) || request.nodes.max == Count(0)) {
        return invalid_argument("nodes: expected a rising range that holds 1 or more");
    }
    if (request.tasks == Count(0)) return invalid_argument("tasks: 0, expected 1 or more");
    if (!detail::runs_upwards(request.cpus_per_task) || request.cpus_per_task.max == Count(0)) {
        return invalid_argument("cpus_per_task: expected a rising range that holds 1 or more");
    }
    if (!detail::runs_upwards(request.memory)) {
        return invalid_argument("memory: expected a rising range");
    }
    if (!detail::runs_upwards(request.disk)) {
        return invalid_argument("disk: expected a rising range");
    }
    if (request.memory_per != Per::node && request.memory_per != Per::cpu &&
        request.memory_per != Per::device) {
        return invalid_argument("memory_per: {}, expected node, cpu or device",
                                to_text(request.memory_per));
    }
    for (const DeviceRequest& device : request.devices) {
        if (device.name.empty()) return invalid_argument("devices: a demand has no name");
        if (!detail::runs_upwards(device.count) || !detail::runs_upwards(device.memory) ||
            !detail::runs_upwards(device.total_memory) ||
            !detail::runs_upwards(device.compute_capability)) {
            return invalid_argument("devices: {}: expected rising ranges", device.name);
        }
        if (device.per == Per::cpu || device.per == Per::device) {
            return invalid_argument(
                "devices: {}: counted per {}, expected node, job, task or socket", device.name,
                to_text(device.per));
        }
    }
    return {};
}

}  // namespace trestle
