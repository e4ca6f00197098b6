// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/dialect/slurm/lint/lint.hpp"
#include "trestle/dialect/slurm/live/live_cluster.hpp"
#include "trestle/dialect/slurm/live/start.hpp"
#include "trestle/dialect/slurm/live/why.hpp"

namespace trestle::python {
namespace {

using slurm::LiveCluster;

/// A Submission, or the options of sbatch as a text. Throws BadValue for anything else.
slurm::Submission submission_from(nb::handle job, const char* expected) {
    if (nb::isinstance<slurm::Submission>(job)) return nb::cast<slurm::Submission>(job);
    if (!nb::isinstance<nb::str>(job)) throw_wrong_type(expected, job);
    auto read = slurm::parse_option_text(nb::cast<std::string>(job));
    raise_if_error(read.status());
    return *std::move(read);
}

slurm::WhyAnswer why_from(const LiveCluster& live, nb::handle job,
                          const std::vector<std::string>& words) {
    if (!nb::isinstance<nb::int_>(job)) {
        return slurm::why(live, submission_from(job, "int, str or Submission"), words);
    }
    constexpr std::uint64_t most = (std::uint64_t{1} << 62U) - 1;
    const auto number = static_cast<std::uint64_t>(int_from_python(job, {0, most}));
    auto answer = slurm::why(live, number);
    raise_if_error(answer.status());
    return *std::move(answer);
}

void bind_live_cluster(nb::module_& module) {
    bind_struct<slurm::LiveReservation>(module, "LiveReservation");
    bind_struct<slurm::LiveJob>(module, "LiveJob");
    bind_struct<slurm::RunningJob>(module, "RunningJob");
    nb::class_<LiveCluster>(module, "LiveCluster", doc("slurm.LiveCluster"))
        .def(
            "__init__",
            [](LiveCluster* self, const slurm::Controller& controller,
               std::vector<slurm::RunningJob> running,
               std::vector<slurm::LiveReservation> reservations) {
                new (self) LiveCluster{controller, std::move(running), std::move(reservations)};
            },
            nb::arg("controller"), nb::arg("running") = std::vector<slurm::RunningJob>(),
            nb::arg("reservations") = std::vector<slurm::LiveReservation>(),
            "The cluster of a controller as it is, with the jobs that it has started.")
        .def_prop_ro(
            "controller", [](const LiveCluster& self) { return self.controller; },
            nb::rv_policy::move, "A copy of the controller, which can be asked and changed.")
        .def_ro("running", &LiveCluster::running, doc("slurm.LiveCluster.running"))
        .def_ro("reservations", &LiveCluster::reservations, doc("slurm.LiveCluster.reservations"))
        .def_ro("jobs", &LiveCluster::jobs, doc("slurm.LiveCluster.jobs"))
        .def_ro("problems", &LiveCluster::problems, doc("slurm.LiveCluster.problems"))
        .def("__repr__", [](const LiveCluster& self) {
            return fmt::format("<slurm.LiveCluster of {} nodes, {} running jobs, {} problems>",
                               self.controller.cluster().node_count(), self.running.size(),
                               self.problems.size());
        });
    module.def(
        "read_live_cluster",
        [](const slurm::ClusterReading& reading, std::string_view nodes, std::string_view jobs,
           std::string_view reservations, std::optional<std::int64_t> now,
           std::optional<slurm::Release> release, std::string_view version) {
            return slurm::read_live_cluster(reading, {nodes, jobs, reservations, now, version},
                                            release);
        },
        nb::arg("reading"), nb::arg("nodes") = "", nb::arg("jobs") = "",
        nb::arg("reservations") = "", nb::arg("now") = nb::none(), nb::arg("release") = nb::none(),
        nb::arg("version") = "", doc("slurm.read_live_cluster"));
    module.def("timeline_of", &slurm::timeline_of, nb::arg("live"), doc("slurm.timeline_of"));
}

void bind_questions(nb::module_& module) {
    bind_struct<slurm::StartAnswer>(module, "StartAnswer")
        .def(
            "to_json", [](const slurm::StartAnswer& self) { return to_json_text(self); },
            doc("slurm.to_json_text(StartAnswer)"));
    bind_struct<slurm::JobChange>(module, "JobChange");
    bind_struct<slurm::WhyAnswer>(module, "WhyAnswer")
        .def("starts_now", &slurm::WhyAnswer::starts_now, doc("slurm.WhyAnswer.starts_now"))
        .def(
            "to_json", [](const slurm::WhyAnswer& self) { return to_json_text(self); },
            doc("slurm.to_json_text(WhyAnswer)"));
    module.def(
        "where",
        [](const LiveCluster& live, const nb::object& job) {
            return slurm::where(live, submission_from(job, "str or Submission"));
        },
        nb::arg("live"), nb::arg("job"),
        nb::sig("def where(live: LiveCluster, job: Submission | str) -> StartAnswer"),
        doc("slurm.where"));
    module.def(
        "why",
        [](const LiveCluster& live, const nb::object& job, const std::vector<std::string>& words) {
            return why_from(live, job, words);
        },
        nb::arg("live"), nb::arg("job"), nb::arg("words") = std::vector<std::string>(),
        nb::sig("def why(live: LiveCluster, job: Submission | str | int, "
                "words: collections.abc.Sequence[str] = []) -> WhyAnswer"),
        "Why a job does not start, and which change of it would start it now.\n\njob: the options "
        "of sbatch, a submission, or the number of a job that waits. words: how it was typed, for "
        "the forms of the changes; without them long options. Errors: ValueError for options that "
        "cannot be read, and for a job that does not wait; LookupError for an unknown number.");
}

}  // namespace

void bind_slurm_live(nb::module_& module) {
    bind_live_cluster(module);
    bind_questions(module);
    bind_enum<slurm::Severity>(module, "Severity");
    bind_struct<slurm::Finding>(module, "Finding");
    module.def("lint", &slurm::lint, nb::arg("path"), nb::arg("known") = slurm::KnownOptions(),
               doc("slurm.lint"));
}

}  // namespace trestle::python
