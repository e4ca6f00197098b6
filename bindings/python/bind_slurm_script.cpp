// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/dialect/slurm/script/batch_script.hpp"
#include "trestle/dialect/slurm/script/print_options.hpp"

namespace trestle::python {

void bind_slurm_script(nb::module_& module) {
    bind_struct<slurm::OptionText>(module, "OptionText");
    bind_struct<slurm::BatchScript>(module, "BatchScript");
    bind_struct<slurm::BatchScriptReading>(module, "BatchScriptReading");
    module.def("option_texts", &slurm::option_texts, nb::arg("options"), doc("slurm.option_texts"));
    module.def(
        "option_arguments",
        [](const slurm::JobOptions& options) { return slurm::option_arguments(options); },
        nb::arg("options"), doc("slurm.option_arguments"));
    module.def(
        "option_arguments",
        [](const slurm::Submission& submission) { return slurm::option_arguments(submission); },
        nb::arg("submission"), doc("slurm.option_arguments"));
    module.def("directive_lines", &slurm::directive_lines, nb::arg("submission"),
               doc("slurm.directive_lines"));
    module.def("read_batch_script", &slurm::read_batch_script, nb::arg("text"),
               nb::arg("known") = slurm::KnownOptions(), doc("slurm.read_batch_script"));
    module.def("parse_batch_script", &slurm::parse_batch_script, nb::arg("text"),
               nb::arg("known") = slurm::KnownOptions(), doc("slurm.parse_batch_script"));
    module.def("script_text", &slurm::script_text, nb::arg("script"), doc("slurm.script_text"));
}

}  // namespace trestle::python
