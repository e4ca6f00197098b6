// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/dialect/translate/dstack_to_slurm.hpp"
#include "trestle/dialect/translate/slurm_to_dstack.hpp"

namespace trestle::python {

void bind_translate(nb::module_& module) {
    bind_enum<translate::LossKind>(module, "LossKind");
    bind_struct<translate::Loss>(module, "Loss");
    bind_struct<translate::TaskTranslation>(module, "TaskTranslation");
    bind_struct<translate::ScriptTranslation>(module, "ScriptTranslation");
    bind_struct<translate::SlurmToDstack>(module, "SlurmToDstack");
    const auto rules = nb::arg("rules") = translate::SlurmToDstack();
    module.def(
        "to_dstack",
        [](const slurm::BatchScript& script, const translate::SlurmToDstack& by) {
            return translate::to_dstack(script, by);
        },
        nb::arg("script"), rules, doc("translate.to_dstack"));
    module.def(
        "to_dstack",
        [](const slurm::Submission& submission, const translate::SlurmToDstack& by) {
            return translate::to_dstack(submission, by);
        },
        nb::arg("submission"), rules, "The same of options and a command without a script.");
    module.def("to_slurm", &translate::to_slurm, nb::arg("run"), doc("translate.to_slurm"));
}

}  // namespace trestle::python
