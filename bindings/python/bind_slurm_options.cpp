// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/function.h>

#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/dialect/slurm/options/job_end.hpp"
#include "trestle/dialect/slurm/options/known_options.hpp"
#include "trestle/dialect/slurm/options/node_file.hpp"
#include "trestle/dialect/slurm/options/options.hpp"
#include "trestle/dialect/slurm/options/start_conditions.hpp"
#include "trestle/dialect/slurm/options/step.hpp"
#include "trestle/dialect/slurm/options/task_bind.hpp"

namespace trestle::python {
namespace {

using Words = std::vector<std::string>;
using Variables = std::vector<EnvironmentVariable>;

void bind_option_values(nb::module_& module) {
    bind_enum<slurm::TaskSpread>(module, "TaskSpread");
    bind_enum<slurm::Hint>(module, "Hint");
    bind_enum<slurm::BindReport>(module, "BindReport");
    bind_enum<slurm::CpuBindRule>(module, "CpuBindRule");
    bind_enum<slurm::MemBindRule>(module, "MemBindRule");
    bind_enum<slurm::FrequencyLevel>(module, "FrequencyLevel");
    bind_struct<slurm::NodeCounts>(module, "NodeCounts");
    bind_struct<slurm::TaskOrder>(module, "TaskOrder");
    bind_struct<slurm::CpuBind>(module, "CpuBind");
    bind_struct<slurm::MemBind>(module, "MemBind");
    module.def("cpu_bind_of", &slurm::cpu_bind_of, nb::arg("bind"), doc("slurm.cpu_bind_of"));
    module.def("memory_policy_of", &slurm::memory_policy_of, nb::arg("bind"), nb::arg("local"),
               nb::arg("granted"), doc("slurm.memory_policy_of"));
    bind_struct<slurm::TresBind>(module, "TresBind");
    bind_struct<slurm::TaskTres>(module, "TaskTres");
    bind_struct<slurm::Frequency>(module, "Frequency");
    bind_struct<slurm::GpuFrequency>(module, "GpuFrequency");
    bind_struct<slurm::GresFlags>(module, "GresFlags");
}

void bind_terms(nb::module_& module) {
    bind_enum<slurm::ExclusiveKind>(module, "ExclusiveKind");
    bind_enum<slurm::DependencyKind>(module, "DependencyKind");
    bind_enum<slurm::Requeue>(module, "Requeue");
    bind_enum<slurm::ExportBase>(module, "ExportBase");
    bind_struct<slurm::NodeConstraint>(module, "NodeConstraint");
    bind_struct<slurm::LicenseList>(module, "LicenseList");
    bind_struct<slurm::Switches>(module, "Switches");
    bind_struct<slurm::TimeLimit>(module, "TimeLimit");
    bind_struct<slurm::JobSignal>(module, "JobSignal");
    bind_struct<slurm::EndRules>(module, "EndRules");
    module.def("end_policy", &slurm::end_policy, nb::arg("rules"), doc("slurm.end_policy"));
    bind_struct<slurm::ArrayRange>(module, "ArrayRange");
    bind_struct<slurm::JobArray>(module, "JobArray");
    bind_struct<slurm::DependencyJob>(module, "DependencyJob");
    bind_struct<slurm::Dependency>(module, "Dependency");
    bind_struct<slurm::Dependencies>(module, "Dependencies");
    bind_struct<slurm::BeginTime>(module, "BeginTime");
    bind_struct<slurm::ExportedVariables>(module, "ExportedVariables");
    bind_struct<slurm::PassthroughOption>(module, "PassthroughOption");
    module.def("task_ids", &slurm::task_ids, nb::arg("array"), doc("slurm.task_ids"));
}

void bind_option_reading(nb::module_& module) {
    bind_enum<slurm::Tool>(module, "Tool");
    bind_enum<slurm::OptionValue>(module, "OptionValue");
    bind_struct<slurm::PluginOption>(module, "PluginOption");
    module.def("parse_plugin_option", &slurm::parse_plugin_option, nb::arg("text"),
               doc("slurm.parse_plugin_option"));
    bind_struct<slurm::KnownOptions>(module, "KnownOptions");
    bind_enum<slurm::OptionSource>(module, "OptionSource");
    bind_struct<slurm::OptionError>(module, "OptionError");
    bind_struct<slurm::JobComponent>(module, "JobComponent");
    bind_struct<slurm::Submission>(module, "Submission");
    bind_struct<slurm::SubmissionReading>(module, "SubmissionReading");
    const auto text = nb::arg("text");
    const auto tool = nb::arg("tool") = slurm::Tool::sbatch;
    const auto known = nb::arg("known") = slurm::KnownOptions();
    module.def(
        "read_arguments",
        [](const Words& arguments, slurm::Tool of, const slurm::KnownOptions& options) {
            return slurm::read_arguments(arguments, of, options);
        },
        nb::arg("arguments"), tool, known, doc("slurm.read_arguments"));
    module.def("read_option_text", &slurm::read_option_text, text, tool, known,
               doc("slurm.read_option_text"));
    module.def("read_script", &slurm::read_script, nb::arg("script"), known,
               doc("slurm.read_script"));
    module.def(
        "read_environment",
        [](const Variables& environment, slurm::Tool of, const slurm::KnownOptions& options) {
            return slurm::read_environment(environment, of, options);
        },
        nb::arg("environment"), tool, known, doc("slurm.read_environment"));
    module.def(
        "read_submission",
        [](const Words& arguments, const Variables& environment, std::string_view script,
           slurm::Tool of, const slurm::KnownOptions& options) {
            return slurm::read_submission({arguments, environment, script, of, options});
        },
        nb::arg("arguments") = Words(), nb::arg("environment") = Variables(),
        nb::arg("script") = "", tool, known, doc("slurm.read_submission"));
    module.def(
        "parse_submission",
        [](const Words& arguments, const Variables& environment, std::string_view script,
           slurm::Tool of, const slurm::KnownOptions& options) {
            return slurm::parse_submission({arguments, environment, script, of, options});
        },
        nb::arg("arguments") = Words(), nb::arg("environment") = Variables(),
        nb::arg("script") = "", tool, known, doc("slurm.parse_submission"));
    module.def("parse_option_text", &slurm::parse_option_text, text, tool, known,
               doc("slurm.parse_option_text"));
    module.def("parse_script", &slurm::parse_script, nb::arg("script"), known,
               doc("slurm.parse_script"));
}

}  // namespace

void bind_slurm_options(nb::module_& module) {
    bind_option_values(module);
    bind_terms(module);
    bind_struct<slurm::JobOptions>(module, "JobOptions");
    bind_struct<slurm::QueueEntry>(module, "QueueEntry");
    bind_struct<slurm::FoundJobs>(module, "FoundJobs");
    module.def("start_conditions_of", &slurm::start_conditions_of, nb::arg("options"),
               nb::arg("entry"), nb::arg("find_jobs"),
               nb::sig("def start_conditions_of(options: JobOptions, entry: QueueEntry, find_jobs: "
                       "collections.abc.Callable[[DependencyJob], FoundJobs]) "
                       "-> trestle.StartConditions"),
               doc("slurm.start_conditions_of"));
    module.def("array_conditions_of", &slurm::array_conditions_of, nb::arg("options"),
               nb::arg("array"), doc("slurm.array_conditions_of"));
    bind_option_reading(module);
    bind_struct<slurm::ResolvedOptions>(module, "ResolvedOptions");
    bind_struct<slurm::ParsedOptions>(module, "ParsedOptions");
    module.def("overlaid", &slurm::overlaid, nb::arg("first"), nb::arg("second"),
               doc("slurm.overlaid"));
    module.def("resolve", &slurm::resolve, nb::arg("options"), doc("slurm.resolve"));
    bind_struct<slurm::StepRequest>(module, "StepRequest");
    module.def("step_request_of", &slurm::step_request_of, nb::arg("options"), nb::arg("job"),
               doc("slurm.step_request_of"));
    module.def("read_node_file", &slurm::read_node_file, nb::arg("file"), nb::arg("text"),
               doc("slurm.read_node_file"));
    module.def(
        "with_node_file",
        [](const slurm::JobOptions& options, const nb::typed<nb::dict, nb::str, nb::str>& files) {
            return slurm::with_node_file(options,
                                         [&](std::string_view name) -> std::optional<std::string> {
                                             for (const auto& [file, text] : files) {
                                                 if (from_python<std::string>(file) == name) {
                                                     return from_python<std::string>(text);
                                                 }
                                             }
                                             return std::nullopt;
                                         });
        },
        nb::arg("options"), nb::arg("files"), doc("slurm.with_node_file"));
    module.def("tasks_in_list_order", &slurm::tasks_in_list_order, nb::arg("options"),
               doc("slurm.tasks_in_list_order"));
    module.def(
        "request_of", [](const slurm::JobOptions& options) { return slurm::request_of(options); },
        nb::arg("options"), doc("slurm.request_of"));
    module.def(
        "request_of",
        [](const slurm::Submission& submission) { return slurm::request_of(submission); },
        nb::arg("submission"), doc("slurm.request_of"));
    module.def(
        "parse_options",
        [](const Words& arguments, const slurm::KnownOptions& options) {
            return slurm::parse_options(arguments, options);
        },
        nb::arg("arguments"), nb::arg("known") = slurm::KnownOptions(), doc("slurm.parse_options"));
}

}  // namespace trestle::python
