// SPDX-License-Identifier: Apache-2.0
#pragma once

// The Kubernetes document: the part of a pod's spec that makes a plan hold.
//
// Layer: dialect/container. Main types: KubernetesPod, KubernetesContainer, ResourceAmounts;
// kubernetes_pod() makes one. The JSON is a piece of `spec:`, to be merged with images and commands
// by the container's name.
// Pitfall: Kubernetes chooses CPUs and devices itself. The document carries how many, never which:
// those of the plan are named losses.
// Secrets: KubernetesContainer::env has every value in clear, and so has its JSON. Every user that
// may read pods can read it. Take secrets out, and let the pod refer to a Secret (`valueFrom`).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/container/document.hpp"
#include "trestle/dialect/json/codec.hpp"
#include "trestle/enforce/plan.hpp"

namespace trestle::container {

/// A number of devices under the name that a device plugin gave them.
struct ExtendedResource {
    std::string name;  ///< `nvidia.com/gpu`
    Count count;

    static constexpr auto fields(auto list) {
        return list(field("name", &ExtendedResource::name),
                    field("count", &ExtendedResource::count));
    }
    friend bool operator==(const ExtendedResource&, const ExtendedResource&) = default;
};

/// `limits:` or `requests:`. In JSON an object of quantities: `{"cpu": "8", "memory": "32Gi"}`.
struct ResourceAmounts {
    std::optional<MilliCpu> cpu;
    std::optional<Bytes> memory;
    std::optional<Bytes> ephemeral_storage;  ///< `ephemeral-storage`
    std::vector<ExtendedResource> extended;  ///< by name, each once

    static constexpr auto fields(auto list) {
        return list(field("cpu", &ResourceAmounts::cpu), field("memory", &ResourceAmounts::memory),
                    field("ephemeral_storage", &ResourceAmounts::ephemeral_storage),
                    field("extended", &ResourceAmounts::extended));
    }
    friend bool operator==(const ResourceAmounts&, const ResourceAmounts&) = default;
};

/// `resources:` of a container.
struct KubernetesResources {
    static constexpr auto spelling = json::Spelling::camel;

    ResourceAmounts limits;
    ResourceAmounts requests;

    static constexpr auto fields(auto list) {
        return list(field("limits", &KubernetesResources::limits),
                    field("requests", &KubernetesResources::requests));
    }
    friend bool operator==(const KubernetesResources&, const KubernetesResources&) = default;
};

/// Capabilities of the kernel to add, without `CAP_`, after those to drop: `ALL`.
struct KubernetesCapabilities {
    static constexpr auto spelling = json::Spelling::camel;

    std::vector<std::string> add;
    std::vector<std::string> drop;

    static constexpr auto fields(auto list) {
        return list(field("add", &KubernetesCapabilities::add),
                    field("drop", &KubernetesCapabilities::drop));
    }
    friend bool operator==(const KubernetesCapabilities&, const KubernetesCapabilities&) = default;
};

/// Which system calls are let through.
struct SeccompProfile {
    static constexpr auto spelling = json::Spelling::camel;

    std::string type;  ///< `Unconfined`

    static constexpr auto fields(auto list) { return list(field("type", &SeccompProfile::type)); }
    friend bool operator==(const SeccompProfile&, const SeccompProfile&) = default;
};

/// `securityContext:` of a container.
struct SecurityContext {
    static constexpr auto spelling = json::Spelling::camel;

    std::optional<std::uint32_t> run_as_user;
    std::optional<std::uint32_t> run_as_group;
    std::optional<bool> allow_privilege_escalation;  ///< false: no_new_privs
    KubernetesCapabilities capabilities;
    SeccompProfile seccomp_profile;

    static constexpr auto fields(auto list) {
        return list(
            field("run_as_user", &SecurityContext::run_as_user),
            field("run_as_group", &SecurityContext::run_as_group),
            field("allow_privilege_escalation", &SecurityContext::allow_privilege_escalation),
            field("capabilities", &SecurityContext::capabilities),
            field("seccomp_profile", &SecurityContext::seccomp_profile));
    }
    friend bool operator==(const SecurityContext&, const SecurityContext&) = default;
};

/// `securityContext:` of the pod.
struct PodSecurityContext {
    static constexpr auto spelling = json::Spelling::camel;

    std::vector<std::uint32_t> supplemental_groups;

    static constexpr auto fields(auto list) {
        return list(field("supplemental_groups", &PodSecurityContext::supplemental_groups));
    }
    friend bool operator==(const PodSecurityContext&, const PodSecurityContext&) = default;
};

/// Where a volume of the pod is seen in the container.
struct VolumeMount {
    static constexpr auto spelling = json::Spelling::camel;

    std::string name;
    std::string mount_path;

    static constexpr auto fields(auto list) {
        return list(field("name", &VolumeMount::name),
                    field("mount_path", &VolumeMount::mount_path));
    }
    friend bool operator==(const VolumeMount&, const VolumeMount&) = default;
};

/// `emptyDir:`, a folder that goes with the pod.
struct EmptyDir {
    static constexpr auto spelling = json::Spelling::camel;

    std::string medium;      ///< `Memory`; empty: the node's disk
    std::string size_limit;  ///< a quantity

    static constexpr auto fields(auto list) {
        return list(field("medium", &EmptyDir::medium), field("size_limit", &EmptyDir::size_limit));
    }
    friend bool operator==(const EmptyDir&, const EmptyDir&) = default;
};

/// `hostPath:`, a folder of the node.
struct HostPath {
    static constexpr auto spelling = json::Spelling::camel;

    std::string path;

    static constexpr auto fields(auto list) { return list(field("path", &HostPath::path)); }
    friend bool operator==(const HostPath&, const HostPath&) = default;
};

/// A volume of the pod, of one kind or the other.
struct KubernetesVolume {
    static constexpr auto spelling = json::Spelling::camel;

    std::string name;
    std::optional<EmptyDir> empty_dir;
    HostPath host_path;

    static constexpr auto fields(auto list) {
        return list(field("name", &KubernetesVolume::name),
                    field("empty_dir", &KubernetesVolume::empty_dir),
                    field("host_path", &KubernetesVolume::host_path));
    }
    friend bool operator==(const KubernetesVolume&, const KubernetesVolume&) = default;
};

/// A variable of a container, with its value as it is.
struct KubernetesVariable {
    static constexpr auto spelling = json::Spelling::camel;

    std::string name;
    std::string value;

    static constexpr auto fields(auto list) {
        return list(field("name", &KubernetesVariable::name),
                    field("value", &KubernetesVariable::value));
    }
    friend bool operator==(const KubernetesVariable&, const KubernetesVariable&) = default;
};

/// One of the pod's containers.
struct KubernetesContainer {
    static constexpr auto spelling = json::Spelling::camel;

    std::string name;
    std::vector<KubernetesVariable> env;
    KubernetesResources resources;
    SecurityContext security_context;
    std::vector<VolumeMount> volume_mounts;

    static constexpr auto fields(auto list) {
        return list(field("name", &KubernetesContainer::name),
                    field("env", &KubernetesContainer::env),
                    field("resources", &KubernetesContainer::resources),
                    field("security_context", &KubernetesContainer::security_context),
                    field("volume_mounts", &KubernetesContainer::volume_mounts));
    }
    friend bool operator==(const KubernetesContainer&, const KubernetesContainer&) = default;
};

/// A piece of a pod's spec.
struct KubernetesPod {
    static constexpr auto spelling = json::Spelling::camel;

    std::optional<bool> host_network;
    std::optional<bool> host_ipc;  ///< `hostIPC`
    PodSecurityContext security_context;
    std::vector<KubernetesContainer> containers;
    std::vector<KubernetesVolume> volumes;

    static constexpr auto fields(auto list) {
        return list(field("host_network", &KubernetesPod::host_network),
                    field("host_ipc", &KubernetesPod::host_ipc),
                    field("security_context", &KubernetesPod::security_context),
                    field("containers", &KubernetesPod::containers),
                    field("volumes", &KubernetesPod::volumes));
    }
    friend bool operator==(const KubernetesPod&, const KubernetesPod&) = default;
};

/// A part of a pod's spec, and the keeper of each limit.
using KubernetesDocument = Document<KubernetesPod>;

/// The plan for Kubernetes, as one container called `name`. Requests equal limits. So the quality
/// of service is Guaranteed, and the kubelet's static CPU policy gives the container whole CPUs of
/// its own. The disk differs: its least amount is the request, its largest the limit. CPU time is
/// the plan's or, where it has none, that of the CPUs it names. In place of the plan's scratch
/// directory there is a volume of the pod's own at its path, which the kubelet makes and removes.
/// Errors: InvalidArgument for a plan without device filter, and a name that is no DNS label.
[[nodiscard]] StatusOr<KubernetesDocument> kubernetes_pod(const Plan& plan,
                                                          const ContainerOptions& options = {},
                                                          const std::string& name = "main");

}  // namespace trestle::container

namespace trestle::json::detail {

template <>
struct Codec<container::ResourceAmounts> {
    static Value write(const container::ResourceAmounts& amounts);
    static bool read(const Value& value, const Place& place, container::ResourceAmounts& result);
};

}  // namespace trestle::json::detail
