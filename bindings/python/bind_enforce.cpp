// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/enforce/capabilities.hpp"
#include "trestle/enforce/credential.hpp"
#include "trestle/enforce/device/allow_list.hpp"
#include "trestle/enforce/device/device_filter.hpp"
#include "trestle/enforce/device/device_rules.hpp"
#include "trestle/enforce/device/vendor_profile.hpp"
#include "trestle/enforce/drift.hpp"
#include "trestle/enforce/enforcer.hpp"
#include "trestle/enforce/explain_limits.hpp"
#include "trestle/enforce/group_name.hpp"
#include "trestle/enforce/limits/limits.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/plan_diff.hpp"
#include "trestle/enforce/plan_update.hpp"
#include "trestle/enforce/process/command.hpp"
#include "trestle/enforce/process/environment.hpp"
#include "trestle/enforce/process/memory_policy.hpp"
#include "trestle/enforce/process/outcome.hpp"
#include "trestle/enforce/process/scratch.hpp"
#include "trestle/enforce/process/settings.hpp"
#include "trestle/enforce/process/user.hpp"
#include "trestle/enforce/task.hpp"

namespace trestle::python {

template <>
EnvironmentVariable::Value from_python<EnvironmentVariable::Value>(nb::handle object) {
    if (nb::isinstance<EnvironmentVariable::Value>(object))
        return *nb::inst_ptr<EnvironmentVariable::Value>(object);
    if (!PyUnicode_Check(object.ptr())) {
        throw_wrong_type("a str or a trestle.EnvironmentValue", object);
    }
    return nb::cast<std::string>(object);
}

namespace {

/// What a value is made from without showing it: the digest of a secret.
nb::tuple reduced(nb::handle self) {
    const EnvironmentVariable::Value& value = *nb::inst_ptr<EnvironmentVariable::Value>(self);
    const char* maker = value.is_secret() ? "of_digest" : "shown";
    // Functions of the module do not pickle.
    const nb::object call = nb::module_::import_("operator").attr("methodcaller");
    return nb::make_tuple(call(maker, to_text(value)), nb::make_tuple(self.type()));
}

void bind_environment(nb::module_& module) {
    nb::class_<EnvironmentVariable::Value> type(module, "EnvironmentValue",
                                                doc("EnvironmentVariable.Value"));
    type.def(
        "__init__",
        [](EnvironmentVariable::Value* self, std::string text) {
            new (self) EnvironmentVariable::Value(std::move(text));
        },
        nb::arg("text") = "", "A secret.");
    bind_value(type);
    type.def_static("shown", &EnvironmentVariable::Value::shown, nb::arg("text"),
                    doc("EnvironmentVariable.Value.shown"))
        .def_static(
            "of_digest",
            [](const std::string& digest) { return EnvironmentVariable::Value::of_digest(digest); },
            nb::arg("digest"), doc("EnvironmentVariable.Value.of_digest"))
        .def("is_secret", &EnvironmentVariable::Value::is_secret, "False: the value may be shown.")
        .def("is_known", &EnvironmentVariable::Value::is_known,
             doc("EnvironmentVariable.Value.is_known"))
        .def("digest", &EnvironmentVariable::Value::digest, doc("EnvironmentVariable.Value.digest"))
        .def(
            "reveal",
            [](const EnvironmentVariable::Value& self) -> StatusOr<std::string> {
                if (self.is_known()) return self.reveal();
                return failed_precondition("only the digest {} is known, expected the value",
                                           self.digest());
            },
            "The text itself. Errors: trestle.Error when only the digest is known.")
        .def("__str__", [](const EnvironmentVariable::Value& self) { return to_text(self); })
        .def("__repr__",
             [](nb::handle self) {
                 const EnvironmentVariable::Value& value =
                     *nb::inst_ptr<EnvironmentVariable::Value>(self);
                 const std::string maker = value.is_secret() ? "of_digest(" : "shown(";
                 const nb::str text(to_text(value).c_str());
                 return shown_in_a_line(
                     "EnvironmentValue." + maker + nb::cast<std::string>(nb::repr(text)) + ")",
                     "EnvironmentValue", nb::len(text));
             })
        .def("__reduce__", &reduced,
             nb::sig("def __reduce__(self) -> tuple[object, tuple[object, ...]]"));
    bind_struct<EnvironmentVariable>(module, "EnvironmentVariable");
}

void bind_rules(nb::module_& module) {
    bind_struct<DeviceRule::Access>(module, "DeviceAccess", "DeviceRule.Access")
        .def_static("read_write", &DeviceRule::Access::read_write, "Read and write.")
        .def_static("all", &DeviceRule::Access::all, "Read, write and mknod.")
        .def("bits", &DeviceRule::Access::bits, "The kernel's bits: 1 mknod, 2 read, 4 write.");
    bind_struct<DeviceRule>(module, "DeviceRule");
    bind_struct<DeviceRules>(module, "DeviceRules");
    bind_struct<DeviceRules::Probe>(module, "DeviceProbe", "DeviceRules.Probe");
    bind_enum<DeviceAllowList::File::Presence>(module, "Presence", "DeviceAllowList.File.Presence");
    bind_struct<DeviceAllowList::File>(module, "AllowedFile", "DeviceAllowList.File");
    bind_struct<DeviceAllowList>(module, "DeviceAllowList");
    bind_enum<VendorProfile::Numbering>(module, "DeviceNumbering", "VendorProfile.Numbering");
    bind_enum<VendorProfile::Variable::CountedPart>(module, "CountedPart",
                                                    "VendorProfile.Variable.CountedPart");
    bind_struct<VendorProfile::Variable>(module, "VisibilityVariable", "VendorProfile.Variable");
    bind_struct<VendorProfile>(module, "VendorProfile");
    module.def("standard_vendor_profiles", &standard_vendor_profiles,
               doc("standard_vendor_profiles"));
    bind_struct<PlannedDevice>(module, "PlannedDevice");
    bind_struct<BpfInstruction>(module, "BpfInstruction");
    module.def("allowed", &allowed, nb::arg("rules"), nb::arg("probe"), doc("allowed"));
    module.def("pseudo_devices", &pseudo_devices, doc("pseudo_devices"));
    module.def("compile_filter", &compile_filter, nb::arg("rules"), doc("compile_filter"));
}

void bind_process_checks(nb::module_& module) {
    module.def(
        "check", [](const ProcessUser& user) { return check(user); }, nb::arg("user"),
        doc("check(ProcessUser)"));
    module.def(
        "check", [](const MemoryPolicy& policy) { return check(policy); }, nb::arg("policy"),
        doc("check(MemoryPolicy)"));
    module.def(
        "check", [](const ProcessSettings& settings) { return check(settings); },
        nb::arg("settings"), doc("check(ProcessSettings)"));
}

void bind_processes(nb::module_& module) {
    bind_enum<ProcessSettings::Limit::Resource>(module, "ProcessResource",
                                                "ProcessSettings.Limit.Resource");
    bind_struct<ProcessSettings::Limit>(module, "ProcessLimit", "ProcessSettings.Limit");
    bind_enum<ProcessUser::Capability>(module, "LinuxCapability", "ProcessUser.Capability");
    bind_struct<ProcessUser>(module, "ProcessUser");
    bind_enum<MemoryPolicy::Mode>(module, "MemoryMode", "MemoryPolicy.Mode");
    bind_struct<MemoryPolicy>(module, "MemoryPolicy");
    bind_struct<Scratch>(module, "Scratch");
    bind_struct<Scratch::Directory>(module, "ScratchDirectory", "Scratch.Directory");
    bind_struct<ProcessSettings>(module, "ProcessSettings");
    bind_process_checks(module);
    bind_struct<Command>(module, "Command");
    bind_enum<Outcome::Ending>(module, "Ending", "Outcome.Ending");
    bind_struct<Outcome>(module, "Outcome");
    bind_struct<Child>(module, "Child");
    bind_struct<GroupState>(module, "GroupState");
    bind_struct<Drift>(module, "Drift");
    bind_struct<Shortfall>(module, "Shortfall");
    bind_struct<Applied>(module, "Applied");
    module.def("exited", &exited, nb::arg("exit_code"), nb::arg("oom_kills") = nb::none(),
               doc("exited"));
    module.def("signaled", &signaled, nb::arg("signal_number"), nb::arg("oom_kills") = nb::none(),
               doc("signaled"));
    module.def("exit_status", nb::overload_cast<const Outcome&>(&exit_status), nb::arg("outcome"),
               doc("exit_status(Outcome)"));
}

void bind_group_names(nb::module_& module) {
    module.def("check_group_name", &check_group_name, nb::arg("group"), doc("check_group_name"));
    module.def("parent_group", &parent_group, nb::arg("group"), doc("parent_group"));
    module.def("is_below", &is_below, nb::arg("name"), nb::arg("group"), doc("is_below"));
}

void bind_plans(nb::module_& module) {
    bind_enum<LimitPolicy::Source>(module, "LimitSource", "LimitPolicy.Source");
    bind_enum<Requirement>(module, "Requirement");
    bind_struct<Requirements>(module, "Requirements")
        .def_static("all", &Requirements::all, nb::arg("requirement"), "The same for each.");
    bind_struct<MemoryRule>(module, "MemoryRule");
    bind_enum<CpusetPartition>(module, "CpusetPartition");
    bind_struct<IoLimit>(module, "IoLimit");
    bind_struct<HugetlbLimit>(module, "HugetlbLimit");
    bind_struct<RdmaLimit>(module, "RdmaLimit");
    bind_struct<MiscLimit>(module, "MiscLimit");
    bind_struct<LimitPolicy>(module, "LimitPolicy");
    bind_struct<Limits>(module, "Limits");
    bind_struct<CpusLimit>(module, "CpusLimit");
    bind_struct<MemsLimit>(module, "MemsLimit");
    bind_struct<PartitionLimit>(module, "PartitionLimit");
    bind_struct<CpuTimeLimit>(module, "CpuTimeLimit");
    bind_struct<CpuWeightLimit>(module, "CpuWeightLimit");
    bind_enum<MemoryLimit::File>(module, "MemoryFile", "MemoryLimit.File");
    bind_struct<MemoryLimit>(module, "MemoryLimit");
    bind_struct<OomGroupLimit>(module, "OomGroupLimit");
    bind_struct<PidsLimit>(module, "PidsLimit");
    bind_struct<IoWeightLimit>(module, "IoWeightLimit");
    bind_struct<HugetlbReservation>(module, "HugetlbReservation");
    bind_enum<LimitRow::Exceeded>(module, "Exceeded", "LimitRow.Exceeded");
    bind_struct<LimitRow>(module, "LimitRow");
    bind_struct<Step::MakeGroup>(module, "MakeGroup", "Step.MakeGroup");
    bind_struct<Step::EnableController>(module, "EnableController", "Step.EnableController");
    bind_struct<Step::LabelGroup>(module, "LabelGroup", "Step.LabelGroup");
    bind_struct<Step::SetLimit>(module, "SetLimit", "Step.SetLimit");
    bind_struct<Step::LoadFilter>(module, "LoadFilter", "Step.LoadFilter");
    bind_struct<Step::SetFrozen>(module, "SetFrozen", "Step.SetFrozen");
    bind_struct<Step::MakeScratch>(module, "MakeScratch", "Step.MakeScratch");
    bind_struct<Step>(module, "Step");
    module.def("file_of", &file_of, nb::arg("limit"), doc("file_of"));
    module.def("file_value", &file_value, nb::arg("limit"), doc("file_value"));
    bind_struct<Capabilities>(module, "Capabilities");
    bind_struct<Plan>(module, "Plan");
    bind_struct<TaskSettings>(module, "TaskSettings");
    module.def("task_plan", &task_plan, nb::arg("plan"), nb::arg("task"), doc("task_plan"));
    bind_struct<PlanOptions>(module, "PlanOptions");
    module.def("plan", &plan, nb::arg("node"), nb::arg("placement"), nb::arg("request"),
               nb::arg("policy"), nb::arg("options"), doc("plan"));
    bind_enum<UpdateStep::Effect>(module, "UpdateEffect", "UpdateStep.Effect");
    bind_struct<UpdateStep>(module, "UpdateStep");
    bind_struct<PlanUpdate>(module, "PlanUpdate");
    module.def("plan_update", &plan_update, nb::arg("before"), nb::arg("after"),
               doc("plan_update"));
    module.def("cpu_weight_of_shares", &cpu_weight_of_shares, nb::arg("shares"),
               doc("cpu_weight_of_shares"));
    module.def("plan_diff", &plan_diff, nb::arg("before"), nb::arg("after"), doc("plan_diff"));
    module.def(
        "check", [](const LimitPolicy& policy) { return check(policy); }, nb::arg("policy"),
        "Ok when the kernel could take every number of the policy. Errors: ValueError.");
    bind_struct<Credential::Device>(module, "CredentialDevice", "Credential.Device");
    bind_struct<Credential::Node>(module, "CredentialNode", "Credential.Node");
    bind_struct<Credential>(module, "Credential");
    module.def(
        "credential_of",
        [](const Allocation& allocation, const Cluster& cluster,
           Seconds issued_at) -> StatusOr<Credential> {
            for (const NodePlacement& part : allocation.placement.nodes) {
                if (part.node.value() >= cluster.node_count()) {
                    return invalid_argument("placement: node {} does not exist, the cluster has {}",
                                            part.node.value(), cluster.node_count());
                }
            }
            return credential_of(
                allocation, [&](NodeId id) { return cluster.node(id); }, issued_at);
        },
        nb::arg("allocation"), nb::arg("cluster"), nb::arg("issued_at") = Seconds(),
        doc("credential_of"));
    module.def("part_of", &part_of, nb::arg("credential"), nb::arg("node"),
               nb::arg("component") = nb::none(), doc("part_of"));
    module.def("plan_of", &plan_of, nb::arg("credential"), nb::arg("node"), nb::arg("policy"),
               nb::arg("options"), nb::arg("component") = nb::none(), doc("plan_of"));
    module.def(
        "limits_of",
        [](const Request& request, const NodeShape& shape, const NodePlacement& placement,
           const LimitPolicy& policy) -> StatusOr<Limits> {
            TRESTLE_TRY_STATUS(check(shape, placement));
            return limits_of(request, shape, placement, policy);
        },
        nb::arg("request"), nb::arg("shape"), nb::arg("placement"), nb::arg("policy"),
        doc("limits_of(Request)"));
    module.def(
        "limits_of", [](const Plan& plan) { return limits_of(plan); }, nb::arg("plan"),
        doc("limits_of(Plan)"));
    module.def("with_filter_in_force", &with_filter_in_force, nb::arg("plan"),
               doc("with_filter_in_force"));
    module.def(
        "asked_memory",
        [](const Request& request, const NodeShape& shape,
           const NodePlacement& placement) -> StatusOr<Bytes> {
            TRESTLE_TRY_STATUS(check(shape, placement));
            return asked_memory(request, shape, placement);
        },
        nb::arg("request"), nb::arg("shape"), nb::arg("placement"), doc("asked_memory"));
    module.def(
        "memory_policy_of",
        [](const NodeShape& shape, const NodePlacement& placement,
           MemoryPolicy::Mode mode) -> StatusOr<MemoryPolicy> {
            TRESTLE_TRY_STATUS(check(shape, placement));
            return memory_policy_of(shape, placement, mode);
        },
        nb::arg("shape"), nb::arg("placement"), nb::arg("mode"), doc("memory_policy_of"));
    module.def(
        "explain_limits",
        [](const Request& request, const NodeShape& shape, const NodePlacement& placement,
           const LimitPolicy& policy) -> StatusOr<std::vector<LimitRow>> {
            TRESTLE_TRY_STATUS(check(shape, placement));
            return explain_limits(request, shape, placement, policy);
        },
        nb::arg("request"), nb::arg("shape"), nb::arg("placement"), nb::arg("policy"),
        doc("explain_limits"));
    module.def("limit_table", &limit_table, nb::arg("rows"), doc("limit_table"));
    module.def(
        "check",
        [](const NodeShape& shape, const NodePlacement& placement) {
            return check(shape, placement);
        },
        nb::arg("shape"), nb::arg("placement"),
        "Ok when a node of this shape has what the placement takes, be it free or not. Errors: "
        "ValueError.");
}

}  // namespace

void bind_enforce(nb::module_& module) {
    bind_environment(module);
    bind_rules(module);
    bind_group_names(module);
    bind_processes(module);
    bind_ending(module);
    bind_plans(module);
    bind_health(module);
}

}  // namespace trestle::python
