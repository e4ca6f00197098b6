// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/set.h>

#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/enforce/enforcer.hpp"
#include "trestle/enforce/memory_enforcer.hpp"

namespace trestle::python {
namespace {

/// The calls of the interface; every implementation has them by inheritance.
void bind_interface(nb::module_& module) {
    nb::class_<Enforcer>(module, "Enforcer", doc("Enforcer"))
        .def(
            "apply",
            [](Enforcer& self, const Plan& plan, const TraceSink& trace) {
                return self.apply(plan, trace);
            },
            nb::arg("plan"), nb::arg("trace") = nb::none(), doc("Enforcer.apply"))
        .def("run", &Enforcer::run, nb::arg("step"), doc("Enforcer.run"))
        .def("spawn", &Enforcer::spawn, nb::arg("plan"), nb::arg("command"), doc("Enforcer.spawn"))
        .def("attach", &Enforcer::attach, nb::arg("group"), nb::arg("pid"), doc("Enforcer.attach"))
        .def("wait", &Enforcer::wait, nb::arg("child"), nb::call_guard<nb::gil_scoped_release>(),
             doc("Enforcer.wait"))
        .def("poll", &Enforcer::poll, nb::arg("child"), doc("Enforcer.poll"))
        .def("signal", &Enforcer::signal, nb::arg("group"), nb::arg("signal_number"),
             doc("Enforcer.signal"))
        .def("freeze", &Enforcer::freeze, nb::arg("group"), doc("Enforcer.freeze"))
        .def("thaw", &Enforcer::thaw, nb::arg("group"), "Lets a frozen group go on.")
        .def("observe", &Enforcer::observe, nb::arg("group"), "What the group uses and has used.")
        .def("remove", &Enforcer::remove, nb::arg("group"), doc("Enforcer.remove"))
        .def("recover", &Enforcer::recover, doc("Enforcer.recover"));
}

}  // namespace

void bind_enforcers(nb::module_& module) {
    bind_interface(module);
    nb::class_<MemoryEnforcer, Enforcer>(
        module, "MemoryEnforcer",
        "An enforcer without a machine: groups, files and processes are entries in memory.")
        .def(nb::init<std::set<std::string>>(),
             nb::arg("controllers") = std::set<std::string>{"cpu", "cpuset", "memory", "pids"},
             doc("MemoryEnforcer.MemoryEnforcer"))
        .def(
            "files",
            [](const MemoryEnforcer& self,
               const std::string& group) -> std::optional<std::map<std::string, std::string>> {
                const auto at = self.groups().find(group);
                if (at == self.groups().end()) return std::nullopt;
                return at->second.files;
            },
            nb::arg("group"), "What was written into a group, by file; None without the group.")
        .def("calls", &MemoryEnforcer::calls, nb::rv_policy::copy, doc("MemoryEnforcer.calls"))
        .def("set_usage", &MemoryEnforcer::set_usage, nb::arg("group"), nb::arg("usage"),
             "What observe gives from now on.")
        .def("end_process", &MemoryEnforcer::end_process, nb::arg("pid"), nb::arg("outcome"),
             "Lets a child end.");
}

}  // namespace trestle::python
