// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/alloc/cluster/job_steps.hpp"
#include "trestle/alloc/node/job/cpu_bind.hpp"
#include "trestle/alloc/node/job/device_bind.hpp"
#include "trestle/alloc/node/job/job.hpp"
#include "trestle/alloc/node/job/task_layout.hpp"

namespace trestle::python {
namespace {

void bind_tasks(nb::module_& module) {
    bind_struct<TaskPlacement>(module, "TaskPlacement");
    module.def(
        "layout_tasks",
        [](const std::vector<Node>& nodes, const Placement& placement, const Request& request) {
            return layout_tasks(nodes, placement, request);
        },
        nb::arg("nodes"), nb::arg("placement"), nb::arg("request"), doc("layout_tasks"));
    bind_enum<DeviceBind::Rule>(module, "BindRule", "DeviceBind.Rule");
    bind_enum<DeviceBind::Numbers>(module, "BindNumbers", "DeviceBind.Numbers");
    bind_struct<DeviceBind>(module, "DeviceBind");
    module.def(
        "check_bind", [](const DeviceBind& bind) { return check(bind); }, nb::arg("bind"),
        doc("check(DeviceBind)"));
    module.def(
        "bind_devices",
        [](const std::vector<Node>& nodes, const Placement& placement,
           const std::vector<TaskPlacement>& tasks,
           const DeviceBind& bind) { return bind_devices(nodes, placement, tasks, bind); },
        nb::arg("nodes"), nb::arg("placement"), nb::arg("tasks"), nb::arg("bind"),
        doc("bind_devices"));
    bind_enum<TaskBind::To>(module, "TaskBindTo", "TaskBind.To");
    bind_struct<TaskBind>(module, "TaskBind");
    module.def(
        "bind_cpus",
        [](const std::vector<Node>& nodes, const Placement& placement,
           const std::vector<TaskPlacement>& tasks, const TaskBind& bind) {
            raise_if_error(check(bind));
            return bind_cpus(nodes, placement, tasks, bind);
        },
        nb::arg("nodes"), nb::arg("placement"), nb::arg("tasks"), nb::arg("bind"),
        doc("bind_cpus"));
}

/// A copy of what was found, or nothing.
template <class T>
[[nodiscard]] std::optional<T> copy_of(const T* found) {
    return found != nullptr ? std::optional(*found) : std::nullopt;
}

using JobParts = std::pair<Allocation, std::pair<std::vector<JobNode>, std::vector<JobStep>>>;

[[nodiscard]] JobParts parts_of(const JobState& job) {
    return {job.allocation(), {job.nodes(), job.steps()}};
}
/// The same nodes and steps in a new job.
[[nodiscard]] JobState restored(const JobParts& parts) {
    Allocation owner = parts.first;
    owner.placement = {};
    auto job = JobState::create({}, owner);
    for (const JobNode& known : parts.second.first) {
        Node node;
        node.name = known.name;
        node.shape = known.shape;
        raise_if_error(job->add_node(node, known.granted));
    }
    for (const JobStep& step : parts.second.second) raise_if_error(job->start(step));
    return *std::move(job);
}

void bind_state(nb::module_& module) {
    nb::class_<JobState> job(
        module, "JobState",
        "An allocation as something to allocate from.\n\nChanges: start, end, "
        "add_node, grow_node and remove_node; after an error it is what it was. A copy is "
        "independent of the original.");
    job.def(nb::init<>(), doc("JobState.JobState"))
        .def_static(
            "create",
            [](const std::vector<Node>& nodes, const Allocation& allocation) {
                return JobState::create(nodes, allocation);
            },
            nb::arg("nodes"), nb::arg("allocation"), doc("JobState.create"))
        .def("owner", &JobState::owner, "Whose it is.")
        .def("nodes", &JobState::nodes, nb::rv_policy::copy, "The job's nodes, by NodeId.")
        .def("steps", &JobState::steps, nb::rv_policy::copy, "The steps that run, by id.")
        .def("allocation", &JobState::allocation, doc("JobState.allocation"))
        .def(
            "find_node",
            [](const JobState& self, NodeId id) { return copy_of(self.find_node(id)); },
            nb::arg("id"), "What the job has on the node, or None.")
        .def(
            "find_step",
            [](const JobState& self, StepId id) { return copy_of(self.find_step(id)); },
            nb::arg("id"), "The step that runs, or None.")
        .def("start", &JobState::start, nb::arg("step"), doc("JobState.start"))
        .def("end", &JobState::end, nb::arg("id"), doc("JobState.end"))
        .def("add_node", &JobState::add_node, nb::arg("node"), nb::arg("granted"),
             doc("JobState.add_node"))
        .def("grow_node", &JobState::grow_node, nb::arg("whole"), doc("JobState.grow_node"))
        .def("remove_node", &JobState::remove_node, nb::arg("id"), doc("JobState.remove_node"));
    bind_equality(job);
    job.def("__str__", [](const JobState& self) { return to_text(self); });
    job.def("__copy__", [](const JobState& self) { return self; });
    job.def(
        "__deepcopy__", [](const JobState& self, nb::handle) { return self; }, nb::arg("memo"));
    job.def("__getstate__", &parts_of);
    job.def("__setstate__",
            [](JobState& self, const JobParts& parts) { new (&self) JobState(restored(parts)); });
    job.def("__repr__", [](const JobState& self) {
        return fmt::format("<JobState of owner {}, {} nodes, {} steps>", self.owner(),
                           self.nodes().size(), self.steps().size());
    });
}

}  // namespace

void bind_job(nb::module_& module) {
    bind_tasks(module);
    bind_enum<JobStep::Use>(module, "StepUse", "JobStep.Use");
    bind_struct<JobStep>(module, "JobStep")
        .def(
            "find_node",
            [](const JobStep& self, NodeId node) { return copy_of(self.find_node(node)); },
            nb::arg("node"), "What the step has on the node, or None.");
    bind_struct<JobNode>(module, "JobNode");
    bind_state(module);
    bind_struct<StepOptions>(module, "StepOptions");
    module.def("cluster_of", &cluster_of, nb::arg("job"), nb::arg("use"), doc("cluster_of"));
    module.def("place_step", &place_step, nb::arg("job"), nb::arg("request"),
               nb::arg("options") = StepOptions(), doc("place_step"));
}

}  // namespace trestle::python
