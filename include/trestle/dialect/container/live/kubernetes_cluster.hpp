// SPDX-License-Identifier: Apache-2.0
#pragma once

// A cluster of Kubernetes as a value, from what `kubectl get nodes,pods -A -o json` prints.
//
// Layer: dialect/container. Main names: KubernetesCluster, read_kubernetes_cluster.
// A node has its allocatable CPUs, memory and devices. A device has the name behind the slash of
// its resource: `gpu` of nvidia.com/gpu, `mig-1g.5gb` of nvidia.com/mig-1g.5gb. Its vendor is the
// word before: `nvidia`. Its type is that of the label nvidia.com/gpu.product. If any node has more
// than 64 of a resource, each node has one device with as many shares: devices.kubevirt.io/kvm.
// Pitfall: Kubernetes tells how many devices a pod has, never which. The pod has the lowest ones
// that are free, so counts are right and indexes mean nothing. No pod has an end that is known.

#include <string>
#include <string_view>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/request.hpp"

namespace trestle::container {

/// A pod that has a node, or what is kept of a node's CPUs.
struct RunningPod {
    OwnerId owner;
    std::string name;  ///< `default/train-0`, `kept by gpu-1`

    /// False for what is kept: the name of a pod has a slash.
    [[nodiscard]] bool is_pod() const { return name.find('/') != std::string::npos; }

    static constexpr auto fields(auto list) {
        return list(field("owner", &RunningPod::owner), field("name", &RunningPod::name));
    }
    friend bool operator==(const RunningPod&, const RunningPod&) = default;
};

/// A pod without a node.
struct WaitingPod {
    std::string name;     ///< `default/train-1`
    std::string message;  ///< why, as the scheduler of Kubernetes says
    /// What it asks. Nodes are excluded if its nodeSelector or its tolerations do not admit them.
    Request request;

    static constexpr auto fields(auto list) {
        return list(field("name", &WaitingPod::name), field("message", &WaitingPod::message),
                    field("request", &WaitingPod::request));
    }
    friend bool operator==(const WaitingPod&, const WaitingPod&) = default;
};

/// A taint that keeps pods without a toleration away.
struct NodeTaint {
    std::string node;
    std::string key;  ///< `nvidia.com/gpu`, tolerated by pods that ask for it

    static constexpr auto fields(auto list) {
        return list(field("node", &NodeTaint::node), field("key", &NodeTaint::key));
    }
    friend bool operator==(const NodeTaint&, const NodeTaint&) = default;
};

/// A cluster at one moment. `Timeline(cluster)` is it in time.
struct KubernetesCluster {
    Cluster cluster;
    std::vector<RunningPod> running;    ///< by owner
    std::vector<WaitingPod> waiting;    ///< in the order of the document
    std::vector<NodeTaint> taints;      ///< waiting pods know theirs already
    std::vector<std::string> full;      ///< nodes that are drained for having all their pods
    std::vector<std::string> problems;  ///< what is not in it, a line each

    static constexpr auto fields(auto list) {
        return list(field("cluster", &KubernetesCluster::cluster),
                    field("running", &KubernetesCluster::running),
                    field("waiting", &KubernetesCluster::waiting),
                    field("taints", &KubernetesCluster::taints),
                    field("full", &KubernetesCluster::full),
                    field("problems", &KubernetesCluster::problems));
    }
    friend bool operator==(const KubernetesCluster&, const KubernetesCluster&) = default;
};

/// The cluster of a document of kind List. Cordoned nodes and nodes that have all the pods they may
/// have are drained. Nodes that are not ready are down. A fraction of a CPU that is not allocatable
/// has an owner, `kept by NODE`. Problems are nodes and pods that cannot be read or do not fit.
/// Affinity, spread constraints and claims of waiting pods are problems too, and are not looked at.
/// Gates of waiting pods are problems: their requests say what would hold without gates.
/// A taint with the name of a device that the pod asks for is tolerated. Errors: InvalidArgument
/// for text that is no JSON, or no list of Kubernetes, and for a list without a node that can be
/// used. Complexity:
/// linear in the text, and waiting pods times nodes.
[[nodiscard]] StatusOr<KubernetesCluster> read_kubernetes_cluster(std::string_view text);

}  // namespace trestle::container
