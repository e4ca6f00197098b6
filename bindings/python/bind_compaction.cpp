// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/function.h>

#include <functional>
#include <optional>
#include <vector>

#include "bind_struct.hpp"
#include "bindings.hpp"
#include "node_filter.hpp"
#include "trestle/alloc/schedule/compaction.hpp"
#include "watched.hpp"

namespace trestle::python {

void bind_compaction(nb::module_& module) {
    bind_struct<CompactionPlan::Move>(module, "Move", "CompactionPlan.Move");
    bind_struct<CompactionRules>(module, "CompactionRules");
    bind_struct<CompactionPlan>(module, "CompactionPlan");
    bind_struct<FragmentationPlan>(module, "FragmentationPlan");
    module.def(
        "plan_compaction",
        [](const Cluster& cluster, const PreparedRequest& request,
           const std::vector<OwnerId>& movable, const CompactionRules& rules,
           const PlaceOptions& options, const std::optional<NodeSet>& candidates,
           const std::function<bool(NodeId)>& predicate) {
            CallProgress progress("compaction", "trial", rules.trials_max);
            return plan_compaction(cluster, request, movable, rules, options,
                                   filter_of(cluster, candidates, predicate),
                                   [&] { progress.next(); });
        },
        nb::arg("cluster"), nb::arg("request"), nb::arg("movable"),
        nb::arg("rules") = CompactionRules(), nb::arg("options") = PlaceOptions(),
        nb::arg("candidates") = nb::none(), nb::arg("predicate") = nb::none(),
        doc("plan_compaction"));
    module.def(
        "plan_defragmentation",
        [](const Cluster& cluster, const std::vector<OwnerId>& movable,
           const CompactionRules& rules, const PlaceOptions& options) {
            CallProgress progress("defragmentation", "trial", rules.trials_max);
            return plan_defragmentation(cluster, movable, rules, options, [&] { progress.next(); });
        },
        nb::arg("cluster"), nb::arg("movable"), nb::arg("rules") = CompactionRules(),
        nb::arg("options") = PlaceOptions(), doc("plan_defragmentation"));
    module.def("expected_fragments", &expected_fragments, nb::arg("cluster"), nb::arg("options"),
               doc("expected_fragments"));
}

}  // namespace trestle::python
