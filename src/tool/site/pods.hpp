// SPDX-License-Identifier: Apache-2.0
#pragma once

// Questions about a cluster of Kubernetes.
//
// Layer: tool. Main names: is_kubernetes, read_pods, waiting_pod, ask_pods.
// Pitfall: the core of the library decides, as the first of the waiting pods would be placed; the
// scheduler of Kubernetes may prefer another node.

#include <string>
#include <vector>

#include "site.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/container/live/kubernetes_cluster.hpp"
#include "trestle/dialect/svg/cluster.hpp"

namespace trestle::tool {

/// True where the cluster is a file with what kubectl printed.
[[nodiscard]] bool is_kubernetes(const SiteOptions& options);

/// The cluster of that file. Errors: a file that cannot be read; those of
/// read_kubernetes_cluster().
[[nodiscard]] StatusOr<container::KubernetesCluster> read_pods(const SiteOptions& options);

/// Prints a line on standard error for each problem of the cluster.
void print_problems(const container::KubernetesCluster& pods);

[[nodiscard]] std::vector<svg::OwnerName> owner_names(const container::KubernetesCluster& pods);

/// A waiting pod by its name, `default/train-0`, or a pod that asks what options of sbatch and srun
/// do. Errors: NotFound without such a pod, InvalidArgument for one that runs and for options that
/// cannot be read.
[[nodiscard]] StatusOr<container::WaitingPod> waiting_pod(const container::KubernetesCluster& pods,
                                                          const slurm::KnownOptions& known,
                                                          std::vector<std::string> words);

/// The text of an answer, where it says that a node is no candidate or is drained for having all
/// its pods.
[[nodiscard]] std::string in_words_of_pods(const container::KubernetesCluster& pods,
                                           std::string text);

/// What is asked of the cluster.
struct PodQuestion {
    SiteOptions site;
    bool is_json = false;
    bool is_why = false;  ///< constraints and changes too
};

/// Prints problems to standard error, and where the job would run and when, or why it does not. The
/// words are those of waiting_pod(). Returns the exit status.
[[nodiscard]] StatusOr<int> ask_pods(const PodQuestion& question, std::vector<std::string> words);

}  // namespace trestle::tool
