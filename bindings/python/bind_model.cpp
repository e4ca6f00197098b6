// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/alloc/market/offers/offer.hpp"
#include "trestle/model/fleet.hpp"
#include "trestle/model/granularity.hpp"
#include "trestle/model/locality.hpp"
#include "trestle/model/network.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/node_builder.hpp"
#include "trestle/model/partition.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"
#include "trestle/model/slice_geometry.hpp"
#include "trestle/model/slices.hpp"
#include "trestle/model/trace.hpp"
#include "trestle/model/tres.hpp"

namespace trestle::python {
namespace {

/// A copy of what a search in a table found.
template <class T>
[[nodiscard]] std::optional<T> copied(const T* found) {
    return found == nullptr ? std::nullopt : std::optional(*found);
}

void bind_slicing(nb::module_& module) {
    bind_struct<SliceGeometry::Profile>(module, "SliceProfile", "SliceGeometry.Profile");
    bind_struct<SliceGeometry>(module, "SliceGeometry")
        .def(
            "find",
            [](const SliceGeometry& geometry, std::string_view profile) {
                return copied(geometry.find(profile));
            },
            nb::arg("profile"), "The profile of that name, or None.");
    bind_struct<Slicing::Instance>(module, "SliceInstance", "Slicing.Instance")
        .def("end", &Slicing::Instance::end, "The memory slice behind its last one.");
    bind_struct<Slicing>(module, "Slicing");
    module.def("slice_geometries", &slice_geometries, nb::rv_policy::copy, doc("slice_geometries"));
    module.def(
        "find_slice_geometry",
        [](std::string_view name) { return copied(find_slice_geometry(name)); }, nb::arg("name"),
        "The geometry of that name (`a100-40gb`), or None.");
}

void bind_devices(nb::module_& module) {
    bind_enum<Health>(module, "Health");
    bind_struct<Version>(module, "Version");
    bind_struct<Device::Attribute>(module, "Attribute", "Device.Attribute");
    auto file = nb::class_<Device::File>(module, "DeviceFile", doc("Device.File"));
    bind_enum<Device::File::Kind>(file, "Kind", "Device.File.Kind");
    complete_struct(file, module, "Device.File");
    bind_enum<ShareKind>(module, "ShareKind");
    bind_struct<Device>(module, "Device");
    bind_struct<DeviceLink>(module, "DeviceLink");
    module.def(
        "slice_geometry_for",
        [](const Device& device) { return copied(slice_geometry_for(device)); }, nb::arg("device"),
        "The geometry of an NVIDIA device by a word of its model and its memory. The type stands "
        "in when it has no model. Memory is the nearest size, as sold, within 5 percent. None for "
        "any other device.");
}

void bind_hardware(nb::module_& module) {
    bind_enum<HardwareLevel>(module, "HardwareLevel");
    bind_enum<MemoryDomain::Kind>(module, "MemoryKind", "MemoryDomain.Kind");
    bind_enum<Core::Kind>(module, "CoreKind", "Core.Kind");
    bind_enum<Request::ComponentNodes>(module, "ComponentNodes", "Request.ComponentNodes");
    bind_enum<Architecture>(module, "Architecture");
    bind_struct<Core>(module, "Core");
    bind_struct<CoreGroup>(module, "CoreGroup");
    bind_struct<HardwareTree>(module, "HardwareTree")
        .def("core_count", &HardwareTree::core_count, "The number of cores.")
        .def("all_cores", &HardwareTree::all_cores, "Every core.")
        .def("all_threads", &HardwareTree::all_threads, "Every hardware thread.")
        .def("threads_of", &HardwareTree::threads_of, nb::arg("cores"),
             doc("HardwareTree.threads_of"))
        .def("cores_of", &HardwareTree::cores_of, nb::arg("threads"), doc("HardwareTree.cores_of"))
        .def("cores_of_kind", &HardwareTree::cores_of_kind, nb::arg("kind"),
             doc("HardwareTree.cores_of_kind"));
    bind_struct<MemoryDomain>(module, "MemoryDomain")
        .def("is_ordinary", &MemoryDomain::is_ordinary, doc("MemoryDomain.is_ordinary"))
        .def("allocatable", &MemoryDomain::allocatable, doc("MemoryDomain.allocatable"));
}

void bind_nodes(nb::module_& module) {
    bind_enum<NodeState>(module, "NodeState");
    bind_struct<NodeShape>(module, "NodeShape")
        .def("total_memory", &NodeShape::total_memory, "All memory domains together, in bytes.")
        .def("allocatable_cores", &NodeShape::allocatable_cores, doc("NodeShape.allocatable_cores"))
        .def("ordinary_memory", &NodeShape::ordinary_memory, doc("NodeShape.ordinary_memory"))
        .def("cpu_count", &NodeShape::cpu_count, doc("NodeShape.cpu_count"))
        .def("socket_count", &NodeShape::socket_count, doc("NodeShape.socket_count"))
        .def("find_device", &NodeShape::find_device, nb::arg("name"), nb::arg("index"),
             doc("NodeShape.find_device"))
        .def(
            "distance",
            [](const NodeShape& shape, DomainId from, DomainId to) {
                const auto count = shape.memory.size();
                TRESTLE_EXPECTS(from.value() < count && to.value() < count,
                                "the memory domains exist");
                return shape.distance(from, to);
            },
            nb::arg("from_domain"), nb::arg("to_domain"), doc("NodeShape.distance"));
    bind_struct<Node>(module, "Node");
    bind_enum<NodeDescription::Devices::Nearness>(module, "Nearness",
                                                  "NodeDescription.Devices.Nearness");
    bind_enum<NodeDescription::Devices::Linking>(module, "Linking",
                                                 "NodeDescription.Devices.Linking");
    bind_struct<NodeDescription::Devices>(module, "DeviceDescription", "NodeDescription.Devices");
    bind_struct<NodeDescription>(module, "NodeDescription");
    module.def("make_node", &make_node, nb::arg("description"), doc("make_node"));
    module.def("make_nodes", &make_nodes, nb::arg("description"), nb::arg("count"),
               doc("make_nodes"));
}

void bind_node_sets(nb::module_& module) {
    bind_enum<Partition::State>(module, "PartitionState", "Partition.State");
    bind_enum<Partition::OverSubscribe>(module, "OverSubscribe", "Partition.OverSubscribe");
    bind_struct<Partition>(module, "Partition");
    bind_enum<FleetPlacement>(module, "FleetPlacement");
    bind_struct<Fleet>(module, "Fleet");
}

void bind_network(nb::module_& module) {
    bind_struct<TreeTopology::Switch>(module, "Switch", "TreeTopology.Switch");
    bind_struct<TreeTopology>(module, "TreeTopology");
    bind_struct<BlockTopology::Block>(module, "NetworkBlock", "BlockTopology.Block");
    bind_struct<BlockTopology>(module, "BlockTopology");
    bind_struct<TorusTopology::Shape>(module, "TorusShape", "TorusTopology.Shape")
        .def("volume", &TorusTopology::Shape::volume, doc("TorusTopology.Shape.volume"));
    bind_struct<TorusTopology::Torus>(module, "Torus", "TorusTopology.Torus");
    bind_struct<TorusTopology>(module, "TorusTopology");
    bind_struct<RingTopology::Ring>(module, "Ring", "RingTopology.Ring");
    bind_struct<RingTopology>(module, "RingTopology");
    bind_struct<Network>(module, "Network")
        .def("is_empty", &Network::is_empty, "True without a topology.");
}

void bind_locality(nb::module_& module) {
    module.def("with_granularity", &with_granularity, nb::arg("shape"), nb::arg("level"),
               doc("with_granularity"));
}

void bind_requests(nb::module_& module) {
    bind_enum<Per>(module, "Per");
    bind_enum<Strictness>(module, "Strictness");
    bind_enum<Distribution>(module, "Distribution");
    bind_enum<TaskDistribution::Split>(module, "JobSplit", "TaskDistribution.Split");
    bind_struct<TaskDistribution>(module, "TaskDistribution");
    bind_enum<DeviceRequest::Prefer>(module, "Prefer", "DeviceRequest.Prefer");
    bind_enum<DeviceRequest::AttributeTest::Comparison>(module, "Comparison",
                                                        "DeviceRequest.AttributeTest.Comparison");
    bind_enum<Exclusivity>(module, "Exclusivity");
    bind_struct<DeviceRequest::AttributeTest>(module, "AttributeTest",
                                              "DeviceRequest.AttributeTest");
    bind_struct<Request::CommonAttribute>(module, "CommonAttribute", "Request.CommonAttribute");
    bind_struct<DeviceRequest>(module, "DeviceRequest");
    bind_struct<TopologyRequest>(module, "TopologyRequest");
    bind_struct<Request>(module, "Request");
    bind_enum<Offer::Availability>(module, "Availability", "Offer.Availability");
    bind_enum<Offer::Interconnect>(module, "Interconnect", "Offer.Interconnect");
    bind_struct<Offer::Devices>(module, "OfferedDevices", "Offer.Devices");
    bind_struct<Offer>(module, "Offer")
        .def("is_available", &Offer::is_available, doc("Offer.is_available"));
    bind_struct<BlockShare>(module, "BlockShare");
}

void bind_placements(nb::module_& module) {
    bind_struct<Gres>(module, "Gres");
    bind_struct<Tres>(module, "Tres");
    bind_struct<TresCounts>(module, "TresCounts")
        .def("of", &TresCounts::of, nb::arg("tres"), "The count of one; 0 when it is not there.");
    bind_struct<MemoryShare>(module, "MemoryShare");
    bind_struct<DeviceShare>(module, "DeviceShare");
    bind_struct<NodePlacement>(module, "NodePlacement")
        .def("total_memory", &NodePlacement::total_memory, "All domains together, in bytes.")
        .def("device_set", &NodePlacement::device_set, "The devices, whatever the share.");
    bind_struct<Placement>(module, "Placement");
    bind_struct<Allocation>(module, "Allocation");
    auto event = nb::class_<TraceEvent>(module, "TraceEvent", doc("TraceEvent"));
    bind_enum<TraceEvent::Kind>(event, "Kind");
    complete_struct(event, module, "TraceEvent");
    module.def("threads_of", &threads_of, nb::arg("shape"), nb::arg("placement"),
               doc("threads_of"));
    module.def("component_placement", &component_placement, nb::arg("placement"),
               nb::arg("component"), doc("component_placement"));
    module.def("tres_of", &tres_of, nb::arg("shape"), nb::arg("placement"), doc("tres_of"));
    module.def(
        "is_usable",
        [](const NodeShape& shape, const NodePlacement& placement) {
            return is_usable(shape, placement);
        },
        nb::arg("shape"), nb::arg("placement"), doc("is_usable(NodeShape)"));
    module.def("capacity_of", &capacity_of, nb::arg("shape"), doc("capacity_of"));
}

/// One Python function for the overloads of check and of is_usable.
template <class T>
void bind_check(nb::module_& module, const char* overload) {
    module.def(
        "check", [](const T& value) -> Status { return check(value); }, nb::arg("value"),
        doc(overload));
}

}  // namespace

void bind_model(nb::module_& module) {
    bind_slicing(module);
    bind_devices(module);
    bind_hardware(module);
    bind_nodes(module);
    bind_network(module);
    bind_locality(module);
    bind_requests(module);
    bind_node_sets(module);
    bind_placements(module);
    bind_check<Slicing>(module, "check(Slicing)");
    bind_check<NodeShape>(module, "check(NodeShape)");
    bind_check<Network>(module, "check(Network)");
    bind_check<Request>(module, "check(Request)");
    bind_check<Partition>(module, "check(Partition)");
    bind_check<std::vector<Fleet>>(module, "check(Fleet)");
    module.def(
        "is_usable", [](const Node& node) { return is_usable(node); }, nb::arg("node"),
        doc("is_usable(Node)"));
    module.def(
        "is_usable", [](const Device& device) { return is_usable(device); }, nb::arg("device"),
        doc("is_usable(Device)"));
}

}  // namespace trestle::python
