// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/function.h>

#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/alloc/explain.hpp"
#include "trestle/alloc/place.hpp"
#include "trestle/alloc/place/place_many.hpp"

namespace trestle::python {
namespace {

/// What Python gives to leave nodes out. Lives as long as the decision.
[[nodiscard]] NodeFilter filter_of(const std::optional<NodeSet>& candidates,
                                   const std::function<bool(NodeId)>& predicate) {
    return {candidates ? &*candidates : nullptr, predicate};
}

/// A function of Python's as a score: one number, or a pair of them.
[[nodiscard]] ScoreFunction score_function(nb::object function) {
    if (function.is_none()) return {};
    return [function = std::move(function)](const ScoreInput& input) {
        const nb::object answer = function(nb::cast(input, nb::rv_policy::reference));
        if (nb::isinstance<nb::tuple>(answer)) {
            const auto both = nb::cast<std::pair<double, double>>(answer);
            return Score{both.first, both.second};
        }
        return Score{nb::cast<double>(answer), 0};
    };
}

void bind_policies(nb::module_& module) {
    bind_enum<Policy>(module, "Policy");
    bind_struct<TypicalJob>(module, "TypicalJob");
    bind_struct<PolicyOptions>(module, "PolicyOptions");
    bind_struct<PlaceOptions>(module, "PlaceOptions");
    nb::class_<NodeAmounts>(module, "NodeAmounts", doc("NodeAmounts"))
        .def_ro("milli_cpus", &NodeAmounts::milli_cpus, "Thousandths of hardware threads.")
        .def_ro("all_devices", &NodeAmounts::all_devices, doc("NodeAmounts.all_devices"))
        .def_prop_ro(
            "devices",
            [](const NodeAmounts& self) {
                return std::vector<std::int64_t>(self.devices.begin(), self.devices.end());
            },
            doc("NodeAmounts.devices"));
    nb::class_<ScoreInput>(module, "ScoreInput",
                           "What a score is made from. Good only inside the function that gives "
                           "it.")
        .def_prop_ro(
            "features", [](const ScoreInput& self) { return self.node_class.features; },
            "Of the node.")
        .def_prop_ro(
            "weight", [](const ScoreInput& self) { return self.node_class.weight; }, "Of the node.")
        .def_prop_ro(
            "free", [](const ScoreInput& self) { return self.state.free; },
            "What is left of the node before.")
        .def_prop_ro(
            "demand", [](const ScoreInput& self) { return self.demand; }, doc("ScoreInput.demand"))
        .def_prop_ro(
            "placement", [](const ScoreInput& self) { return self.placement; },
            doc("ScoreInput.placement"))
        .def_prop_ro(
            "before", [](const ScoreInput& self) { return self.before; },
            "What is left before, as policies count it.")
        .def_prop_ro(
            "after", [](const ScoreInput& self) { return self.after; },
            "What would be left afterwards.");
}

void bind_placer(nb::module_& module) {
    nb::class_<Placer>(
        module, "Placer",
        "place() with a memory, for whoever decides more than once.\n\nIt answers as place() does, "
        "and remembers what the nodes said: a decision costs what changed in the cluster since the "
        "last one. With `score`, a function from ScoreInput to a number or a pair of numbers, the "
        "highest comes first in place of the policy's order; it has to give equal numbers for "
        "equal input.")
        .def(
            "__init__",
            [](Placer* self, PlaceOptions options, nb::object score) {
                new (self) Placer(std::move(options), score_function(std::move(score)));
            },
            nb::arg("options") = PlaceOptions(), nb::arg("score") = nb::none(),
            nb::sig("def __init__(self, options: PlaceOptions = ..., score: "
                    "collections.abc.Callable[[ScoreInput], float | tuple[float, float]] | None = "
                    "None) -> None"))
        .def("options", &Placer::options, nb::rv_policy::copy, "What it decides by.")
        .def(
            "place",
            [](Placer& self, const Cluster& cluster, const Request& request,
               const std::optional<NodeSet>& candidates,
               const std::function<bool(NodeId)>& predicate) {
                raise_if_error(check(request));
                return self.place(cluster, Shared<Request>(request),
                                  filter_of(candidates, predicate));
            },
            nb::arg("cluster"), nb::arg("request"), nb::arg("candidates") = nb::none(),
            nb::arg("predicate") = nb::none(), doc("Placer.place"));
}

void bind_lists(nb::module_& module) {
    bind_struct<JobOrder>(module, "JobOrder");
    bind_enum<OnFailure>(module, "OnFailure");
    bind_struct<PlaceManyOptions>(module, "PlaceManyOptions");
    bind_struct<RefusedJob>(module, "RefusedJob");
    bind_struct<PlacedJobs>(module, "PlacedJobs");
    module.def(
        "place_many",
        [](Cluster& cluster, const std::vector<JobOrder>& jobs, Placer& placer,
           const PlaceManyOptions& options) {
            for (const JobOrder& job : jobs) raise_if_error(check(*job.request));
            return place_many(cluster, jobs, placer, options);
        },
        nb::arg("cluster"), nb::arg("jobs"), nb::arg("placer"),
        nb::arg("options") = PlaceManyOptions(), doc("place_many"));
}

void bind_explanations(nb::module_& module) {
    bind_struct<ConstraintCount>(module, "ConstraintCount");
    bind_enum<PlaceChangeKind>(module, "PlaceChangeKind");
    bind_struct<PlaceRelaxation>(module, "PlaceRelaxation");
    bind_struct<Explanation>(module, "Explanation");
    module.def(
        "explain",
        [](const Cluster& cluster, const Request& request, const PlaceOptions& options,
           const std::optional<NodeSet>& candidates, const std::function<bool(NodeId)>& predicate) {
            raise_if_error(check(request));
            return explain(cluster, request, options, filter_of(candidates, predicate));
        },
        nb::arg("cluster"), nb::arg("request"), nb::arg("options") = PlaceOptions(),
        nb::arg("candidates") = nb::none(), nb::arg("predicate") = nb::none(), doc("explain"));
    module.def(
        "find_evictions",
        [](const Cluster& cluster, const Request& request, const PlaceOptions& options,
           std::uint64_t trials_max) {
            raise_if_error(check(request));
            return find_evictions(cluster, request, options, {}, trials_max);
        },
        nb::arg("cluster"), nb::arg("request"), nb::arg("options") = PlaceOptions(),
        nb::arg("trials_max") = 1000, doc("find_evictions"));
}

}  // namespace

void bind_place(nb::module_& module) {
    bind_policies(module);
    bind_placer(module);
    bind_lists(module);
    bind_explanations(module);
    // The GIL stays: a Cluster may change, and a search is shorter than a change of thread.
    module.def(
        "place",
        [](const Cluster& cluster, const Request& request, const PlaceOptions& options,
           const std::optional<NodeSet>& candidates, const std::function<bool(NodeId)>& predicate) {
            raise_if_error(check(request));
            return place(cluster, request, options, filter_of(candidates, predicate));
        },
        nb::arg("cluster"), nb::arg("request"), nb::arg("options") = PlaceOptions(),
        nb::arg("candidates") = nb::none(), nb::arg("predicate") = nb::none(), doc("place"));
    module.def("refuse_node", &refuse_node, nb::arg("cluster"), nb::arg("id"), nb::arg("request"),
               doc("refuse_node"));
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

}  // namespace trestle::python
