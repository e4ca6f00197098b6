// SPDX-License-Identifier: Apache-2.0
#pragma once

// What becomes of the waiting pods of Kubernetes on a changed cluster.
//
// Layer: tool. Main names: PodQueue, pod_queue.
// Pitfall: a drained node keeps its pods, as after `kubectl cordon`.

#include <string>
#include <vector>

#include "../site/site.hpp"
#include "edited_site.hpp"
#include "queue.hpp"
#include "trestle/base/status.hpp"

namespace trestle::tool {

/// The pods by name, and when each starts before and after the change.
struct PodQueue {
    std::vector<std::string> names;
    std::vector<QueuedStart> before, after;
    std::vector<std::string> problems;
};

/// Of pods by their names, of a pod that asks what options of sbatch do, of the lines of `queue`,
/// or else of all that wait without gates. Problems are printed to standard error. Nodes are added
/// as `gpu-1` or `3 x gpu-1`: idle ones like that node. Errors: NotFound for nodes and pods that
/// are not there; InvalidArgument for what cannot be read, and for edits of slurm.conf.
[[nodiscard]] StatusOr<PodQueue> pod_queue(const SiteOptions& site, const SiteEdits& edits,
                                           const std::string& queue,
                                           const std::vector<std::string>& words);

}  // namespace trestle::tool
