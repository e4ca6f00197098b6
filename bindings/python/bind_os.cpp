// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/unique_ptr.h>

#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/os/cgroup_enforcer.hpp"
#include "trestle/os/cgroup_probe.hpp"
#include "trestle/os/device_numbers.hpp"
#include "trestle/os/discover.hpp"
#include "trestle/os/plain_enforcer.hpp"
#include "trestle/os/program.hpp"

namespace trestle::python {

void bind_os(nb::module_& top) {
    nb::module_ module = top.def_submodule("os", "The machine: discovery and the real enforcers.");
    bind_enum<os::DriverSource>(module, "DriverSource");
    bind_struct<os::DiscoverOptions>(module, "DiscoverOptions");
    bind_enum<os::StartMethod>(module, "StartMethod");
    bind_struct<os::CgroupOptions>(module, "CgroupOptions");
    bind_struct<os::CgroupSupport>(module, "CgroupSupport");
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
    nb::class_<os::CgroupEnforcer, Enforcer>(module, "CgroupEnforcer", doc("os.CgroupEnforcer"))
        .def_static(
            "open",
            [](const std::string& directory, const os::CgroupOptions& options) {
                auto opened = os::CgroupEnforcer::open(directory, options);
                raise_if_error(opened.status());
                return *std::move(opened);
            },
            nb::arg("directory"), nb::arg("options") = os::CgroupOptions(),
            doc("os.CgroupEnforcer.open"));
    nb::class_<os::PlainEnforcer, Enforcer>(module, "PlainEnforcer", doc("os.PlainEnforcer"))
        .def(nb::init<std::string, std::string>(), nb::arg("reason"), nb::arg("scratch_root") = "",
             doc("os.PlainEnforcer.PlainEnforcer"));
}

}  // namespace trestle::python
