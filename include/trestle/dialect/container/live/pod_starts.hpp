// SPDX-License-Identifier: Apache-2.0
#pragma once

// When and where pods of Kubernetes would start, by what runs and when that ends.
//
// Layer: dialect/container. Main names: PodStart, pod_start, pod_starts, pod_of_request,
// add_nodes_like.
// All require that pod_room has a number for each node of the cluster.
// Pitfall: the core of the library chooses the node. The scheduler of Kubernetes may prefer another
// one, and preempts pods of lower priority, which no function here does.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/dialect/container/live/kubernetes_cluster.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"

namespace trestle::container {

/// When and where a pod starts, or why it does not.
struct PodStart {
    /// From now, once the pods of `waits_for` have ended; 0: at once. Absent: no end that is known
    /// makes it start.
    std::optional<Seconds> starts_in;
    Placement placement;                ///< at that moment; empty without one
    std::vector<RunningPod> waits_for;  ///< pods of its nodes that end until then
    Refusal why;                        ///< why it does not start now
    bool may_ever_start = true;         ///< it starts on the idle cluster

    static constexpr auto fields(auto list) {
        return list(field("starts_in", &PodStart::starts_in),
                    field("placement", &PodStart::placement),
                    field("waits_for", &PodStart::waits_for), field("why", &PodStart::why),
                    field("may_ever_start", &PodStart::may_ever_start));
    }
    friend bool operator==(const PodStart&, const PodStart&) = default;
};

/// When the pod would start if it were the next one. Full nodes take a pod again once enough of
/// theirs have ended. Complexity: a placement for the logarithm of the ends that are known.
[[nodiscard]] PodStart pod_start(const KubernetesCluster& pods, const WaitingPod& pod);

/// One for each of the pods. At each moment at which pods end, each of them that can start does, in
/// their order, and ends by its time limit. `waits_for` is empty. Complexity: a placement for each
/// moment and each kind of pod that waits then.
[[nodiscard]] std::vector<PodStart> pod_starts(const KubernetesCluster& pods,
                                               const std::vector<WaitingPod>& waiting);

/// A pod that waits with such a request. It tolerates the taints that have the name of one of its
/// devices.
[[nodiscard]] WaitingPod pod_of_request(const KubernetesCluster& pods, Request request);

/// Adds idle nodes with the devices, labels and taints of a node: `gpu-1+1`, `gpu-1+2`. They are
/// up. Errors: NotFound for an unknown node, InvalidArgument for none and for more than 100,000.
/// Nothing changes then.
[[nodiscard]] Status add_nodes_like(KubernetesCluster& pods, std::string_view node,
                                    std::uint32_t count);

}  // namespace trestle::container
