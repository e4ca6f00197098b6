// SPDX-License-Identifier: Apache-2.0
#pragma once

// What differs between releases of Slurm: one row of flags and values by release, read by the same
// code.
//
// Layer: dialect/slurm, inside. Main names: ReleaseRules, rules_of. Rules that all releases share
// are not here. The numbers of rules are those of docs/slurm_rules.md.

#include "trestle/dialect/slurm/job_report.hpp"
#include "trestle/dialect/slurm/release.hpp"

namespace trestle::slurm::choice {

/// What becomes of a job of fewer tasks than the partition's MinNodes.
enum class FewTasks { one_a_node, fewer_nodes, refused };

struct ReleaseRules {
    FewTasks few_tasks = FewTasks::fewer_nodes;
    /// A job whose -N, or -n beside it, ends below MinNodes waits. Else that is looked at before
    /// the number of its devices, which may refuse it.
    bool waits_below_min_nodes = true;
    /// The reason to wait where the most nodes of -N are more than MaxNodes.
    Reason node_range_reason = Reason::partition_config;
    /// SwitchAsNodeRank: nodes stand in the order of their leaf switches. Else it means nothing.
    bool ranks_nodes_by_switch = true;
    /// BlockAsNodeRank: nodes stand in the order of their base blocks. Else it means nothing.
    bool ranks_nodes_by_block = false;
    /// topology/block: nodes stand as in the file. Else they stand by name where no rank is said.
    bool orders_nodes_of_blocks_by_file = false;
    /// topology/block: a segment may have more nodes than a base block, and one of as many nodes as
    /// the job means nothing. Else such segments are refused.
    bool has_long_segments = false;
    /// topology/block: of `-N min-max` a block may lack max - min nodes of min and is chosen still,
    /// where it then cannot serve the job.
    bool forgives_nodes_of_blocks = false;
    /// topology/block: a block is one that has the devices of the job too, not nodes and CPUs
    /// alone.
    bool counts_devices_of_blocks = false;
    /// Jobs of partitions with ExclusiveTopo have whole nodes.
    bool has_whole_exclusive_units = false;
    /// The reason of a job that waits though there are nodes enough: no unit of the network has
    /// them.
    bool has_unit_reasons = false;
    /// A job of one node goes to the first node by weight, then index: no best fit.
    bool takes_first_node = false;
    /// A node offers its first cores, as many as whole tasks need. Else it offers all.
    bool cuts_cores = false;
    /// --ntasks-per-node bounds the tasks of a node, of which -n gives the sum. Else each node has
    /// so many, whatever -n says.
    bool deals_all_tasks = false;
    /// Nodes that have least to give are left out one by one until the others suffice. Else all
    /// that give as little at once.
    bool leaves_out_one_by_one = true;
    /// A leaf switch holds what is missing if it has the nodes and the CPUs, not the nodes alone.
    bool fits_leaves_by_cpus = false;
    /// The leaf switch closest to those taken goes next. Else only if it serves no worse.
    bool takes_closest_leaf = false;
    /// Grants say of parts of GPUs how many each GPU gives. Else which GPUs.
    bool prints_parts_by_device = true;
    /// --switches ends the choice when so many leaf switches serve the job. Else nodes are chosen
    /// up to the most that -N allows, on however many.
    bool stops_at_switches = true;
    /// ReqTRES shows CPUs of --cpus-per-gpu. Else those of --mincpus, and -n raised to the tasks of
    /// all nodes.
    bool counts_cpus_of_gpus_as_asked = true;
    /// What is more than the partition has is refused. Else it waits with PartitionConfig.
    bool refuses_beyond_partition = false;
    /// That looks at nodes that --ntasks-per-node implies, and at tasks that devices imply. Else a
    /// single task is refused that has fewer devices than each node is to give.
    bool limits_implied_counts = true;
    /// CPUs that GPUs bring count for those of the partition.
    bool limits_cpus_of_gpus = false;
    /// The reason to wait of a job beyond MaxMemPerNode.
    Reason memory_reason = Reason::memory_limit;
    /// MaxMemPerNode bounds whole nodes by the partition's node of most CPUs. Else by its first.
    bool limits_memory_of_largest_node = true;
    /// A job beyond MaxTime or MaxMemPerNode that no nodes could serve is refused. Else it waits.
    bool refuses_before_limits = true;
    /// A job beyond MinNodes or MaxNodes is refused where no node could be one of it, or a node
    /// that it names is not in the partition. Else it waits.
    bool refuses_before_size = false;
    /// MaxCPUsPerSocket bounds whole nodes too.
    bool limits_sockets_of_whole_nodes = false;
    /// CPUs per node that memory brings (MaxMemPerCPU) are CPUs of each task.
    bool raises_cpus_of_tasks = true;
    /// --mincpus gives the job so many CPUs of each node, also beside -n. Else -n goes before it,
    /// and it only chooses nodes that have them.
    bool gives_mincpus_beside_ntasks = false;
    /// --cpus-per-gpu holds for all GPUs that a node could give. Else for those that it gives.
    bool counts_cpus_per_gpu_by_node = true;
    /// Of -G a node gives at first no more than were missing when it was chosen.
    bool plans_gpus_by_node = true;
    /// --hint=nomultithread leaves --sockets-per-node.
    bool keeps_sockets_beside_hint = false;
    /// --cpus-per-gpu needs GPUs. Else a job without them goes to nodes that have some, and gets
    /// none.
    bool needs_gpus_for_counts = true;
    /// CPUs per GPU bound the tasks of a node, those that tasks per GPU imply too.
    bool bounds_tasks_by_cpus_of_devices = true;
    /// -n says how many CPUs each device of the job brings, and devices per task are counted for
    /// the CPUs of a node. Else for what whole cores leave of those of whole tasks.
    bool counts_devices_of_cpus = true;
    /// Of devices per task a node needs no more than its tasks can have.
    bool needs_devices_of_tasks = false;
    /// Of devices per socket other sockets give what those with cores of the job lack.
    bool fills_from_other_sockets = true;
    /// Of devices per socket the job has as many as its sockets with cores ask for. Else some.
    bool needs_devices_of_sockets = false;
    /// Of devices without type and place each core of the job has what is asked of a socket.
    bool counts_cores_as_sockets = false;
    /// -n bounds the tasks of each node.
    bool bounds_tasks_of_nodes = false;
    /// Sockets give devices in proportion to the job's cores on them. Else one each at first.
    bool gives_in_proportion = true;
    /// With enforce-binding the job gets all CPUs that tasks could use, and devices of no other
    /// sockets. Else the flag chooses nodes, and cores where the tasks of a node are fixed.
    bool binds_devices = true;
    /// Cores that GPUs reserve are held back also where a socket has no free GPU. Else not.
    bool reserves_beside_empty_sockets = true;
    /// A job whose cores are for more GPUs than it asked for waits. Else it has all of the node.
    bool bounds_gpus_of_cores = true;
    /// Parts of a socket's GPUs add up, and tasks may have them of several nodes, where the cluster
    /// says so of several GPUs (23.11).
    bool sums_parts = true;
    /// Beside GRES a node needs room for the tasks of one socket (--ntasks-per-socket).
    bool needs_tasks_of_a_socket = true;
    /// Of one socket the devices least linked to the first one are taken next.
    bool takes_worst_links = true;
    /// GPUs of the job times --ntasks-per-gpu are its tasks, whatever -n says.
    bool gpus_imply_tasks = true;
    /// Where each task has cores of its own, so has each that CPUs per GPU are for. Else these do
    /// away with that rule.
    bool gives_cores_to_cpus_of_gpus = true;
    /// Of a longer list than the job may have nodes (-w) any are chosen. Else the first, or none.
    bool chooses_among_listed = true;
    /// With enforce-binding a count of the job's devices comes from one socket of each node, the
    /// last of those with most, where the job needs but one CPU of a node.
    bool binds_one_cpu_to_last_socket = false;
    /// Devices of the job that are bound to sockets may be on more nodes than -n has tasks.
    bool bounds_nodes_of_bound_devices = true;
    /// Tasks that find no CPUs on the chosen nodes end the choice. Else they share those of others.
    bool needs_cpus_of_tasks = true;
    /// -n beside --ntasks-per-node needs the nodes that hold so many tasks, for devices of the job
    /// (-G) too. Else such a job has as many nodes as its CPUs need, if it says no number of them.
    bool needs_nodes_of_tasks = true;
    /// Where -G says how many tasks there are, and -c has as many CPUs as these, no node has more
    /// than one of them; a node that has all devices is no good then.
    bool spreads_tasks_of_gpus = false;
    /// Devices without an index take cores of all sockets alike. Else cores are as without them.
    bool needs_sockets_of_counters = true;
    /// Of least loaded nodes those that were tried with the cores near their devices give no
    /// others.
    bool keeps_near_cores_of_least_loaded = false;
    /// Least loaded nodes are not chosen for fewer CPUs than cores of them, one each, have. Else
    /// nodes share what there is.
    bool needs_cores_of_least_loaded = true;
    /// --spread-job: tasks are dealt in turn to all that the nodes have. Else the first nodes give
    /// what they can.
    bool spreads_tasks_in_turn = false;
    /// Where sockets are given whole, those that devices need all go to the job. Else those go of
    /// which a fixed number of tasks needs no core.
    bool keeps_whole_sockets = true;
    /// --gpus-per-node beside --gres=gpu is refused. Else --gres goes before it.
    bool refuses_gpus_twice = false;
    /// Devices per task need one number of tasks. Else --ntasks-per-node suffices.
    bool counts_tasks_of_devices = true;
    /// -G beside devices per task says how many tasks there are, also where the CPUs of one task
    /// are no fewer.
    bool counts_tasks_of_gpus = true;
    /// Devices per task come from a socket for all tasks that have CPUs of it, else for as many as
    /// its cores have threads.
    bool fits_tasks_of_sockets = true;
    /// Cores= that is part of a socket makes a node invalid.
    bool refuses_part_of_socket = true;
    /// Where counts of devices need more nodes than -n has tasks, the job is refused.
    bool refuses_fewer_tasks_than_nodes = false;
    /// Where counts of devices need several nodes, `-n 1` is a task a node.
    bool raises_a_task_to_nodes = false;
    /// -n bounds the nodes of a job also where it is asked whether it could ever start, and those
    /// of devices of the job. Else a node without a task makes the job wait, or has none of these
    /// where sockets are filled one by one.
    bool bounds_idle_nodes = true;
    /// --signal with R needs a PreemptMode.
    bool needs_preemption_for_signal = true;
};

[[nodiscard]] const ReleaseRules& rules_of(Release release);

}  // namespace trestle::slurm::choice
