// SPDX-License-Identifier: Apache-2.0
// Any bytes as what kubectl prints: an error of one line, or a cluster on which each waiting pod
// can be asked about and each running one ends.
#include <string_view>

#include "fuzz/target.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/dialect/container/live/kubernetes_cluster.hpp"

TRESTLE_FUZZ(kubernetes_cluster) {
    using namespace trestle;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto read = container::read_kubernetes_cluster(text);
    if (!read.ok()) {
        fuzz::require(message(read.status()).find('\n') == std::string_view::npos);
        return;
    }
    Cluster cluster = read->cluster;
    for (const container::WaitingPod& pod : read->waiting) {
        const auto prepared = PreparedRequest::create(pod.request);
        if (prepared.ok()) (void)place(cluster, *prepared);
    }
    for (const container::RunningPod& pod : read->running) {
        fuzz::require(cluster.release(pod.owner).ok());
    }
    fuzz::require(cluster.allocations().empty());
}
