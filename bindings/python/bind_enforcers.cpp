// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/unique_ptr.h>

#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/enforce/drift.hpp"
#include "trestle/enforce/enforcer.hpp"
#include "trestle/enforce/events.hpp"
#include "trestle/enforce/faulty_enforcer.hpp"
#include "trestle/enforce/memory_enforcer.hpp"

namespace trestle::python {
namespace {

/// What a source tells, and the source.
void bind_events(nb::module_& module) {
    bind_enum<GroupEvent::Kind>(module, "EventKind", "GroupEvent.Kind");
    bind_struct<GroupEvent>(module, "GroupEvent");
    bind_enum<EventOptions::PressureTrigger::Stall>(module, "Stall",
                                                    "EventOptions.PressureTrigger.Stall");
    bind_struct<EventOptions::PressureTrigger>(module, "PressureTrigger",
                                               "EventOptions.PressureTrigger");
    bind_struct<EventOptions>(module, "EventOptions");
    nb::class_<EventSource>(module, "EventSource", doc("EventSource"))
        .def("fileno", &EventSource::fd, doc("EventSource.fd"))
        .def("read", &EventSource::read, doc("EventSource.read"))
        .def("next", &EventSource::next, nb::arg("timeout"),
             nb::call_guard<nb::gil_scoped_release>(), doc("EventSource.next"));
}

/// The calls of the interface; every implementation has them by inheritance.
void bind_interface(nb::module_& module) {
    const nb::call_guard<nb::gil_scoped_release> others_run;
    nb::class_<Enforcer>(module, "Enforcer", doc("Enforcer"))
        .def(
            "apply",
            [](Enforcer& self, const Plan& plan, const TraceSink& trace) {
                return self.apply(plan, trace);
            },
            nb::arg("plan"), nb::arg("trace") = nb::none(), doc("Enforcer.apply"))
        .def(
            "update",
            [](Enforcer& self, const PlanUpdate& update, const TraceSink& trace) {
                const nb::gil_scoped_release others_run;  // while a group freezes
                return self.update(update, trace);
            },
            nb::arg("update"), nb::arg("trace") = nb::none(), doc("Enforcer.update"))
        .def("run", &Enforcer::run, nb::arg("step"), doc("Enforcer.run"))
        .def("spawn", &Enforcer::spawn, nb::arg("plan"), nb::arg("command"), others_run,
             doc("Enforcer.spawn"))
        .def("attach", &Enforcer::attach, nb::arg("group"), nb::arg("pid"), doc("Enforcer.attach"))
        .def("wait", &Enforcer::wait, nb::arg("child"), others_run, doc("Enforcer.wait"))
        .def("poll", &Enforcer::poll, nb::arg("child"), doc("Enforcer.poll"))
        .def("signal", &Enforcer::signal, nb::arg("group"), nb::arg("signal_number"), others_run,
             doc("Enforcer.signal"))
        .def("signal_child", &Enforcer::signal_child, nb::arg("child"), nb::arg("signal_number"),
             doc("Enforcer.signal_child"))
        .def("freeze", &Enforcer::freeze, nb::arg("group"), others_run, doc("Enforcer.freeze"))
        .def("thaw", &Enforcer::thaw, nb::arg("group"), "Lets a frozen group go on.")
        .def("observe", &Enforcer::observe, nb::arg("group"), "What the group uses and has used.")
        .def(
            "events",
            [](Enforcer& self, const std::string& group, const EventOptions& options) {
                auto source = self.events(group, options);
                raise_if_error(source.status());
                return *std::move(source);
            },
            nb::arg("group"), nb::arg("options") = EventOptions(), nb::keep_alive<0, 1>(),
            doc("Enforcer.events"))
        .def("verify", &Enforcer::verify, nb::arg("plan"), doc("Enforcer.verify"))
        .def("remove", &Enforcer::remove, nb::arg("group"), others_run, doc("Enforcer.remove"))
        .def("recover", &Enforcer::recover, doc("Enforcer.recover"));
}

/// For tests of what holds after a failure.
void bind_faults(nb::module_& module) {
    bind_struct<FaultyEnforcer::Fault>(module, "Fault", "FaultyEnforcer.Fault")
        .def_static("once", &FaultyEnforcer::Fault::once, nb::arg("call"),
                    "This call alone, counted from 0.")
        .def_static("for_good", &FaultyEnforcer::Fault::for_good, nb::arg("call"),
                    "This call and all that follow.");
    nb::class_<FaultyEnforcer, Enforcer>(
        module, "FaultyEnforcer", "An enforcer in front of another one that fails chosen calls.")
        .def(nb::init<Enforcer&, FaultyEnforcer::Fault>(), nb::arg("inner"),
             nb::arg("fault") = FaultyEnforcer::Fault(), nb::keep_alive<1, 2>(),
             "Calls go to `inner`, except those that fail.")
        .def("call_count", &FaultyEnforcer::call_count, doc("FaultyEnforcer.call_count"))
        .def("set_fault", &FaultyEnforcer::set_fault, nb::arg("fault"),
             doc("FaultyEnforcer.set_fault"));
}

}  // namespace

void bind_enforcers(nb::module_& module) {
    bind_events(module);
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
                return at->second.files();
            },
            nb::arg("group"), "What was written into a group, by file; None without the group.")
        .def(
            "command",
            [](const MemoryEnforcer& self, const Child& child) {
                const Command* command = self.command(child);
                return command != nullptr ? std::optional(*command) : std::nullopt;
            },
            nb::arg("child"), "The command of a child that is not reaped yet, or None.")
        .def(
            "settings",
            [](const MemoryEnforcer& self, const Child& child) {
                const ProcessSettings* settings = self.settings(child);
                return settings != nullptr ? std::optional(*settings) : std::nullopt;
            },
            nb::arg("child"), "The settings that a child was started with, or None.")
        .def("calls", &MemoryEnforcer::calls, nb::rv_policy::copy, doc("MemoryEnforcer.calls"))
        .def("set_usage", &MemoryEnforcer::set_usage, nb::arg("group"), nb::arg("usage"),
             "What observe gives from now on.")
        .def("end_process", &MemoryEnforcer::end_process, nb::arg("pid"), nb::arg("outcome"),
             "Lets a child end.")
        .def("count_event", &MemoryEnforcer::count_event, nb::arg("group"), nb::arg("kind"),
             doc("MemoryEnforcer.count_event"));
    bind_faults(module);
}

}  // namespace trestle::python
