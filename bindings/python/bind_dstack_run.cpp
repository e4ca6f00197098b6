// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <vector>

#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/dialect/dstack/run/access.hpp"
#include "trestle/dialect/dstack/run/environment.hpp"
#include "trestle/dialect/dstack/run/exit.hpp"
#include "trestle/dialect/dstack/run/gang.hpp"
#include "trestle/dialect/dstack/run/job_plan.hpp"
#include "trestle/dialect/dstack/run/metrics.hpp"
#include "trestle/dialect/dstack/run/plan.hpp"
#include "trestle/dialect/dstack/run/requirements.hpp"
#include "trestle/dialect/dstack/run/retry.hpp"
#include "trestle/dialect/dstack/run/termination.hpp"
#include "trestle/dialect/dstack/run/volumes.hpp"

namespace trestle::python {
namespace {

template <class Row>
std::vector<Row> rows_of(std::span<const Row> rows) {
    return {rows.begin(), rows.end()};
}

void bind_run_plans(nb::module_& module) {
    bind_struct<dstack::PlannedNode>(module, "PlannedNode");
    bind_struct<dstack::FleetAnswer>(module, "FleetAnswer");
    bind_struct<dstack::RunPlan>(module, "RunPlan")
        .def("has_capacity", &dstack::RunPlan::has_capacity, "True when the run has its nodes.");
    module.def(
        "plan_run",
        [](const std::vector<dstack::FleetConfiguration>& fleets,
           const std::vector<Instance>& instances, const Catalog& catalog,
           const dstack::RunConfiguration& run, OwnerId owner,
           const dstack::MatchOptions& options) {
            return dstack::plan_run(fleets, instances, catalog, run, owner, options);
        },
        nb::arg("fleets"), nb::arg("instances"), nb::arg("catalog"), nb::arg("run"),
        nb::arg("owner"), nb::arg("options") = dstack::MatchOptions(), doc("dstack.plan_run"));
    module.def(
        "resources_of",
        [](const dstack::RunConfiguration& run, const std::vector<KnownDevice>& known) {
            return dstack::resources_of(run, known);
        },
        nb::arg("run"), nb::arg("known") = known_devices(),
        nb::sig("def resources_of(run: trestle.dstack.RunConfiguration, known: "
                "collections.abc.Iterable[trestle.KnownDevice] = ...) -> "
                "trestle.dstack.Resources"),
        doc("dstack.resources_of"));
    module.def("options_of", &dstack::options_of, nb::arg("run"),
               nb::arg("options") = dstack::MatchOptions(), doc("dstack.options_of"));
    module.def("instances_of", &dstack::instances_of, nb::arg("run"), doc("dstack.instances_of"));
    module.def(
        "with_volumes",
        [](const dstack::RunConfiguration& run,
           const std::vector<dstack::VolumeConfiguration>& volumes) {
            return dstack::with_volumes(run, volumes);
        },
        nb::arg("run"), nb::arg("volumes"), doc("dstack.with_volumes"));
    module.def("apply_plan", &dstack::apply_plan, nb::arg("instances"), nb::arg("plan"),
               doc("dstack.apply_plan"));
    module.def("release_run", &dstack::release_run, nb::arg("instances"), nb::arg("owner"),
               doc("dstack.release_run"));
}

void bind_lives(nb::module_& module) {
    bind_enum<dstack::JobStatus>(module, "JobStatus");
    bind_enum<dstack::TerminationReason>(module, "TerminationReason");
    bind_struct<dstack::TerminationRule>(module, "TerminationRule");
    module.def(
        "termination_rules", [] { return rows_of(dstack::termination_rules()); },
        doc("dstack.termination_rules"));
    module.def(
        "rule_of", [](dstack::TerminationReason reason) { return dstack::rule_of(reason); },
        nb::arg("reason"), doc("dstack.rule_of"));
    bind_struct<dstack::EndedAttempt>(module, "EndedAttempt");
    bind_struct<dstack::RetryHistory>(module, "RetryHistory");
    bind_struct<dstack::RetryPacing>(module, "RetryPacing");
    bind_enum<dstack::RetryAction>(module, "RetryAction");
    bind_struct<dstack::RetryDecision>(module, "RetryDecision");
    module.def("retry", &dstack::retry, nb::arg("policy").none(), nb::arg("history"),
               nb::arg("now"), nb::arg("pacing") = dstack::RetryPacing(), doc("dstack.retry"));
    bind_enum<dstack::GangRole>(module, "GangRole");
    bind_enum<dstack::GangPart>(module, "GangPart");
    bind_struct<dstack::StartupRule>(module, "StartupRule");
    bind_struct<dstack::StopRule>(module, "StopRule");
    bind_struct<dstack::GangStep>(module, "GangStep");
    module.def(
        "startup_rules", [] { return rows_of(dstack::startup_rules()); },
        doc("dstack.startup_rules"));
    module.def(
        "stop_rules", [] { return rows_of(dstack::stop_rules()); }, doc("dstack.stop_rules"));
    module.def(
        "gang_step",
        [](dstack::StartupOrder order, dstack::StopCriteria criteria,
           const std::vector<dstack::JobStatus>& jobs) {
            return dstack::gang_step(order, criteria, jobs);
        },
        nb::arg("order"), nb::arg("criteria"), nb::arg("jobs"), doc("dstack.gang_step"));
}

void bind_jobs(nb::module_& module) {
    bind_struct<dstack::JobAccess>(module, "JobAccess");
    module.def("access_of", &dstack::access_of, nb::arg("share"), doc("dstack.access_of"));
    bind_struct<dstack::JobPlan>(module, "JobPlan");
    module.def("plan_job", &dstack::plan_job, nb::arg("node"), nb::arg("share"), nb::arg("request"),
               nb::arg("policy"), nb::arg("options"), doc("dstack.plan_job"));
    bind_struct<dstack::RunNode>(module, "RunNode");
    module.def("gpus_of", &dstack::gpus_of, nb::arg("share"), doc("dstack.gpus_of"));
    module.def(
        "mpi_hostfile",
        [](const std::vector<dstack::RunNode>& nodes) { return dstack::mpi_hostfile(nodes); },
        nb::arg("nodes"), doc("dstack.mpi_hostfile"));
    module.def(
        "run_environment",
        [](const std::vector<dstack::RunNode>& nodes, std::uint32_t rank,
           const std::string& hostfile) { return dstack::run_environment(nodes, rank, hostfile); },
        nb::arg("nodes"), nb::arg("rank"), nb::arg("hostfile"), doc("dstack.run_environment"));
    bind_enum<dstack::JobEnding>(module, "JobEnding");
    bind_struct<dstack::JobExit>(module, "JobExit");
    module.def("classify",
               nb::overload_cast<const Outcome&, std::optional<dstack::TerminationReason>>(
                   &dstack::classify),
               nb::arg("outcome"), nb::arg("stopped") = nb::none(),
               doc("dstack.classify(Outcome)"));
    module.def("classify", nb::overload_cast<const JobEnd&>(&dstack::classify), nb::arg("end"),
               doc("dstack.classify(JobEnd)"));
    module.def("stop_reason", &dstack::stop_reason, nb::arg("cause"), doc("dstack.stop_reason"));
    module.def("end_policy", &dstack::end_policy, nb::arg("profile"), doc("dstack.end_policy"));
}

void bind_metrics(nb::module_& module) {
    bind_struct<dstack::MetricsLine>(module, "MetricsLine");
    bind_struct<dstack::JobSample>(module, "JobSample");
    module.def("metrics_line", &dstack::metrics_line, nb::arg("before"), nb::arg("after"),
               nb::arg("granted"), doc("dstack.metrics_line"));
    module.def("metric_memory", &dstack::metric_memory, nb::arg("memory"),
               doc("dstack.metric_memory"));
    module.def(
        "job_metrics",
        [](const std::vector<dstack::JobSample>& jobs) { return dstack::job_metrics(jobs); },
        nb::arg("jobs"), doc("dstack.job_metrics"));
}

}  // namespace

void bind_dstack_run(nb::module_& module) {
    bind_metrics(module);
    bind_run_plans(module);
    bind_lives(module);
    bind_jobs(module);
}

}  // namespace trestle::python
