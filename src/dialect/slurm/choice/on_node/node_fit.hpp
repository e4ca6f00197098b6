// SPDX-License-Identifier: Apache-2.0
#pragma once

// What one node can give to a job. Nothing here knows of another node.
//
// Layer: dialect/slurm, inside. Main functions: capacity, the first look (free cores, CPUs after
// every limit, GRES by socket), and narrow, the second, made in each pass: cores and GRES are
// matched by socket and the number of tasks is bounded. Both are pure in (node, what is free of it,
// job, parameters, bounds), so that answers are kept by the node's state.

#include <optional>
#include <vector>

#include "../job.hpp"
#include "alloc/node/demand_rules.hpp"
#include "node_view.hpp"

namespace trestle::slurm::choice {

/// Free GRES of one wanted name and type, by place. Parts of a device count as one device.
struct SocketGres {
    std::size_t want = 0;  ///< position in ChoiceJob::gres
    Number anywhere = 0;   ///< near to all sockets; bare numbers too
    std::vector<Number> by_socket;
    Number total = 0;
    bool has_places = false;        ///< some have an index
    Number most_tasks = unlimited;  ///< that have parts of a device each
};

/// A node's first answer.
struct NodeCapacity {
    CoreSet cores;
    Number cpus = 0;
    Number free_cpus = 0;  ///< before limits of memory, tasks and sockets
    std::vector<SocketGres> gres;
    Number near_gpus = 0;  ///< on sockets with free cores, no more than are asked for
};

enum class Pass { strict, relaxed };

/// What a node has to know of the rest.
struct Bounds {
    Pass pass = Pass::strict;
    Number min_tasks = 1;
    Number max_tasks = unlimited;
    Number tasks_of_socket = 0;  ///< as many have to have devices per task
    bool is_open = false;        ///< in the relaxed pass: one node may do, and more may be had

    friend bool operator==(const Bounds&, const Bounds&) = default;
};

/// Devices that the job can use on a node.
struct UsableGres {
    std::size_t want = 0;  ///< position in ChoiceJob::gres
    Number count = 0;
};

/// A node's answer under bounds.
struct Narrowed {
    CoreSet cores;
    CoreSet rest;  ///< of sockets that come whole if one of their cores is chosen
    Number cpus = 0;
    Number idle_cpus = 0;  ///< of its cores, which do not count when nodes are chosen
    Number max_tasks = 0;
    bool has_task_limit = false;  ///< a count per task: no more tasks than devices allow
    Number gres_cpus = 0;         ///< that the devices bring with them
    Number later_gres_cpus = 0;   ///< instead, where the job has enough CPUs; 0: no others
    Number bound_cpus = 0;        ///< with enforce-binding: of the most tasks
    bool serves_rest = false;     ///< its cores are for devices that nodes passed over lack; it may
                                  ///< give devices near other cores too
    std::vector<UsableGres> gres;
};

/// Hardware threads of a core that the job counts as CPUs.
[[nodiscard]] Number cpus_per_core(const NodeView& node, const ChoiceJob& job);
/// CPUs of a core for which memory per CPU is charged.
[[nodiscard]] Number charged_threads(const NodeView& node, const ChoiceJob& job);
/// CPUs that come and go together when a node gives less than it has.
[[nodiscard]] Number allocation_unit(const NodeView& node, const ChoiceJob& job,
                                     const ClusterParameters& parameters);

/// The fewest devices that make a node worth looking at. Where some are near no socket, older
/// releases ask for those of one socket alone.
[[nodiscard]] Number least_gres(const SocketGres& found, const ChoiceJob& job);

/// A count of the job's GPUs that bring CPUs: a node gives the CPUs of some of its GPUs, however
/// few the job is to have.
[[nodiscard]] bool gives_cpus_by_gpu(const GresWant& want, const ChoiceJob& job);
/// The job has such a count: its CPUs are dealt to the nodes as those of tasks are.
[[nodiscard]] bool deals_cpus_of_gpus(const ChoiceJob& job);

/// Older releases: of GPUs of the job a node gives those for whose tasks (--ntasks-per-gpu) it has
/// CPUs.
[[nodiscard]] bool needs_cpus_of_tasks(const GresWant& want, const ChoiceJob& job);

/// Some device of the wanted type has an index, used or not; else they are a bare number.
[[nodiscard]] bool has_indexes(const ViewGres& gres, const GresWant& want);

/// Devices of the wanted type that have something left, as positions in `gres.devices`.
[[nodiscard]] std::vector<std::size_t> devices_left(const ViewGres& gres, const GresWant& want,
                                                    const RoomGres& left);

/// CPUs that a partition leaves to its jobs on one node.
struct PartitionRoom {
    Number cpus = unlimited;
    std::vector<Number> by_socket;  ///< empty: no limit
};

/// Cores of each socket that have no owner and that the job may have, within the limits that the
/// partition has for a socket.
[[nodiscard]] SocketCores sockets_for(const NodeView& node, const NodeRoom& room,
                                      const ChoiceJob& job, const ClusterParameters& parameters,
                                      const PartitionRoom& left);

/// Of so many CPUs those that the node's free memory can serve.
[[nodiscard]] Number trim_to_memory(const NodeView& node, Number cpus, const NodeRoom& room,
                                    const ChoiceJob& job, const ClusterParameters& parameters);

/// Absent: the node cannot take part.
[[nodiscard]] std::optional<NodeCapacity> capacity(const NodeView& node, const NodeRoom& room,
                                                   const ChoiceJob& job,
                                                   const ClusterParameters& parameters,
                                                   const PartitionRoom& left);

/// Whether the node has nothing of a job: what jobs of whole nodes ask for.
[[nodiscard]] bool is_whole(const NodeRoom& room);

/// Absent: not in this pass.
[[nodiscard]] std::optional<Narrowed> narrow(const NodeView& node, const NodeCapacity& first,
                                             const ChoiceJob& job,
                                             const ClusterParameters& parameters,
                                             const Bounds& bounds);

}  // namespace trestle::slurm::choice
