// SPDX-License-Identifier: Apache-2.0
#pragma once

// A cluster of Kubernetes as a value, from what `kubectl get nodes,pods,jobs -A -o json` prints.
//
// Layer: dialect/container. Main names: KubernetesCluster, read_kubernetes_cluster, timeline_of.
// A node has its allocatable CPUs, memory and devices. A device has the name behind the slash of
// its resource: `gpu` of nvidia.com/gpu, `mig-1g.5gb` of nvidia.com/mig-1g.5gb. Its vendor is the
// word before: `nvidia`. Beside acme.com/x the vendor of acme.io/x is all of `acme.io`. The type is
// that of the label nvidia.com/gpu.product. If any node has more than 64 of a resource, each node
// has one device with as many shares: devices.kubevirt.io/kvm.
// Pitfall: Kubernetes tells how many devices a pod has, never which. The pod has the lowest ones
// that are free, so counts are right and indexes mean nothing. Most pods have no known end. A
// deadline of the pod or of its Job gives one, and so does a deletion that is under way.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/node_filter.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/request.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle::container {

/// A pod that has a node, or what is kept of a node's CPUs.
struct RunningPod {
    OwnerId owner;
    std::string name;                     ///< `default/train-0`, `kept by gpu-1`
    std::optional<Seconds> ends_in = {};  ///< at the latest, 1 or more; absent: not known

    /// False for what is kept: the name of a pod has a slash.
    [[nodiscard]] bool is_pod() const { return name.find('/') != std::string::npos; }

    static constexpr auto fields(auto list) {
        return list(field("owner", &RunningPod::owner), field("name", &RunningPod::name),
                    field("ends_in", &RunningPod::ends_in));
    }
    friend bool operator==(const RunningPod&, const RunningPod&) = default;
};

/// A pod without a node.
struct WaitingPod {
    std::string name;       ///< `default/train-1`
    std::string message;    ///< why, as the scheduler of Kubernetes says
    Request request;        ///< what it asks; its deadline is the time limit
    NodeSet nodes;          ///< those that its nodeSelector and its tolerations admit
    bool is_gated = false;  ///< it has scheduling gates: it does not compete yet

    static constexpr auto fields(auto list) {
        return list(field("name", &WaitingPod::name), field("message", &WaitingPod::message),
                    field("request", &WaitingPod::request), field("nodes", &WaitingPod::nodes),
                    field("is_gated", &WaitingPod::is_gated));
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

/// A cluster at one moment.
struct KubernetesCluster {
    Cluster cluster;
    std::vector<RunningPod> running;  ///< by owner
    std::vector<WaitingPod> waiting;  ///< by priority, then by the time of creation
    std::vector<NodeTaint> taints;    ///< waiting pods know theirs already
    std::vector<std::string> full;    ///< nodes, rising, that are drained for having all their pods
    /// By node of the cluster, how many pods more it takes; negative: it has more than it may have.
    std::vector<std::int64_t> pod_room;
    std::vector<std::string> problems;  ///< what is not in it, a line each

    static constexpr auto fields(auto list) {
        return list(field("cluster", &KubernetesCluster::cluster),
                    field("running", &KubernetesCluster::running),
                    field("waiting", &KubernetesCluster::waiting),
                    field("taints", &KubernetesCluster::taints),
                    field("full", &KubernetesCluster::full),
                    field("pod_room", &KubernetesCluster::pod_room),
                    field("problems", &KubernetesCluster::problems));
    }
    friend bool operator==(const KubernetesCluster&, const KubernetesCluster&) = default;
};

/// The cluster of a document of kind List. `now` is in seconds since 1970; absent: the latest
/// moment that the document tells of. Cordoned nodes and nodes that have all the pods they may have
/// are drained. Nodes that are not ready are down. A fraction of a CPU that is not allocatable has
/// an owner, `kept by NODE`. Problems are nodes and pods that cannot be read or do not fit. A pod
/// that does not fit runs on its node and has nothing of it.
/// Affinity, spread constraints and claims of waiting pods are problems too, and are not looked at.
/// Gates of waiting pods are problems: their requests say what would hold without gates. A pod
/// without a node that is being deleted does not wait, and is a problem. A taint
/// with the name of a device that the pod asks for is tolerated. A pod ends by
/// `activeDeadlineSeconds` of itself or of its Job, if the list has that Job, or when its deletion
/// has no grace left. Errors: InvalidArgument for text that is no JSON, or no list of Kubernetes,
/// and for a list without a node that can be used. Complexity: linear in the text, and kinds of
/// waiting pods times nodes.
[[nodiscard]] StatusOr<KubernetesCluster> read_kubernetes_cluster(
    std::string_view text, std::optional<std::int64_t> now = {});

/// The nodes that a decision about the pod may take. Valid as long as the pod.
[[nodiscard]] NodeFilter filter_of(const KubernetesCluster& pods, const WaitingPod& pod);

/// The cluster from moment 0 on, with the ends of its pods. Full nodes stay drained.
[[nodiscard]] Timeline timeline_of(const KubernetesCluster& pods);

}  // namespace trestle::container
