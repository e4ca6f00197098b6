// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/testing/cluster_text.hpp"
#include "trestle/testing/diff.hpp"
#include "trestle/testing/generators.hpp"
#include "trestle/testing/node_text.hpp"
#include "trestle/testing/operations.hpp"
#include "trestle/testing/scripted_enforcer.hpp"

namespace trestle::python {
namespace {

void bind_texts(nb::module_& module) {
    module.def("node_from_text", &testing::node_from_text, nb::arg("text"),
               doc("testing.node_from_text"));
    module.def("node_to_text", &testing::node_to_text, nb::arg("node"),
               doc("testing.node_to_text"));
    module.def("cluster_from_text", &testing::cluster_from_text, nb::arg("text"),
               doc("testing.cluster_from_text"));
    module.def("cluster_parts_from_text", &testing::cluster_parts_from_text, nb::arg("text"),
               doc("testing.cluster_parts_from_text"));
    module.def("cluster_to_text", &testing::cluster_to_text, nb::arg("parts"),
               doc("testing.cluster_to_text"));
    module.def(
        "diff", [](const Placement& a, const Placement& b) { return testing::diff(a, b); },
        nb::arg("before"), nb::arg("after"),
        "The lines that differ: `- ` only before, `+ ` only after; empty when equal.");
    module.def(
        "diff", [](const Plan& a, const Plan& b) { return testing::diff(a, b); }, nb::arg("before"),
        nb::arg("after"),
        "The lines that differ: `- ` only before, `+ ` only after; empty when equal.");
}

void bind_generators(nb::module_& module) {
    auto type = nb::class_<testing::Operation>(module, "Operation", doc("testing.Operation"));
    bind_enum<testing::Operation::Kind>(type, "Kind");
    complete_struct(type, module, "Operation");
    const auto seed = nb::arg("seed");
    module.def(
        "any_node",
        [](std::uint64_t number) {
            testing::Choices choices(number);
            return testing::any_node(choices);
        },
        seed, "A node that check() accepts; the same for the same seed, everywhere.");
    module.def(
        "any_request",
        [](std::uint64_t number) {
            testing::Choices choices(number);
            return testing::any_request(choices);
        },
        seed, "A request that check() accepts; the same for the same seed, everywhere.");
    module.def(
        "any_cluster",
        [](std::uint64_t number) {
            testing::Choices choices(number);
            return testing::any_cluster(choices);
        },
        seed, "An idle cluster; the same for the same seed, everywhere.");
    module.def(
        "any_operations",
        [](std::uint64_t number, std::uint32_t nodes) {
            TRESTLE_EXPECTS(nodes > 0, "operations need a node");
            testing::Choices choices(number);
            testing::Bounds::History bounds;
            bounds.nodes = nodes;
            return testing::any_operations(choices, bounds);
        },
        seed, nb::arg("nodes"),
        "Submits, releases and drains on a cluster of `nodes` nodes; the same for the same seed.");
    module.def(
        "play",
        [](Cluster& cluster, const testing::Operation& operation) {
            testing::play(cluster, operation);
        },
        nb::arg("cluster"), nb::arg("operation"), doc("testing.play"));
}

void bind_scripts(nb::module_& module) {
    using testing::ManualClock;
    using testing::ScriptedEnforcer;
    module.def("seconds", &testing::seconds, nb::arg("n"), "`n` seconds in microseconds.");
    module.def("milliseconds", &testing::milliseconds, nb::arg("n"),
               "`n` milliseconds in microseconds.");
    nb::class_<ManualClock>(module, "ManualClock",
                            "Time in microseconds from 0, which passes when the test says so.")
        .def(nb::init<>(), "At 0.")
        .def("now", &ManualClock::now, "Microseconds since the start.")
        .def("advance", &ManualClock::advance, nb::arg("duration"), "In microseconds.")
        .def("advance_to", &ManualClock::advance_to, nb::arg("time"),
             doc("testing.ManualClock.advance_to"));
    bind_struct<testing::ScriptedEnforcer::Script::MemoryPoint>(
        module, "MemoryPoint", "ScriptedEnforcer.Script.MemoryPoint");
    bind_struct<testing::ScriptedEnforcer::Script>(module, "Script", "ScriptedEnforcer.Script");
    nb::class_<ScriptedEnforcer, Enforcer>(
        module, "ScriptedEnforcer",
        "An enforcer whose commands do what a script says, in the time of a manual clock.")
        .def(nb::init<ManualClock&>(), nb::arg("clock"), nb::keep_alive<1, 2>(),
             "All commands end at once with exit code 0 until a script says otherwise.")
        .def("set_script", &ScriptedEnforcer::set_script, nb::arg("program"), nb::arg("script"),
             doc("testing.ScriptedEnforcer.set_script"))
        .def("state", &ScriptedEnforcer::state, nb::rv_policy::reference_internal,
             doc("testing.ScriptedEnforcer.state"));
}

}  // namespace

void bind_testing(nb::module_& top) {
    nb::module_ module = top.def_submodule("testing", "Tools for tests of schedulers.");
    bind_texts(module);
    bind_generators(module);
    bind_scripts(module);
}

}  // namespace trestle::python
