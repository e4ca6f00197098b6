// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/function.h>

#include <functional>
#include <optional>
#include <vector>

#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/alloc/compaction.hpp"

namespace trestle::python {

void bind_compaction(nb::module_& module) {
    bind_struct<Move>(module, "Move");
    bind_struct<CompactionRules>(module, "CompactionRules");
    bind_struct<CompactionPlan>(module, "CompactionPlan");
    bind_struct<FragmentationPlan>(module, "FragmentationPlan");
    module.def(
        "plan_compaction",
        [](const Cluster& cluster, const Request& request, const std::vector<OwnerId>& movable,
           const CompactionRules& rules, const PlaceOptions& options,
           const std::optional<NodeSet>& candidates,
           const std::function<bool(NodeId)>& predicate) -> StatusOr<Verdict<CompactionPlan>> {
            TRESTLE_TRY_STATUS(check(request));
            return plan_compaction(cluster, request, movable, rules, options,
                                   {candidates ? &*candidates : nullptr, predicate});
        },
        nb::arg("cluster"), nb::arg("request"), nb::arg("movable"),
        nb::arg("rules") = CompactionRules(), nb::arg("options") = PlaceOptions(),
        nb::arg("candidates") = nb::none(), nb::arg("predicate") = nb::none(),
        doc("plan_compaction"));
    module.def(
        "plan_compaction",
        [](const Cluster& cluster, const std::vector<OwnerId>& movable, const PlaceOptions& options,
           const CompactionRules& rules) {
            return plan_compaction(cluster, movable, options, rules);
        },
        nb::arg("cluster"), nb::arg("movable"), nb::arg("options"),
        nb::arg("rules") = CompactionRules(),
        "Without a request: moves of `movable` owners, each feasible when its turn comes and each "
        "with less\nexpected_fragments() behind it than before. ValueError when the options name "
        "no typical jobs.");
    module.def("expected_fragments", &expected_fragments, nb::arg("cluster"), nb::arg("options"),
               doc("expected_fragments"));
}

}  // namespace trestle::python
