// SPDX-License-Identifier: Apache-2.0
#pragma once

// Request: what a job wants, wide enough for Slurm's exact counts and dstack's ranges.
//
// Layer: model. Main types: Request, DeviceRequest. A request is made by a dialect, by hand or by a
// generator, is checked by check(request), and is never changed by the allocator.
// Pitfall: a default Request asks for one task with one CPU on one node and is given no memory at
// all (0 bytes), not "everything". On a node a range of CPUs or bytes is granted at its low end. An
// offer, which is taken whole or in blocks, must lie inside the range.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/cluster_count.hpp"
#include "trestle/model/device.hpp"
#include "trestle/model/features.hpp"
#include "trestle/model/hardware.hpp"
#include "trestle/model/locality.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/topology_request.hpp"

namespace trestle {

/// What an amount is counted per.
enum class Per { node, job, task, socket, cpu, device };

constexpr auto enum_names(Per) {
    using enum Per;
    return std::array{named(node, "node"),     named(job, "job"), named(task, "task"),
                      named(socket, "socket"), named(cpu, "cpu"), named(device, "device")};
}

/// How tasks are dealt out to nodes, or to the packages of a node. `block`: fill one after the
/// other. `cyclic`: a task to each in turn. `fcyclic`: inside a node, a core to each in turn.
/// `plane`: as many tasks as the plane's size to each in turn. If not all tasks of a cyclic
/// distribution or of planes fit inside of packages, they are laid out as block. Some of them are
/// then across packages.
enum class Distribution { block, cyclic, fcyclic, plane };

constexpr auto enum_names(Distribution) {
    using enum Distribution;
    return std::array{named(block, "block"), named(cyclic, "cyclic"), named(fcyclic, "fcyclic"),
                      named(plane, "plane")};
}

/// Slurm's --distribution. Nodes: which task ids go where. Sockets: which packages, or groups of
/// another level, give the cores, and which task gets them. Split: how many tasks each node has.
struct TaskDistribution {
    /// How the tasks of a job, and its devices that are counted per job, are split over its nodes.
    /// `as_even`: as evenly as fits. `even`: evenly, or the job does not fit. `packed`: as many on
    /// the first node as fit there, then on the next one.
    enum class Split { as_even, even, packed };

    Distribution nodes = Distribution::block;
    Distribution sockets = Distribution::block;
    Count plane_size{1};
    Split split = Split::as_even;
    /// The groups of cores that `sockets` deals to: package, die, numa, l3 or l2; a group ends
    /// where its package ends. The first groups of all packages come first, then the second ones;
    /// block fills package by package. On a node that does not report the level, the packages stand
    /// in, or the whole node.
    HardwareLevel level = HardwareLevel::package;

    static constexpr auto fields(auto list) {
        return list(
            field("nodes", &TaskDistribution::nodes), field("sockets", &TaskDistribution::sockets),
            field("plane_size", &TaskDistribution::plane_size),
            field("split", &TaskDistribution::split), field("level", &TaskDistribution::level));
    }
    friend bool operator==(const TaskDistribution&, const TaskDistribution&) = default;
};

constexpr auto enum_names(TaskDistribution::Split) {
    using enum TaskDistribution::Split;
    return std::array{named(as_even, "as_even"), named(even, "even"), named(packed, "packed")};
}

/// A demand for devices of one name.
struct DeviceRequest {
    /// `name <comparison> value` on a device's attribute: as numbers when both are, else as text.
    /// A device without the attribute fails every test.
    struct AttributeTest {
        /// How two values compare in a test of an attribute.
        enum class Comparison { equal, not_equal, less, less_equal, greater, greater_equal };

        std::string name = {};
        Comparison comparison = Comparison::equal;
        std::string value = {};

        static constexpr auto fields(auto list) {
            return list(field("name", &AttributeTest::name),
                        field("comparison", &AttributeTest::comparison),
                        field("value", &AttributeTest::value));
        }
        friend bool operator==(const AttributeTest&, const AttributeTest&) = default;
    };

    /// Which end of a range of counts is wanted.
    enum class Prefer { fewest, most };

    std::string name = "gpu";
    std::vector<std::string> types = {};  ///< any of these; empty: any type
    Range<Count> count = Range<Count>::exactly(Count(1));
    Per per = Per::node;  ///< node, job, task or socket
    Prefer prefer = Prefer::fewest;
    Count shares = {};             ///< 0: whole devices
    Per shares_per = Per::device;  ///< device: of each; node: of all chosen devices together
    std::string slice = {};        ///< profile of the instances to count; empty: uncut devices
    std::string vendor = {};
    std::vector<std::string> models = {};  ///< any of these, without regard to case; empty: any
    Range<Bytes> memory = {};              ///< of each device; for Python see Request::memory
    Range<Bytes> total_memory = {};        ///< of all chosen devices of a node together
    Range<Version> compute_capability = {};
    std::optional<ShareKind> share_kind = {};  ///< of the device's shares; absent: any
    std::string mig_profile = {};  ///< of devices that are MIG instances; empty: any device
    std::vector<AttributeTest> attributes = {};  ///< all of them
    Strictness locality = Strictness::prefer;    ///< to a chosen core: see fit()
    /// How far nearness to cores reaches: to all cores of the groups of this level that hold a core
    /// near the device. Absent: to these cores only.
    std::optional<HardwareLevel> locality_level = {};
    /// That each device lies below one PCI switch with a device of an earlier demand.
    Strictness device_locality = Strictness::ignore;

    static constexpr auto fields(auto list) {
        return list(
            field("name", &DeviceRequest::name), field("types", &DeviceRequest::types),
            field("count", &DeviceRequest::count), field("per", &DeviceRequest::per),
            field("prefer", &DeviceRequest::prefer), field("shares", &DeviceRequest::shares),
            field("shares_per", &DeviceRequest::shares_per), field("slice", &DeviceRequest::slice),
            field("vendor", &DeviceRequest::vendor), field("models", &DeviceRequest::models),
            field("memory", &DeviceRequest::memory),
            field("total_memory", &DeviceRequest::total_memory),
            field("compute_capability", &DeviceRequest::compute_capability),
            field("share_kind", &DeviceRequest::share_kind),
            field("mig_profile", &DeviceRequest::mig_profile),
            field("attributes", &DeviceRequest::attributes),
            field("locality", &DeviceRequest::locality),
            field("locality_level", &DeviceRequest::locality_level),
            field("device_locality", &DeviceRequest::device_locality));
    }
    friend bool operator==(const DeviceRequest&, const DeviceRequest&) = default;
};

constexpr auto enum_names(DeviceRequest::AttributeTest::Comparison) {
    using enum DeviceRequest::AttributeTest::Comparison;
    return std::array{named(equal, "equal"),     named(not_equal, "not_equal"),
                      named(less, "less"),       named(less_equal, "less_equal"),
                      named(greater, "greater"), named(greater_equal, "greater_equal")};
}

constexpr auto enum_names(DeviceRequest::Prefer) {
    return std::array{named(DeviceRequest::Prefer::fewest, "fewest"),
                      named(DeviceRequest::Prefer::most, "most")};
}

/// Whether others may use the same nodes. A whole node is one without other jobs. The job gets all
/// its cores, and the memory and devices that it requests.
enum class Exclusivity { shared, whole_node };

constexpr auto enum_names(Exclusivity) {
    return std::array{named(Exclusivity::shared, "shared"),
                      named(Exclusivity::whole_node, "whole_node")};
}

/// What a job wants. A default one: one task with one CPU on one node, no memory.
struct Request {
    /// All devices that a node gives for some of its demands have one value of an attribute in
    /// common, as matchAttribute of Kubernetes has it. A device that has the attribute several
    /// times has each of the values; one without it is never given, not even alone. Values compare
    /// as in DeviceRequest::AttributeTest. Each node of a job has a value of its own. These
    /// attributes are built in:
    ///
    /// - package, die, numa, l3, l2: the groups of cores of this level that hold a core near the
    ///   device. They are numbered in the order of their lowest cores. A device near to all cores
    ///   alike is near to each group;
    /// - switch: the PCI switches above the device; root_switch: the outermost one;
    /// - island: the devices that links such as NVLink connect, directly or over others. A device
    ///   without links is an island by itself;
    /// - type, vendor and model, the last without regard to case; not where they are empty.
    ///
    /// Where Device::attributes has one of these names, it takes the place of the built-in
    /// attribute of this device. Instances have the attributes of the device that is cut. Offers
    /// tell type, model and vendor; they are refused where devices are to have anything else in
    /// common.
    struct CommonAttribute {
        std::string name = {};
        std::vector<std::string> devices = {};  ///< names of demands; empty: all demands

        static constexpr auto fields(auto list) {
            return list(field("name", &CommonAttribute::name),
                        field("devices", &CommonAttribute::devices));
        }
        friend bool operator==(const CommonAttribute&, const CommonAttribute&) = default;
    };

    /// Whether groups of nodes of one job may have the same node. `apart`: each node belongs to one
    /// group. `shared`: a node may serve several, each with cores, memory and devices of its own,
    /// but for a node that a group takes whole. Of a partition's limits for a node, the groups
    /// count together.
    enum class ComponentNodes { apart, shared };

    Range<Count> nodes = Range<Count>::exactly(Count(1));
    /// Of the numbers in `nodes` only these, rising (Slurm's --nodes=1,4,8). Empty: any.
    std::vector<Count> node_counts = {};
    std::optional<Count> tasks = {};  ///< in all; absent: the least of tasks_per_node, or one
    /// On each node. Where tasks are counted, `exactly(n)` asks for an even split.
    Range<Count> tasks_per_node = {};
    /// Hardware threads for each task. Cores are given whole, so a node gives at least as many.
    /// At most 0 asks for no core at all; only together with milli_cpus.
    Range<Count> cpus_per_task = Range<Count>::at_least(Count(1));
    /// Thousandths of a CPU's time for each task, beside its cores: of the hardware threads of
    /// cores that no owner has exclusively. 0: none.
    MilliCpu milli_cpus = {};
    /// CPUs used of each core: cores with fewer threads are left alone. Absent: all that it has.
    std::optional<Count> threads_per_core = {};
    /// Cores of this kind and no others. A whole node gives all its cores, and has enough of these.
    std::optional<Core::Kind> core_kind = {};
    /// As many cores of this kind as can be had, before any nearness.
    std::optional<Core::Kind> preferred_core_kind = {};
    std::optional<Count> tasks_per_core = {};  ///< at most; absent: as many as have CPUs
    /// At most; each task then lies in one socket, with fcyclic as with cyclic. A whole node too
    /// has to have room for its tasks in this way, be some of its cores idle. Absent: any number.
    std::optional<Count> tasks_per_socket = {};
    std::optional<Count> sockets_per_node = {};  ///< at least so many packages that can give cores
    std::optional<Count> cores_per_socket = {};  ///< packages with fewer free cores are left alone
    Strictness core_locality = Strictness::prefer;   ///< of the cores to each other
    HardwareLevel core_level = HardwareLevel::numa;  ///< in as few groups of this level
    TaskDistribution distribution = {};
    /// The cores of each task lie in one group of this level: package, die, numa, l3 or l2; a group
    /// ends where its package ends. On a node that does not report the level, the packages stand
    /// in, or the whole node. Absent: no restriction.
    std::optional<HardwareLevel> task_level = {};
    /// Of a whole node, cores that the job leaves to the system, the last ones (--core-spec).
    Count system_cores = {};
    /// Python warns of less than 1 MiB, other than 0: a number without gib() or mib() is bytes.
    Range<Bytes> memory = {};
    Per memory_per = Per::node;                       ///< node, cpu or device
    Strictness memory_locality = Strictness::prefer;  ///< require: no spill to domains far away
    /// How far nearness of memory to cores reaches: to all domains with a core in the groups of
    /// this level that the cores lie in. Absent: to the domains of the cores.
    std::optional<HardwareLevel> memory_level = {};
    std::vector<DeviceRequest> devices = {};
    /// What may stand in for `devices`, in order of preference: used where `devices` do not fit.
    std::vector<std::vector<DeviceRequest>> device_alternatives = {};
    std::vector<CommonAttribute> common_attributes = {};  ///< all of them
    std::optional<Count> cpus_per_device = {};  ///< at least so many CPUs for each device chosen
    Range<Bytes> disk = {};
    std::optional<Bytes> shm_size = {};
    std::optional<Architecture> architecture = {};
    FeatureExpression features = {};  ///< what every node meets
    /// Of all nodes together, at least so many meet each of these (Slurm's [rack1*2&rack2*4]); a
    /// node counts for as many as it meets.
    std::vector<FeatureCount> feature_counts = {};
    /// All nodes meet the same one of these, any one (Slurm's [rack1|rack2]). Empty: no
    /// restriction.
    std::vector<FeatureExpression> feature_sets = {};
    std::vector<std::string> required_nodes = {};  ///< by name
    std::vector<std::string> excluded_nodes = {};
    Exclusivity exclusivity = Exclusivity::shared;
    TopologyRequest topology = {};
    std::optional<Seconds> time_limit = {};
    std::optional<Microdollars> price_max = {};  ///< an hour; offers only
    /// Empty: any; of a component: that of the job.
    std::string partition = {};
    /// Of the cluster as a whole, for as long as the job has its nodes: licences and the like.
    std::vector<ClusterCount> cluster_counts = {};
    /// Further groups of nodes of the job, for example workers beside a leader. The request itself
    /// is the first group. Each group is chosen as if it were a request of its own, on nodes that
    /// no other group has unless component_nodes says so. A group without a partition is of the
    /// job's partition. All are granted, or none. Fields of the
    /// job as a whole are set in the request alone, not in a component: time_limit, price_max,
    /// cluster_counts, components and component_nodes. A component's own topology is ignored: the
    /// job's applies to the nodes of all groups together.
    std::vector<Request> components = {};
    ComponentNodes component_nodes = ComponentNodes::apart;

    static constexpr auto fields(auto list) {
        return list(
            field("nodes", &Request::nodes), field("node_counts", &Request::node_counts),
            field("tasks", &Request::tasks), field("tasks_per_node", &Request::tasks_per_node),
            field("cpus_per_task", &Request::cpus_per_task),
            field("milli_cpus", &Request::milli_cpus),
            field("threads_per_core", &Request::threads_per_core),
            field("core_kind", &Request::core_kind),
            field("preferred_core_kind", &Request::preferred_core_kind),
            field("tasks_per_core", &Request::tasks_per_core),
            field("tasks_per_socket", &Request::tasks_per_socket),
            field("sockets_per_node", &Request::sockets_per_node),
            field("cores_per_socket", &Request::cores_per_socket),
            field("core_locality", &Request::core_locality),
            field("core_level", &Request::core_level),
            field("distribution", &Request::distribution),
            field("task_level", &Request::task_level),
            field("system_cores", &Request::system_cores), field("memory", &Request::memory),
            field("memory_per", &Request::memory_per),
            field("memory_locality", &Request::memory_locality),
            field("memory_level", &Request::memory_level), field("devices", &Request::devices),
            field("device_alternatives", &Request::device_alternatives),
            field("common_attributes", &Request::common_attributes),
            field("cpus_per_device", &Request::cpus_per_device), field("disk", &Request::disk),
            field("shm_size", &Request::shm_size), field("architecture", &Request::architecture),
            field("features", &Request::features),
            field("feature_counts", &Request::feature_counts),
            field("feature_sets", &Request::feature_sets),
            field("required_nodes", &Request::required_nodes),
            field("excluded_nodes", &Request::excluded_nodes),
            field("exclusivity", &Request::exclusivity), field("topology", &Request::topology),
            field("time_limit", &Request::time_limit), field("price_max", &Request::price_max),
            field("partition", &Request::partition),
            field("cluster_counts", &Request::cluster_counts),
            field("components", &Request::components),
            field("component_nodes", &Request::component_nodes));
    }
    friend bool operator==(const Request&, const Request&) = default;
};

constexpr auto enum_names(Request::ComponentNodes) {
    return std::array{named(Request::ComponentNodes::apart, "apart"),
                      named(Request::ComponentNodes::shared, "shared")};
}

/// Ok when a request is consistent: ranges rise. At least one node, one task and one CPU (or some
/// thousandths of one). Devices have a name. Shares and counts per unit make sense. Lists of counts
/// rise. At most 4096 combinations of device alternatives and feature sets (of the request and of
/// its components, each of which is tried in turn). Components are such requests and set no field
/// that is the job's. Errors: InvalidArgument that names the field and what was expected.
[[nodiscard]] Status check(const Request& request);

}  // namespace trestle
