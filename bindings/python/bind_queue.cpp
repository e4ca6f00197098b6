// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/alloc/schedule/eligible.hpp"
#include "trestle/alloc/schedule/queue_bytes.hpp"
#include "trestle/alloc/schedule/requeue.hpp"
#include "trestle/alloc/schedule/reservation_timeline.hpp"

namespace trestle::python {

void bind_queue(nb::module_& module) {
    bind_enum<Dependency::Kind>(module, "DependencyKind", "Dependency.Kind");
    bind_struct<Dependency>(module, "Dependency");
    bind_struct<StartConditions>(module, "StartConditions");
    bind_struct<QueueState::Array>(module, "ArrayConditions", "QueueState.Array");
    bind_enum<JobRecord::Phase>(module, "JobPhase", "JobRecord.Phase");
    bind_struct<JobRecord>(module, "JobRecord");
    bind_struct<QueueState>(module, "QueueState");
    bind_struct<EligibleJobs>(module, "EligibleJobs");
    module.def(
        "eligible_jobs",
        [](const std::vector<QueuedJob>& queue, const QueueState& state, Instant now) {
            return eligible_jobs(queue, state, now);
        },
        nb::arg("queue"), nb::arg("state"), nb::arg("now"), doc("eligible_jobs"));
    module.def(
        "check_cycles",
        [](const std::vector<QueuedJob>& queue, const QueueState& state) {
            return check_cycles(queue, state);
        },
        nb::arg("queue"), nb::arg("state"), doc("check_cycles"));
    bind_struct<SavedQueue>(module, "SavedQueue")
        .def(
            "to_bytes",
            [](const SavedQueue& self) {
                const auto bytes = to_bytes(self);
                return nb::bytes(bytes.data(), bytes.size());
            },
            "The queue as bytes, equal for equal queues.")
        .def_static(
            "from_bytes",
            [](const nb::bytes& bytes) {
                return queue_from_bytes(
                    {static_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
            },
            nb::arg("bytes"), doc("queue_from_bytes"));
    bind_struct<RequeueRules>(module, "RequeueRules");
    module.def("requeued", &requeued, nb::arg("conditions"), nb::arg("record"),
               nb::arg("rules") = RequeueRules(), doc("requeued"));
    module.def("reservation_timeline", &reservation_timeline, nb::arg("timeline"),
               nb::arg("reservation"), doc("reservation_timeline"));
    module.attr("OUTSIDE_OF_RESERVATION") = outside_of_reservation.value();
    module.attr("BEFORE_RESERVATION") = before_reservation.value();
    module.attr("AFTER_RESERVATION") = after_reservation.value();
}

}  // namespace trestle::python
