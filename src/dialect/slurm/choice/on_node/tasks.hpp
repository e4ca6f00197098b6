// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tasks to nodes, and CPUs to cores.
//
// Layer: dialect/slurm, inside. Main functions: distribute, choose_cores.

#include <optional>
#include <vector>

#include "../job.hpp"
#include "node_view.hpp"

namespace trestle::slurm::choice {

/// A chosen node: cores it may use, CPUs it was chosen for, and its bounds.
struct NodeShare {
    const NodeView* node = nullptr;
    CoreSet cores;
    CoreSet rest;  ///< of sockets that come whole if one of their cores is chosen
    Number cpus = 0;
    Number task_limit = unlimited;  ///< devices allow no more tasks here
    Number gres_cpus = 0;
    bool has_limited_sockets = false;  ///< the partition has MaxCPUsPerSocket
};

/// Tasks and CPUs given to one node.
struct Placed {
    Number tasks = 0;
    Number cpus = 0;
    Number gres_cpus = 0;  ///< hardware threads that the devices bring with them, if more

    [[nodiscard]] bool is_empty() const { return tasks == 0 && cpus == 0 && gres_cpus == 0; }
};

/// Tasks and CPUs for each chosen node, in the order of the nodes. Absent: devices allow fewer
/// tasks.
[[nodiscard]] std::optional<std::vector<Placed>> distribute(const ChoiceJob& job,
                                                            const std::vector<NodeShare>& shares);

/// Whether CR_ONE_TASK_PER_CORE is broken: a node has more tasks than it may use cores, as its
/// devices left it few. Slurm then places the tasks of no node: a cyclic job waits, one in blocks
/// has all cores that it may use, charged by tasks.
[[nodiscard]] bool has_crowded_cores(const ChoiceJob& job, const std::vector<NodeShare>& shares,
                                     const std::vector<Placed>& placed);

/// Whether nodes were chosen that no task came to, in a release that has those.
[[nodiscard]] bool has_empty_nodes(const ChoiceJob& job, const std::vector<Placed>& placed);

/// Whether tasks with devices of their own are on a node that was chosen for fewer of them, or
/// leave a thread of their cores to no task where each is to have its own.
[[nodiscard]] bool lacks_cpus_of_tasks(const ChoiceJob& job, const std::vector<NodeShare>& shares,
                                       const std::vector<Placed>& placed);

/// The most tasks that a node holds with devices `planned` for it, by want; 0: not planned.
[[nodiscard]] Number most_tasks(const ChoiceJob& job, const std::vector<Number>& planned);

/// Whether a core has CPUs of more tasks with devices of their own than a socket may hold.
[[nodiscard]] bool has_crowded_sockets(const ChoiceJob& job, const std::vector<NodeShare>& shares,
                                       const std::vector<Placed>& placed);

/// Whether tasks go to sockets in turn.
[[nodiscard]] bool is_cyclic(const ChoiceJob& job, const SelectParameters& select);

/// Which of the share's cores serve what is placed on the node.
[[nodiscard]] CoreSet choose_cores(const NodeShare& share, const Placed& place,
                                   const ChoiceJob& job, const SelectParameters& select);

}  // namespace trestle::slurm::choice
