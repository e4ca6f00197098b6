// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/function.h>

#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/alloc/blocks.hpp"
#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/explain.hpp"
#include "trestle/alloc/match.hpp"
#include "trestle/alloc/place.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle::python {
namespace {

using ClusterState = std::pair<ClusterParts, std::vector<Allocation>>;

/// The same allocations on a new cluster of the same parts.
[[nodiscard]] Cluster restored(const ClusterState& state) {
    auto cluster = Cluster::create(state.first);
    raise_if_error(cluster.status());
    for (const Allocation& allocation : state.second) raise_if_error(cluster->commit(allocation));
    return *std::move(cluster);
}

void bind_cluster(nb::module_& module) {
    bind_struct<ClusterParts>(module, "ClusterParts");
    nb::class_<Cluster> cluster(
        module, "Cluster",
        "Nodes, what they are connected by, and who has what.\n\nChanges: commit, release, "
        "release_part and set_node_state. A copy is independent of the original.");
    cluster.def(nb::init<>(), doc("Cluster.Cluster"))
        .def_static("create", &Cluster::create, nb::arg("parts"), doc("Cluster.create"))
        .def_static(
            "from_text", [](std::string_view text) { return testing::cluster_from_text(text); },
            nb::arg("text"),
            "The idle cluster that a line describes, as `64 x (2s16c2t mem=512G gpu:4) 4 per "
            "switch`; see trestle.testing. Errors: ValueError.")
        .def("parts", &Cluster::parts, nb::rv_policy::copy, "What the cluster is made of.")
        .def("node_count", &Cluster::node_count, "The number of nodes.")
        .def("node", &Cluster::node, nb::rv_policy::copy, nb::arg("id"), doc("Cluster.node"))
        .def("usage", &Cluster::usage, nb::rv_policy::copy, nb::arg("id"),
             "A copy of what is taken on the node, which has to exist.")
        .def("find_node", &Cluster::find_node, nb::arg("name"), doc("Cluster.find_node"))
        .def("allocations", &Cluster::allocations, nb::rv_policy::copy,
             "All allocations, by owner.")
        .def(
            "find_allocation",
            [](const Cluster& self, OwnerId owner) -> std::optional<Allocation> {
                const Allocation* found = self.find_allocation(owner);
                return found ? std::optional(*found) : std::nullopt;
            },
            nb::arg("owner"), doc("Cluster.find_allocation"))
        .def(
            "commit",
            [](Cluster& self, const Allocation& allocation, const TraceSink& sink) {
                return self.commit(allocation, sink);
            },
            nb::arg("allocation"), nb::arg("sink") = nb::none(), doc("Cluster.commit"))
        .def(
            "release",
            [](Cluster& self, OwnerId owner, const TraceSink& sink) {
                return self.release(owner, sink);
            },
            nb::arg("owner"), nb::arg("sink") = nb::none(), doc("Cluster.release"))
        .def(
            "release_part",
            [](Cluster& self, OwnerId owner, const Placement& part, const TraceSink& sink) {
                return self.release_part(owner, part, sink);
            },
            nb::arg("owner"), nb::arg("part"), nb::arg("sink") = nb::none(),
            doc("Cluster.release_part"))
        .def("set_node_state", &Cluster::set_node_state, nb::arg("id"), nb::arg("state"),
             doc("Cluster.set_node_state"));
    cluster.def(
        "__eq__", [](const Cluster& a, const Cluster& b) { return a == b; }, nb::is_operator(),
        nb::sig("def __eq__(self, other: object, /) -> bool"));
    cluster.def("__copy__", [](const Cluster& self) { return self; });
    cluster.def(
        "__deepcopy__", [](const Cluster& self, nb::handle) { return self; }, nb::arg("memo"));
    cluster.def("__getstate__",
                [](const Cluster& self) { return std::pair(self.parts(), self.allocations()); });
    cluster.def("__setstate__", [](Cluster& self, const ClusterState& state) {
        new (&self) Cluster(restored(state));
    });
    cluster.def("__repr__", [](const Cluster& self) {
        const auto text = testing::cluster_to_text(self.parts());
        if (text && self.allocations().empty()) return "Cluster.from_text('" + *text + "')";
        return fmt::format("<Cluster of {} nodes, {} allocations>", self.node_count(),
                           self.allocations().size());
    });
}

void bind_placing(nb::module_& module) {
    bind_enum<Policy>(module, "Policy");
    bind_struct<PlaceOptions>(module, "PlaceOptions");
    bind_struct<ConstraintCount>(module, "ConstraintCount");
    bind_struct<Explanation>(module, "Explanation");
    // The GIL stays: a Cluster may change, and a search is shorter than a change of thread.
    module.def("place", &place, nb::arg("cluster"), nb::arg("request"),
               nb::arg("options") = PlaceOptions(), doc("place"));
    module.def("refuse_node", &refuse_node, nb::arg("cluster"), nb::arg("id"), nb::arg("request"),
               doc("refuse_node"));
    module.def("explain", &explain, nb::arg("cluster"), nb::arg("request"),
               nb::arg("options") = PlaceOptions(), doc("explain"));
    module.def("socket_count", &socket_count, nb::arg("shape"), doc("socket_count"));
    module.def(
        "to_text",
        [](const Placement& placement, const Cluster& cluster) {
            for (const NodePlacement& part : placement.nodes) {
                const auto devices = cluster.node(part.node).shape->devices.size();
                const auto last = part.device_set().last();
                TRESTLE_EXPECTS(!last || last->value() < devices, "the devices exist");
            }
            return to_text(placement, cluster);
        },
        nb::arg("placement"), nb::arg("cluster"), doc("to_text(Placement)"));
}

void bind_offers(nb::module_& module) {
    bind_struct<OfferMatch>(module, "OfferMatch");
    module.def("check_offer", &check_offer, nb::arg("offer"), nb::arg("request"),
               doc("check_offer"));
    module.def(
        "match_offers",
        [](const std::vector<Offer>& offers, const Request& request) {
            return match_offers(offers, request);
        },
        nb::arg("offers"), nb::arg("request"), doc("match_offers"));
    module.def("check_blocks", &check_blocks, nb::arg("offer"), doc("check_blocks"));
    module.def(
        "share_of",
        [](const Offer& offer, Count blocks) {
            TRESTLE_EXPECTS(!check_blocks(offer), "the offer divides into its blocks");
            return share_of(offer, blocks);
        },
        nb::arg("offer"), nb::arg("blocks"), doc("share_of"));
    module.def(
        "split", [](const NodeShape& shape, Count blocks) { return split(shape, blocks); },
        nb::arg("shape"), nb::arg("blocks"), doc("split"));
}

}  // namespace

void bind_alloc(nb::module_& module) {
    bind_cluster(module);
    bind_placing(module);
    bind_offers(module);
}

}  // namespace trestle::python
