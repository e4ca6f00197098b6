// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/function.h>

#include "bind_struct.hpp"
#include "bindings.hpp"
#include "columns.hpp"
#include "node_filter.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/cluster/place/place_many.hpp"
#include "trestle/alloc/schedule/explain.hpp"
#include "trestle/alloc/schedule/preemption.hpp"
#include "watched.hpp"

namespace trestle::python {
namespace {

void bind_policies(nb::module_& module) {
    bind_enum<Policy>(module, "Policy");
    bind_struct<PolicyOptions::TypicalJob>(module, "TypicalJob", "PolicyOptions.TypicalJob");
    bind_struct<PolicyOptions>(module, "PolicyOptions");
    bind_struct<PlaceOptions>(module, "PlaceOptions");
}

void bind_prepared(nb::module_& module) {
    nb::class_<PreparedHandle>(module, "PreparedRequest", doc("PreparedRequest"))
        .def(
            "__init__",
            [](PreparedHandle* self, const PreparedRequest& request) {
                new (self) PreparedHandle{request};
            },
            nb::arg("request"), doc("PreparedRequest.create"))
        .def_prop_ro(
            "request", [](const PreparedHandle& self) { return self.request; }, "The request.")
        .def("__eq__",
             [](const PreparedHandle& self, nb::handle other) {
                 return nb::isinstance<PreparedHandle>(other) &&
                        self.request == nb::cast<const PreparedHandle&>(other).request;
             })
        .def("__hash__", [](const PreparedHandle& self) { return hash_of(self.request); })
        .def("__repr__", [](const PreparedHandle& self) {
            constexpr std::size_t longest = 170;
            nb::object text = nb::str(to_text(self.request).c_str());
            if (nb::len(text) > longest) text = text[nb::slice(longest)] + nb::str("...");
            return "<PreparedRequest of " + nb::cast<std::string>(text) + ">";
        });
}

void bind_placer(nb::module_& module) {
    static PyType_Slot slots[] = {
        {Py_tp_traverse, reinterpret_cast<void*>(visit_policy<ColumnPlacer>)},
        {Py_tp_clear, reinterpret_cast<void*>(clear_policy<ColumnPlacer>)},
        {0, nullptr}};
    nb::class_<ColumnPlacer>(
        module, "Placer", nb::type_slots(slots),
        "place() with a cache, for repeated decisions.\n\nIt answers as place() does, "
        "and remembers what the nodes said: a decision costs what changed in the cluster since the "
        "last one. A `policy` stands in place of the options' policy. It is a name, a scoring "
        "expression as text, or a function of the caller's own from PolicyColumns to an array of "
        "scores.")
        .def(
            "__init__",
            [](ColumnPlacer* self, PlaceOptions options, const ColumnPolicy& policy) {
                new (self) ColumnPlacer(std::move(options), policy);
            },
            nb::arg("options") = PlaceOptions(), nb::arg("policy") = nb::none())
        .def(
            "options", [](const ColumnPlacer& self) { return self.options(); },
            "What it decides by.")
        .def(
            "place",
            [](ColumnPlacer& self, const Cluster& cluster, const PreparedRequest& request,
               const std::optional<NodeSet>& candidates,
               const std::function<bool(NodeId)>& predicate) {
                const Deciding scope(self, cluster);
                return self.place(cluster, request, filter_of(cluster, candidates, predicate));
            },
            nb::arg("cluster"), nb::arg("request"), nb::arg("candidates") = nb::none(),
            nb::arg("predicate") = nb::none(), doc("Placer.place"));
}

void bind_lists(nb::module_& module) {
    bind_struct<JobOrder>(module, "JobOrder");
    bind_enum<PlaceManyOptions::OnFailure>(module, "OnFailure", "PlaceManyOptions.OnFailure");
    bind_struct<PlaceManyOptions>(module, "PlaceManyOptions");
    bind_struct<PlacedJobs::Refused>(module, "RefusedJob", "PlacedJobs.Refused");
    bind_struct<PlacedJobs>(module, "PlacedJobs");
    module.def(
        "place_many",
        [](Cluster& cluster, const std::vector<JobOrder>& jobs, ColumnPlacer& placer,
           const PlaceManyOptions& options) {
            const Deciding scope(placer, cluster);
            Watched watched(static_cast<Placer&>(placer), "placing", jobs.size());
            Cluster::Trial attempt(
                cluster);  // ends unkept where the policy raises, or a signal's handler
            auto placed = watched.run([&] {
                return naming_the_job(jobs, placer, "",
                                      [&] { return place_many(cluster, jobs, placer, options); });
            });
            attempt.keep();
            return placed;
        },
        nb::arg("cluster"), nb::arg("jobs"), nb::arg("placer"),
        nb::arg("options") = PlaceManyOptions(), doc("place_many"));
    module.def(
        "release_many",
        [](Cluster& cluster, const std::vector<OwnerId>& owners) {
            raise_if_error(release_many(cluster, owners));
        },
        nb::arg("cluster"), nb::arg("owners"), doc("release_many"));
}

void bind_explanations(nb::module_& module) {
    bind_struct<Explanation::Removal>(module, "ConstraintCount", "Explanation.Removal");
    bind_enum<Explanation::Relaxation::Kind>(module, "PlaceChangeKind",
                                             "Explanation.Relaxation.Kind");
    bind_struct<Explanation::Relaxation>(module, "PlaceRelaxation", "Explanation.Relaxation");
    bind_struct<Explanation>(module, "Explanation");
    module.def(
        "explain",
        [](const Cluster& cluster, const PreparedRequest& request, const PlaceOptions& options,
           const std::optional<NodeSet>& candidates, const std::function<bool(NodeId)>& predicate,
           std::uint64_t trials_max) {
            return explain(cluster, request, options, filter_of(cluster, candidates, predicate),
                           trials_max);
        },
        nb::arg("cluster"), nb::arg("request"), nb::arg("options") = PlaceOptions(),
        nb::arg("candidates") = nb::none(), nb::arg("predicate") = nb::none(),
        nb::arg("trials_max") = 1000, doc("explain(Cluster)"));
}

void bind_preemption(nb::module_& module) {
    bind_struct<PreemptionPlan::Victim>(module, "Victim", "PreemptionPlan.Victim");
    bind_struct<PreemptionRules>(module, "PreemptionRules");
    bind_struct<PreemptionPlan>(module, "PreemptionPlan");
    module.def(
        "plan_preemption",
        [](const Cluster& cluster, const PreparedRequest& request,
           const std::vector<PreemptionPlan::Victim>& victims, const PreemptionRules& rules,
           const PlaceOptions& options, const std::optional<NodeSet>& candidates,
           const std::function<bool(NodeId)>& predicate) {
            return plan_preemption(cluster, request, victims, rules, options,
                                   filter_of(cluster, candidates, predicate));
        },
        nb::arg("cluster"), nb::arg("request"), nb::arg("victims"),
        nb::arg("rules") = PreemptionRules(), nb::arg("options") = PlaceOptions(),
        nb::arg("candidates") = nb::none(), nb::arg("predicate") = nb::none(),
        doc("plan_preemption"));
}

}  // namespace

void bind_place(nb::module_& module) {
    bind_policies(module);
    bind_prepared(module);
    bind_placer(module);
    bind_lists(module);
    bind_explanations(module);
    bind_preemption(module);
    const std::string place_text =
        std::string(doc("place")) +
        "\nA `policy` stands in place of the options' policy. It is a name, a scoring expression "
        "as "
        "text, or a\nfunction of the caller's own from PolicyColumns to an array of scores.";
    // The GIL stays: a Cluster may change, and a search is shorter than a change of thread.
    module.def(
        "place",
        [](const Cluster& cluster, const PreparedRequest& request, const PlaceOptions& options,
           const std::optional<NodeSet>& candidates, const std::function<bool(NodeId)>& predicate,
           const ColumnPolicy& policy) {
            return Placer(with_policy(options, policy),
                          score_function(policy, std::make_shared<const Cluster*>(&cluster)))
                .place(cluster, request, filter_of(cluster, candidates, predicate));
        },
        nb::arg("cluster"), nb::arg("request"), nb::arg("options") = PlaceOptions(),
        nb::arg("candidates") = nb::none(), nb::arg("predicate") = nb::none(),
        nb::arg("policy") = nb::none(), place_text.c_str());
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

}  // namespace trestle::python
