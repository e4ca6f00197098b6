// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/dialect/slurm/job_report.hpp"
#include "trestle/dialect/slurm/options/environment.hpp"
#include "trestle/dialect/slurm/options/job_id.hpp"
#include "trestle/dialect/slurm/print.hpp"
#include "trestle/dialect/slurm/usage_report.hpp"

namespace trestle::python {
namespace {

void bind_grants(nb::module_& module) {
    bind_struct<slurm::NodeGrant>(module, "NodeGrant");
    module.def("gres_of", &slurm::gres_of, nb::arg("shape"), nb::arg("placement"),
               doc("slurm.gres_of"));
    module.def("cpu_ids", &slurm::cpu_ids, nb::arg("shape"), nb::arg("placement"),
               doc("slurm.cpu_ids"));
    module.def("parse_grants", &slurm::parse_grants, nb::arg("text"), doc("slurm.parse_grants"));
    module.def(
        "grant_lines",
        [](const std::vector<slurm::NodeGrant>& grants) { return slurm::grant_lines(grants); },
        nb::arg("grants"), doc("slurm.grant_lines"));
    module.def(
        "licenses_text",
        [](const std::vector<ClusterCount>& licenses) { return slurm::licenses_text(licenses); },
        nb::arg("licenses"), doc("slurm.licenses_text"));
    module.def("parse_licenses", &slurm::parse_licenses, nb::arg("text"),
               doc("slurm.parse_licenses"));
    module.def(
        "node_list_text",
        [](const std::vector<slurm::NodeGrant>& grants) { return slurm::node_list_text(grants); },
        nb::arg("grants"), doc("slurm.node_list_text"));
    module.def("used_gres", &slurm::used_gres, nb::arg("shape"), nb::arg("free"),
               doc("slurm.used_gres"));
    module.def("used_gres_text", &slurm::used_gres_text, nb::arg("shape"), nb::arg("free"),
               doc("slurm.used_gres_text"));
    module.def("grant_of", &slurm::grant_of, nb::arg("node"), nb::arg("placement"),
               doc("slurm.grant_of"));
}

void bind_job_environment(nb::module_& module) {
    bind_struct<slurm::ArrayElement>(module, "ArrayElement");
    bind_struct<slurm::JobContext>(module, "JobContext");
    bind_struct<slurm::TaskContext>(module, "TaskContext");
    module.def("tasks_per_node", &slurm::tasks_per_node, nb::arg("job"),
               doc("slurm.tasks_per_node"));
    module.def("job_environment", &slurm::job_environment, nb::arg("job"),
               doc("slurm.job_environment"));
    module.def("node_environment", &slurm::node_environment, nb::arg("job"), nb::arg("node"),
               doc("slurm.node_environment"));
    module.def("task_environment", &slurm::task_environment, nb::arg("task"),
               doc("slurm.task_environment"));
}

void bind_usage_report(nb::module_& module) {
    bind_struct<slurm::TaskUsage>(module, "TaskUsage");
    bind_struct<slurm::StepUsage>(module, "StepUsage");
    bind_struct<slurm::UsageField>(module, "UsageField");
    module.def("usage_fields", &slurm::usage_fields, nb::arg("step"), doc("slurm.usage_fields"));
    module.def("usage_line", &slurm::usage_line, nb::arg("step"), nb::arg("format"),
               doc("slurm.usage_line"));
    module.def("cpu_time_text", &slurm::cpu_time_text, nb::arg("time"), doc("slurm.cpu_time_text"));
    module.def("amount_text", &slurm::amount_text, nb::arg("bytes"), doc("slurm.amount_text"));
    module.def("disk_text", &slurm::disk_text, nb::arg("bytes"), doc("slurm.disk_text"));
    module.def("energy_text", &slurm::energy_text, nb::arg("energy"), doc("slurm.energy_text"));
}

}  // namespace

void bind_slurm_report(nb::module_& module) {
    bind_grants(module);
    bind_job_environment(module);
    bind_usage_report(module);
    bind_struct<slurm::JobId>(module, "JobId");
    module.def("parse_job_id", &slurm::parse_job_id, nb::arg("text"), doc("slurm.parse_job_id"));
    module.def("tasks_in", &slurm::tasks_in, nb::arg("id"), doc("slurm.tasks_in"));
    bind_enum<slurm::State>(module, "State");
    bind_enum<slurm::EndCause>(module, "EndCause");
    bind_enum<slurm::Reason>(module, "Reason");
    module.def("short_text", &slurm::short_text, nb::arg("state"), doc("slurm.short_text"));
    module.def("parse_state", &slurm::parse_state, nb::arg("text"), doc("slurm.parse_state"));
    module.def("state_of", nb::overload_cast<const Outcome&, slurm::EndCause>(&slurm::state_of),
               nb::arg("outcome"), nb::arg("cause") = slurm::EndCause::none,
               doc("slurm.state_of(Outcome)"));
    module.def("state_of", nb::overload_cast<const JobEnd&>(&slurm::state_of), nb::arg("end"),
               doc("slurm.state_of(JobEnd)"));
    module.def("exit_code_text", &slurm::exit_code_text, nb::arg("outcome"),
               doc("slurm.exit_code_text"));
    module.def("parse_exit_code", &slurm::parse_exit_code, nb::arg("text"),
               doc("slurm.parse_exit_code"));
    module.def("reason_of", &slurm::reason_of, nb::arg("partition"), nb::arg("request"),
               nb::arg("refusal"), doc("slurm.reason_of"));
    module.def("duration_text", &slurm::duration_text, nb::arg("duration").none(),
               doc("slurm.duration_text"));
}

}  // namespace trestle::python
