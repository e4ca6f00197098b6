// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/function.h>
#include <nanobind/stl/unique_ptr.h>

#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/os/cgroup_enforcer.hpp"
#include "trestle/os/cgroup_probe.hpp"
#include "trestle/os/device_numbers.hpp"
#include "trestle/os/discover.hpp"
#include "trestle/os/plain_enforcer.hpp"
#include "trestle/os/program.hpp"
#include "trestle/os/readings.hpp"
#include "trestle/os/supervisor.hpp"
#include "trestle/os/systemd_scope.hpp"

namespace trestle::python {
namespace {

/// What a factory gives, moved to Python, or its error as an exception.
template <class Made>
[[nodiscard]] Made value_of(StatusOr<Made> made) {
    raise_if_error(made.status());
    return *std::move(made);
}

/// The enforcer of a keeper lives as long as it does.
void bind_supervisor(nb::module_& module) {
    module.def("monotonic_now", &os::monotonic_now, doc("os.monotonic_now"));
    bind_struct<os::StopRequest>(module, "StopRequest");
    nb::class_<os::Supervisor>(module, "Supervisor", doc("os.Supervisor"))
        .def_static(
            "start",
            [](Enforcer& enforcer, const Plan& plan, const Child& child, const TraceSink& trace) {
                return value_of(os::Supervisor::start(enforcer, plan, child, trace));
            },
            nb::arg("enforcer"), nb::arg("plan"), nb::arg("child"), nb::arg("trace") = nb::none(),
            nb::keep_alive<0, 1>(), doc("os.Supervisor.start"))
        .def("fileno", &os::Supervisor::fd, doc("os.Supervisor.fd"))
        .def("step", &os::Supervisor::step, nb::call_guard<nb::gil_scoped_release>(),
             doc("os.Supervisor.step"))
        .def("stop", &os::Supervisor::stop, nb::arg("cause"), nb::arg("grace") = nb::none(),
             doc("os.Supervisor.stop"))
        .def("set_time_limit", &os::Supervisor::set_time_limit, nb::arg("limit"),
             doc("os.Supervisor.set_time_limit"));
    module.def(
        "supervise",
        [](Enforcer& enforcer, const Plan& plan, const Child& child, const os::StopRequest& stop,
           const TraceSink& trace) {
            const nb::gil_scoped_release others_run;
            return os::supervise(enforcer, plan, child, stop, trace);
        },
        nb::arg("enforcer"), nb::arg("plan"), nb::arg("child"), nb::arg("stop") = os::StopRequest(),
        nb::arg("trace") = nb::none(), doc("os.supervise"));
}

/// The scope that `make` makes, without the GIL.
[[nodiscard]] os::SystemdScope scope_of(StatusOr<os::SystemdScope> (*make)(const os::ScopeOptions&),
                                        const os::ScopeOptions& options) {
    const auto made = [&] {
        const nb::gil_scoped_release others_run;
        return make(options);
    };
    return value_of(made());
}

/// Stops the scope at the end of its block. An error of that does not hide one of the block.
void leave_scope(os::SystemdScope& scope, nb::handle error) {
    const Status stopped = [&] {
        const nb::gil_scoped_release others_run;
        return scope.stop();
    }();
    if (error.is_none()) return raise_if_error(stopped);
    if (stopped.ok() || !nb::hasattr(error, "add_note")) return;  // Python 3.10 has no notes
    error.attr("add_note")(std::string(message(stopped)));
}

void bind_scopes(nb::module_& module) {
    using os::SystemdScope;
    const nb::call_guard<nb::gil_scoped_release> others_run;
    bind_enum<os::ServiceManager>(module, "ServiceManager");
    bind_struct<os::ScopeOptions>(module, "ScopeOptions");
    const std::string about = std::string(doc("os.SystemdScope")) +
                              "\n\nAs a context manager it is stopped at the end of the block.";
    nb::class_<SystemdScope>(module, "SystemdScope", about.c_str())
        .def_static(
            "start",
            [](const os::ScopeOptions& options) { return scope_of(&SystemdScope::start, options); },
            nb::arg("options"), doc("os.SystemdScope.start"))
        .def_static(
            "adopt",
            [](const os::ScopeOptions& options) { return scope_of(&SystemdScope::adopt, options); },
            nb::arg("options"), doc("os.SystemdScope.adopt"))
        .def("directory", &SystemdScope::directory, doc("os.SystemdScope.directory"))
        .def("unit", &SystemdScope::unit, "The name of the unit.")
        .def("stop", &SystemdScope::stop, others_run, doc("os.SystemdScope.stop"))
        .def("abandon", &SystemdScope::abandon, others_run, doc("os.SystemdScope.abandon"))
        .def(
            "__enter__", [](nb::handle self) { return nb::borrow(self); },
            nb::sig("def __enter__(self) -> typing_extensions.Self"))
        .def(
            "__exit__",
            [](SystemdScope& self, nb::handle, nb::handle error, nb::handle) {
                leave_scope(self, error);
            },
            nb::arg("type").none(), nb::arg("error").none(), nb::arg("traceback").none(),
            nb::sig("def __exit__(self, type: object, error: object, traceback: object) -> None"),
            "Stops the scope.");
}

void bind_readings(nb::module_& module) {
    bind_struct<os::ReadingOptions>(module, "ReadingOptions");
    bind_struct<os::GpuReading>(module, "GpuReading");
    bind_struct<os::XidEvent>(module, "XidEvent");
    module.def("read_energy", &os::read_energy, nb::arg("options") = os::ReadingOptions(),
               doc("os.read_energy"));
    module.def("read_gpus", &os::read_gpus, nb::arg("options") = os::ReadingOptions(),
               doc("os.read_gpus"));
    module.def("read_device_health", &os::read_device_health,
               nb::arg("thresholds") = DeviceCounters::Thresholds(),
               nb::arg("options") = os::ReadingOptions(), doc("os.read_device_health"));
    module.def("xids_in", &os::xids_in, nb::arg("kernel_log"), doc("os.xids_in"));
    module.def("with_xids", &os::with_xids, nb::arg("readings"), nb::arg("events"),
               doc("os.with_xids"));
}

}  // namespace

void bind_os(nb::module_& top) {
    nb::module_ module = top.def_submodule("os", "The machine: discovery and the real enforcers.");
    bind_enum<os::DriverSource>(module, "DriverSource");
    bind_struct<os::DiscoverOptions>(module, "DiscoverOptions");
    bind_enum<os::StartMethod>(module, "StartMethod");
    bind_struct<os::CgroupOptions>(module, "CgroupOptions");
    bind_struct<os::CgroupSupport>(module, "CgroupSupport");
    bind_readings(module);
    module.def("discover", &os::discover, nb::arg("options") = os::DiscoverOptions(),
               doc("os.discover"));
    module.def("device_type", &os::device_type, nb::arg("model"), doc("os.device_type"));
    module.def(
        "probe_cgroup",
        [](const std::optional<std::string>& directory) {
            return directory ? os::probe_cgroup(*directory) : os::probe_cgroup();
        },
        nb::arg("directory") = nb::none(), doc("os.probe_cgroup(string)"));
    module.def("current_environment", &os::current_environment, doc("os.current_environment"));
    module.def("current_user", &os::current_user, doc("os.current_user"));
    module.def("find_program", &os::find_program, nb::arg("command"), doc("os.find_program"));
    module.def("with_device_numbers", &os::with_device_numbers, nb::arg("plan"),
               doc("os.with_device_numbers"));
    bind_supervisor(module);
    bind_scopes(module);
    nb::class_<os::CgroupEnforcer, Enforcer>(module, "CgroupEnforcer", doc("os.CgroupEnforcer"))
        .def_static(
            "open",
            [](const std::string& directory, const os::CgroupOptions& options) {
                return value_of(os::CgroupEnforcer::open(directory, options));
            },
            nb::arg("directory"), nb::arg("options") = os::CgroupOptions(),
            doc("os.CgroupEnforcer.open"));
    nb::class_<os::PlainEnforcer, Enforcer>(module, "PlainEnforcer", doc("os.PlainEnforcer"))
        .def(nb::init<std::string, std::string>(), nb::arg("reason"), nb::arg("scratch_root") = "",
             doc("os.PlainEnforcer.PlainEnforcer"));
}

}  // namespace trestle::python
