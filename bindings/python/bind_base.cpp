// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/version.hpp"

namespace trestle::python {

void bind_base(nb::module_& module) {
    module.attr("__version__") = std::string(version_text);

    module.def("kib", &kib, nb::arg("n"), "`n` KiB in bytes.");
    module.def("mib", &mib, nb::arg("n"), "`n` MiB in bytes.");
    module.def("gib", &gib, nb::arg("n"), "`n` GiB in bytes: n * 2**30.");
    module.def("tib", &tib, nb::arg("n"), "`n` TiB in bytes.");
    module.def("cpus", &cpus, nb::arg("n"), "`n` CPUs in thousandths of a hardware thread.");

    bind_enum<Constraint>(module, "Constraint");
    // Literal: then a type checker knows what `if placement:` means.
    bind_struct<Refusal>(module, "Refusal")
        .def(
            "__bool__", [](const Refusal&) { return false; },
            nb::sig("def __bool__(self) -> typing.Literal[False]"));
    bind_struct<TextError>(module, "TextError");
}

}  // namespace trestle::python
