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

/// Jobs that share cores and jobs that have theirs alone do not meet on a node. But the latter go
/// beside jobs in the first row of their own partition, and beside those of FORCE:1 and YES:1.
[[nodiscard]] bool goes_beside(const Asked& asked, const ChoiceJob& job, StateId state);

/// What jobs on a node leave of the limits of the partition. `cores`: of theirs, by socket; empty:
/// none.
[[nodiscard]] PartitionRoom room_in_partition(const Asked& asked, const NodeView& node,
                                              const std::vector<Number>& cores);

/// Whether nodes of the class in a state differ by the cores that jobs of the partition have there.
[[nodiscard]] bool counts_cores(const Asked& asked, StateId state);

/// Whether the job asks for MPS. Nodes have what their jobs leave.
[[nodiscard]] bool wants_mps(const ChoiceJob& job);

/// Whether a job on the node has MPS.
[[nodiscard]] bool has_mps_in_use(const Cluster& cluster, NodeId node);

/// Fills in the nodes that take part. Those of `required` that do not are left out.
/// Requires: the question has its job and its parameters.
void ask_nodes(const Asked& asked, Use use, const NamedPlaces& named, Question& question);

}  // namespace trestle::slurm::choice
