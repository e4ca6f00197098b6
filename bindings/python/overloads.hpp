// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a call says whose arguments no signature takes.
//
// Main function: explain_wrong_arguments(module).

#include <nanobind/nanobind.h>

namespace trestle::python {

namespace nb = nanobind;

/// From now on, functions and methods of the module and of its submodules whose arguments no
/// signature takes say in two lines which argument is wrong. Calls that succeed cost one indirect
/// call more. Call it when everything is bound.
void explain_wrong_arguments(nb::module_& module);

}  // namespace trestle::python
