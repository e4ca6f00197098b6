// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/explain.hpp"
#include "trestle/alloc/fit/demand.hpp"
#include "trestle/alloc/fit/fit_explanation.hpp"
#include "trestle/alloc/fit/free_state.hpp"
#include "trestle/alloc/match.hpp"
#include "trestle/dialect/json/cluster.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/enforce/explain_limits.hpp"
#include "trestle/enforce/plan.hpp"

namespace trestle::python {
namespace {

/// Adds to_json and from_json to a class that is bound already.
template <class T>
void add_json() {
    const nb::handle type = nb::type<T>();
    nb::cpp_function_def([](const T& self) { return json::to_json_text(self); }, nb::scope(type),
                         nb::name("to_json"), nb::is_method(),
                         "The value as JSON in one line; equal values have equal text.");
    nb::cpp_function_def(
        [](std::string_view text) { return json::from_json_text<T>(text); }, nb::scope(type),
        nb::name("from_json"), nb::arg("text"),
        "The value that `text` describes: from_json(x.to_json()) == x. Errors: ValueError.");
}

template <class... T>
void add_json_to() {
    (add_json<T>(), ...);
}

}  // namespace

void bind_json(nb::module_&) {
    add_json_to<Node, NodeShape, Network, Partition, Fleet, ClusterParts, Cluster>();
    add_json_to<SliceGeometry, Slicing, NodeDemand, FreeState, FitExplanation>();
    add_json_to<Request, Offer, OfferMatch, NodePlacement, Placement, Allocation, Explanation>();
    add_json_to<LimitPolicy, Plan, LimitRow, Command, Outcome, Usage>();
}

}  // namespace trestle::python
