// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/function.h>

#include <optional>
#include <string>
#include <utility>

#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/cluster_bytes.hpp"
#include "trestle/alloc/cluster/cluster_diff.hpp"
#include "trestle/testing/cluster_text.hpp"
#include "trial_block.hpp"

namespace trestle::python {
namespace {

[[nodiscard]] nb::bytes cluster_bytes(const Cluster& cluster) {
    const auto bytes = to_bytes(cluster);
    return nb::bytes(bytes.data(), bytes.size());
}
[[nodiscard]] StatusOr<Cluster> cluster_from(const nb::bytes& bytes) {
    return from_bytes({static_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

/// A member with a node as its first argument, which has to exist: else an IndexError.
template <class R, class... Arguments>
[[nodiscard]] auto of_node(R (Cluster::*member)(NodeId, Arguments...) const) {
    return [member](const Cluster& self, NodeId id, Arguments... more) -> R {
        check_position("node", id.value(), self.node_count());
        return (self.*member)(id, std::forward<Arguments>(more)...);
    };
}
template <class R, class... Arguments>
[[nodiscard]] auto of_node(R (Cluster::*member)(NodeId, Arguments...)) {
    return [member](Cluster& self, NodeId id, Arguments... more) -> R {
        check_position("node", id.value(), self.node_count());
        return (self.*member)(id, std::forward<Arguments>(more)...);
    };
}

void bind_cluster_questions(nb::class_<Cluster>& cluster) {
    cluster.def("parts", &Cluster::parts, doc("Cluster.parts"))
        .def("node_count", &Cluster::node_count, doc("Cluster.node_count"))
        .def("node", of_node(&Cluster::node), nb::arg("id"), "The node, which has to exist.")
        .def("name", of_node(&Cluster::name), nb::arg("id"), doc("Cluster.name"))
        .def("class_of", of_node(&Cluster::class_of), nb::rv_policy::copy, nb::arg("id"),
             doc("Cluster.class_of"))
        .def("find_node", &Cluster::find_node, nb::arg("name"), doc("Cluster.find_node"))
        .def("network", &Cluster::network, nb::rv_policy::copy, "How the nodes are connected.")
        .def("partitions", &Cluster::partitions, nb::rv_policy::copy,
             "Sets of nodes with limits, which may overlap.")
        .def("fleets", &Cluster::fleets, nb::rv_policy::copy, "Sets of nodes that do not overlap.")
        .def("counts", &Cluster::counts, nb::rv_policy::copy, doc("Cluster.counts"))
        .def("free_counts", &Cluster::free_counts, nb::rv_policy::copy,
             "What is free of the licences and the like.")
        .def("free", of_node(&Cluster::free), nb::rv_policy::copy, nb::arg("id"),
             doc("Cluster.free"))
        .def("ledger", of_node(&Cluster::ledger), nb::arg("id"), doc("Cluster.ledger"))
        .def("owners_on", of_node(&Cluster::owners_on), nb::arg("id"), doc("Cluster.owners_on"))
        .def("allocations", &Cluster::allocations, "All allocations, by owner.")
        .def("allocation_count", &Cluster::allocation_count, "How many owners have something.")
        .def(
            "find_allocation",
            [](const Cluster& self, OwnerId owner) -> std::optional<Allocation> {
                const Allocation* found = self.find_allocation(owner);
                return found ? std::optional(*found) : std::nullopt;
            },
            nb::arg("owner"), "What the owner has, or None.");
}

void bind_giving(nb::class_<Cluster>& cluster) {
    cluster
        .def(
            "commit",
            [](Cluster& self, const Allocation& allocation, const TraceSink& sink) {
                return self.commit(allocation, sink);
            },
            nb::arg("allocation"), nb::arg("sink") = nb::none(), doc("Cluster.commit"))
        .def(
            "adopt",
            [](Cluster& self, OwnerId owner, const Placement& placement, const TraceSink& sink) {
                return self.adopt(owner, placement, sink);
            },
            nb::arg("owner"), nb::arg("placement"), nb::arg("sink") = nb::none(),
            doc("Cluster.adopt"))
        .def("extend", &Cluster::extend, nb::arg("owner"), nb::arg("more"),
             nb::arg("sink") = nb::none(), doc("Cluster.extend"))
        .def("release", &Cluster::release, nb::arg("owner"), nb::arg("sink") = nb::none(),
             doc("Cluster.release"))
        .def("release_part", &Cluster::release_part, nb::arg("owner"), nb::arg("part"),
             nb::arg("sink") = nb::none(), doc("Cluster.release_part"));
}

void bind_changing(nb::class_<Cluster>& cluster) {
    cluster.def("add_node", &Cluster::add_node, nb::arg("node"), doc("Cluster.add_node"))
        .def("remove_node", of_node(&Cluster::remove_node), nb::arg("id"),
             doc("Cluster.remove_node"))
        .def("set_node_state", of_node(&Cluster::set_node_state), nb::arg("id"), nb::arg("state"),
             doc("Cluster.set_node_state"))
        .def("set_node_health", of_node(&Cluster::set_node_health), nb::arg("id"),
             nb::arg("health"), "A node that failed takes no new work; what runs there stays.")
        .def("set_node_weight", of_node(&Cluster::set_node_weight), nb::arg("id"),
             nb::arg("weight"),
             "Nodes of lower weight are taken first, by the policy that looks at it.")
        .def("set_node_features", of_node(&Cluster::set_node_features), nb::arg("id"),
             nb::arg("features"), "What requests may ask nodes to have.")
        .def("set_partitions", &Cluster::set_partitions, nb::arg("partitions"),
             doc("Cluster.set_partitions"))
        .def("set_fleets", &Cluster::set_fleets, nb::arg("fleets"),
             "All fleets anew. Errors: ValueError for a node in two, or one that does not exist.")
        .def("add_to_fleet", &Cluster::add_to_fleet, nb::arg("fleet"), nb::arg("node"),
             doc("Cluster.add_to_fleet"))
        .def("remove_from_fleet", &Cluster::remove_from_fleet, nb::arg("fleet"), nb::arg("node"),
             doc("Cluster.remove_from_fleet"))
        .def("set_network", &Cluster::set_network, nb::arg("network"),
             "The network anew. Errors: ValueError for a node that does not exist.")
        .def("set_counts", &Cluster::set_counts, nb::arg("counts"), doc("Cluster.set_counts"));
}

void bind_value_of_cluster(nb::class_<Cluster>& cluster) {
    bind_equality(cluster);
    cluster.def("to_bytes", &cluster_bytes, doc("to_bytes"))
        .def_static("from_bytes", &cluster_from, nb::arg("bytes"), doc("from_bytes"));
    cluster.def("__copy__", [](const Cluster& self) { return self; });
    cluster.def(
        "__deepcopy__", [](const Cluster& self, nb::handle) { return self; }, nb::arg("memo"));
    cluster.def("__getstate__", &cluster_bytes);
    cluster.def("__setstate__", [](Cluster& self, const nb::bytes& bytes) {
        auto cluster = cluster_from(bytes);
        raise_if_error(cluster.status());
        new (&self) Cluster(*std::move(cluster));
    });
    cluster.def("__repr__", [](const Cluster& self) {
        constexpr std::uint32_t most = 4'096;  // of more, the text takes its time
        if (self.allocation_count() == 0 && self.node_count() <= most) {
            const auto text = testing::cluster_to_text(self.parts());
            if (text && text->size() < 170) return "Cluster.from_text('" + *text + "')";
        }
        return fmt::format("<Cluster of {} nodes, {} allocations>", self.node_count(),
                           self.allocation_count());
    });
}

void bind_differences(nb::module_& module) {
    bind_struct<Change<NodeId, Node>>(module, "NodeChange", "Change");
    bind_struct<Change<OwnerId, Allocation>>(module, "AllocationChange", "Change");
    bind_struct<Change<std::string, Partition>>(module, "PartitionChange", "Change");
    bind_struct<Change<std::string, Fleet>>(module, "FleetChange", "Change");
    bind_struct<Change<std::string, ClusterCount>>(module, "CountChange", "Change");
    nb::class_<ClusterDiff> type(module, "ClusterDiff", doc("ClusterDiff"));
    complete_struct(type, module, "ClusterDiff");
    type.def("is_empty", &ClusterDiff::is_empty, "True when nothing differs.");
    module.def("diff", &diff, nb::arg("before"), nb::arg("after"), doc("diff(Cluster)"));
}

}  // namespace

void bind_cluster(nb::module_& module) {
    bind_struct<ClusterParts>(module, "ClusterParts");
    bind_struct<NodeClass>(module, "NodeClass");
    nb::class_<Cluster> cluster(
        module, "Cluster",
        "Nodes, their network, and the allocations of owners.\n\nA copy is independent of the "
        "original, and cheap.");
    cluster.def(nb::init<>(), doc("Cluster.Cluster"))
        .def_static("create", nb::overload_cast<const ClusterParts&>(&Cluster::create),
                    nb::arg("parts"), doc("Cluster.create"))
        .def_static(
            "from_text", [](std::string_view text) { return testing::cluster_from_text(text); },
            nb::arg("text"),
            "The idle cluster that a line describes, as `64 x (2s16c2t mem=512G gpu:4) 4 per "
            "switch`; see trestle.testing. Errors: ValueError.");
    nb::class_<TrialMark>(module, "TrialMark", doc("TrialMark"));
    bind_trial<Cluster::Trial>(module, cluster, "Trial", "Cluster.Trial");
    bind_cluster_questions(cluster);
    bind_giving(cluster);
    bind_changing(cluster);
    bind_value_of_cluster(cluster);
    bind_differences(module);
}

}  // namespace trestle::python
