// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/dialect/container/docker.hpp"
#include "trestle/dialect/container/kubernetes.hpp"
#include "trestle/dialect/container/live/kubernetes_cluster.hpp"
#include "trestle/dialect/container/live/pod_starts.hpp"
#include "trestle/dialect/container/mig_parted.hpp"
#include "trestle/dialect/container/oci.hpp"
#include "trestle/dialect/container/shell_script.hpp"
#include "trestle/dialect/container/systemd_unit.hpp"

namespace trestle::python {
namespace {

void bind_common(nb::module_& module) {
    bind_enum<container::Keeper>(module, "Keeper");
    bind_struct<container::KeptLimit>(module, "KeptLimit");
    bind_enum<container::NetworkMode>(module, "NetworkMode");
    bind_struct<container::ContainerProfile>(module, "ContainerProfile")
        .def("is_for", &container::ContainerProfile::is_for, nb::arg("device"),
             doc("container.ContainerProfile.is_for"));
    bind_struct<container::ContainerOptions>(module, "ContainerOptions");
    module.def("standard_container_profiles", &container::standard_container_profiles,
               doc("container.standard_container_profiles"));
    module.def("losses", &container::losses, nb::arg("limits"), doc("container.losses"));
    module.def("kept_table", &container::kept_table, nb::arg("limits"),
               doc("container.kept_table"));
}

void bind_docker(nb::module_& module) {
    bind_struct<container::DockerDeviceRequest>(module, "DockerDeviceRequest");
    bind_struct<container::DockerDevice>(module, "DockerDevice");
    bind_struct<container::DockerUlimit>(module, "DockerUlimit");
    bind_struct<container::HostConfig>(module, "HostConfig");
    bind_struct<container::DockerContainer>(module, "DockerContainer");
    bind_struct<container::DockerDocument>(module, "DockerDocument");
    module.def("docker_container", &container::docker_container, nb::arg("plan"),
               nb::arg("options") = container::ContainerOptions(),
               doc("container.docker_container"));
}

void bind_oci(nb::module_& module) {
    bind_struct<container::OciUser>(module, "OciUser");
    bind_struct<container::OciCapabilities>(module, "OciCapabilities");
    bind_struct<container::OciRlimit>(module, "OciRlimit");
    bind_struct<container::OciProcess>(module, "OciProcess");
    bind_struct<container::OciRoot>(module, "OciRoot");
    bind_struct<container::OciMount>(module, "OciMount");
    bind_struct<container::OciNamespace>(module, "OciNamespace");
    bind_struct<container::OciDevice>(module, "OciDevice");
    bind_struct<container::OciDeviceRule>(module, "OciDeviceRule");
    bind_struct<container::OciMemory>(module, "OciMemory");
    bind_struct<container::OciCpu>(module, "OciCpu");
    bind_struct<container::OciPids>(module, "OciPids");
    bind_struct<container::OciThrottle>(module, "OciThrottle");
    bind_struct<container::OciBlockIo>(module, "OciBlockIo");
    bind_struct<container::OciHugepageLimit>(module, "OciHugepageLimit");
    bind_struct<container::OciRdma>(module, "OciRdma");
    bind_struct<container::OciUnifiedFile>(module, "OciUnifiedFile");
    bind_struct<container::OciUnified>(module, "OciUnified");
    bind_struct<container::OciResources>(module, "OciResources");
    bind_struct<container::OciLinux>(module, "OciLinux");
    bind_struct<container::OciConfig>(module, "OciConfig");
    bind_struct<container::OciBundle>(module, "OciBundle");
    bind_struct<container::OciDocument>(module, "OciDocument");
    module.def("oci_config", &container::oci_config, nb::arg("plan"), nb::arg("bundle"),
               nb::arg("options") = container::ContainerOptions(), doc("container.oci_config"));
}

void bind_kubernetes(nb::module_& module) {
    bind_struct<container::ExtendedResource>(module, "ExtendedResource");
    bind_struct<container::ResourceAmounts>(module, "ResourceAmounts");
    bind_struct<container::KubernetesResources>(module, "KubernetesResources");
    bind_struct<container::KubernetesCapabilities>(module, "KubernetesCapabilities");
    bind_struct<container::SeccompProfile>(module, "SeccompProfile");
    bind_struct<container::SecurityContext>(module, "SecurityContext");
    bind_struct<container::VolumeMount>(module, "VolumeMount");
    bind_struct<container::EmptyDir>(module, "EmptyDir");
    bind_struct<container::HostPath>(module, "HostPath");
    bind_struct<container::KubernetesVolume>(module, "KubernetesVolume");
    bind_struct<container::KubernetesVariable>(module, "KubernetesVariable");
    bind_struct<container::KubernetesContainer>(module, "KubernetesContainer");
    bind_struct<container::PodSecurityContext>(module, "PodSecurityContext");
    bind_struct<container::KubernetesPod>(module, "KubernetesPod");
    bind_struct<container::KubernetesDocument>(module, "KubernetesDocument");
    module.def("kubernetes_pod", &container::kubernetes_pod, nb::arg("plan"),
               nb::arg("options") = container::ContainerOptions(), nb::arg("name") = "main",
               doc("container.kubernetes_pod"));
}

void bind_systemd(nb::module_& module) {
    bind_struct<container::UnitProperty>(module, "UnitProperty");
    bind_struct<container::SystemdUnit>(module, "SystemdUnit");
    bind_struct<container::UnitOptions>(module, "UnitOptions");
    bind_struct<container::SystemdDocument>(module, "SystemdDocument");
    module.def("systemd_unit", &container::systemd_unit, nb::arg("plan"), nb::arg("options"),
               doc("container.systemd_unit"));
    module.def("unit_name", &container::unit_name, nb::arg("group"), doc("container.unit_name"));
    module.def("systemd_run_words", &container::systemd_run_words, nb::arg("unit"),
               doc("container.systemd_run_words"));
    module.def("systemd_run_line", &container::systemd_run_line, nb::arg("unit"),
               doc("container.systemd_run_line"));
    module.def("unit_text", &container::unit_text, nb::arg("unit"), doc("container.unit_text"));
    module.def("secret_text", &container::secret_text, nb::arg("unit"),
               doc("container.secret_text"));
}

void bind_shell(nb::module_& module) {
    bind_struct<container::ShellScripts>(module, "ShellScripts");
    bind_struct<container::ScriptOptions>(module, "ScriptOptions");
    bind_struct<container::ShellDocument>(module, "ShellDocument");
    module.def("shell_scripts", &container::shell_scripts, nb::arg("plan"),
               nb::arg("options") = container::ScriptOptions(), doc("container.shell_scripts"));
}

void bind_mig_parted(nb::module_& module) {
    bind_struct<container::MigCount>(module, "MigCount");
    bind_struct<container::MigLayout>(module, "MigLayout");
    bind_struct<container::MigConfig>(module, "MigConfig");
    module.def("parse_mig_parted", &container::parse_mig_parted, nb::arg("text"),
               doc("container.parse_mig_parted"));
    module.def("with_mig_config", &container::with_mig_config, nb::arg("shape"), nb::arg("config"),
               doc("container.with_mig_config"));
}

void bind_live(nb::module_& module) {
    bind_struct<container::RunningPod>(module, "RunningPod");
    bind_struct<container::WaitingPod>(module, "WaitingPod");
    bind_struct<container::NodeTaint>(module, "NodeTaint");
    nb::class_<container::KubernetesCluster>(module, "KubernetesCluster",
                                             doc("container.KubernetesCluster"))
        .def_prop_ro(
            "cluster", [](const container::KubernetesCluster& self) { return self.cluster; },
            nb::rv_policy::move, "A copy of the cluster.")
        .def_ro("running", &container::KubernetesCluster::running,
                doc("container.KubernetesCluster.running"))
        .def_ro("waiting", &container::KubernetesCluster::waiting,
                doc("container.KubernetesCluster.waiting"))
        .def_ro("taints", &container::KubernetesCluster::taints,
                doc("container.KubernetesCluster.taints"))
        .def_ro("full", &container::KubernetesCluster::full,
                doc("container.KubernetesCluster.full"))
        .def_ro("pod_room", &container::KubernetesCluster::pod_room,
                doc("container.KubernetesCluster.pod_room"))
        .def_ro("problems", &container::KubernetesCluster::problems,
                doc("container.KubernetesCluster.problems"))
        .def("__repr__", [](const container::KubernetesCluster& self) {
            return fmt::format(
                "<container.KubernetesCluster of {} nodes, {} running pods, {} problems>",
                self.cluster.node_count(), self.running.size(), self.problems.size());
        });
    module.def("read_kubernetes_cluster", &container::read_kubernetes_cluster, nb::arg("text"),
               nb::arg("now") = nb::none(), doc("container.read_kubernetes_cluster"));
    module.def("timeline_of", &container::timeline_of, nb::arg("pods"),
               doc("container.timeline_of"));
    bind_struct<container::PodStart>(module, "PodStart");
    module.def("pod_start", &container::pod_start, nb::arg("pods"), nb::arg("pod"),
               doc("container.pod_start"));
    module.def("pod_starts", &container::pod_starts, nb::arg("pods"), nb::arg("waiting"),
               doc("container.pod_starts"));
    module.def("pod_of_request", &container::pod_of_request, nb::arg("pods"), nb::arg("request"),
               doc("container.pod_of_request"));
    module.def(
        "with_nodes_like",
        [](container::KubernetesCluster pods, std::string_view node, std::uint32_t count) {
            raise_if_error(container::add_nodes_like(pods, node, count));
            return pods;
        },
        nb::arg("pods"), nb::arg("node"), nb::arg("count") = 1, doc("container.add_nodes_like"));
}

}  // namespace

void bind_container(nb::module_& container) {
    bind_common(container);
    bind_docker(container);
    bind_oci(container);
    bind_kubernetes(container);
    bind_live(container);
    bind_systemd(container);
    bind_shell(container);
    bind_mig_parted(container);
}

}  // namespace trestle::python
