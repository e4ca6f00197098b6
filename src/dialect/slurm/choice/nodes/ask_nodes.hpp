// SPDX-License-Identifier: Apache-2.0
#pragma once

// Asking the nodes of a partition what they offer: each state once, neighbours together.
//
// Layer: dialect/slurm, inside. Main function: ask_nodes.

#include <optional>
#include <vector>

#include "../rows.hpp"
#include "choose_nodes.hpp"

namespace trestle::slurm::choice {

/// As nodes are now; as if nothing ran on those that take work; as if all took work.
enum class Use { now, idle, ever };

/// The nodes that are asked. The table follows the cluster.
struct Asked {
    const Cluster& cluster;
    NodeTable& table;
    const Partition& partition;
    const std::vector<bool>& has_class;         ///< by class: nodes of the partition are of it
    std::optional<Number> max_cpus;             ///< of the partition's jobs on one node
    std::optional<Number> max_cpus_per_socket;  ///< the same of one socket
    const Rows& rows;
    std::optional<std::uint32_t> row;  ///< look at what is free in it; absent: at what has no owner
};

/// Places that a job names, rising. A node that is excluded is not required.
struct NamedPlaces {
    const std::vector<Place>& required;
    const std::vector<Place>& excluded;
};

/// Fills in the nodes that take part. Those of `required` that do not are left out.
/// Requires: the question has its job and its parameters.
void ask_nodes(const Asked& asked, Use use, const NamedPlaces& named, Question& question);

}  // namespace trestle::slurm::choice
