// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/enforce/process/end_policy.hpp"
#include "trestle/enforce/process/end_sequence.hpp"
#include "trestle/enforce/process/job_end.hpp"

namespace trestle::python {

void bind_ending(nb::module_& module) {
    bind_enum<EndPolicy::Target>(module, "SignalTarget", "EndPolicy.Target");
    bind_struct<EndPolicy::Warning>(module, "WarningSignal", "EndPolicy.Warning");
    bind_struct<EndPolicy>(module, "EndPolicy");
    bind_enum<JobEnd::Cause>(module, "StopCause", "JobEnd.Cause");
    bind_struct<JobEnd>(module, "JobEnd");
    bind_enum<JobEnd::Reason>(module, "EndReason", "JobEnd.Reason");
    bind_enum<EndSequence::Action::Stage>(module, "EndStage", "EndSequence.Action.Stage");
    bind_struct<EndSequence::Action>(module, "EndAction", "EndSequence.Action");
    module.def(
        "check", [](const EndPolicy& policy) { return check(policy); }, nb::arg("policy"),
        "Ok when the signals exist. Errors: ValueError that names the one that does not.");
    module.def("reason_of", &reason_of, nb::arg("end"), doc("reason_of"));
    module.def("exit_status", nb::overload_cast<const JobEnd&>(&exit_status), nb::arg("end"),
               doc("exit_status(JobEnd)"));
    nb::class_<EndSequence>(module, "EndSequence", doc("EndSequence"))
        .def(
            "__init__",
            [](EndSequence* self, const EndPolicy& policy, Microseconds started_at) {
                raise_if_error(check(policy));
                new (self) EndSequence(policy, started_at);
            },
            nb::arg("policy"), nb::arg("started_at"),
            "The end of a job that started then. Errors: ValueError for a signal that does not "
            "exist.")
        .def("next_at", &EndSequence::next_at, doc("EndSequence.next_at"))
        .def("advance", &EndSequence::advance, nb::arg("now"), doc("EndSequence.advance"))
        .def("stop", &EndSequence::stop, nb::arg("cause"), nb::arg("now"),
             nb::arg("grace") = nb::none(), doc("EndSequence.stop"))
        .def("set_time_limit", &EndSequence::set_time_limit, nb::arg("limit"), nb::arg("now"),
             doc("EndSequence.set_time_limit"))
        .def("cause", &EndSequence::cause, doc("EndSequence.cause"))
        .def("is_killed", &EndSequence::is_killed, doc("EndSequence.is_killed"))
        .def("policy", &EndSequence::policy, nb::rv_policy::copy,
             "The policy, with the time limit that counts now.")
        .def("end_of", &EndSequence::end_of, nb::arg("outcome"), doc("EndSequence.end_of"));
}

}  // namespace trestle::python
