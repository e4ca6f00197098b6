// SPDX-License-Identifier: Apache-2.0
// Any bytes as what kubectl prints: an error of one line, or a cluster on which each waiting pod
// can be asked about, a node can be added and each running pod ends.
#include <string_view>

#include "fuzz/target.hpp"
#include "trestle/dialect/container/live/kubernetes_cluster.hpp"
#include "trestle/dialect/container/live/pod_starts.hpp"

TRESTLE_FUZZ(kubernetes_cluster) {
    using namespace trestle;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto read = container::read_kubernetes_cluster(text);
    if (!read.ok()) {
        fuzz::require(message(read.status()).find('\n') == std::string_view::npos);
        return;
    }
    const auto starts = container::pod_starts(*read, read->waiting);
    fuzz::require(starts.size() == read->waiting.size());
    for (const container::WaitingPod& pod : read->waiting) {
        const container::PodStart start = container::pod_start(*read, pod);
        fuzz::require(start.may_ever_start || !start.starts_in);
    }
    container::KubernetesCluster more = *read;
    fuzz::require(container::add_nodes_like(more, read->cluster.name(NodeId(0)), 1).ok());
    Cluster cluster = read->cluster;
    for (const container::RunningPod& pod : read->running) {
        fuzz::require(cluster.release(pod.owner).ok());
    }
    fuzz::require(cluster.allocations().empty());
}
