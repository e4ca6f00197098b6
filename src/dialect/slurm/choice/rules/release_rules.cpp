// SPDX-License-Identifier: Apache-2.0
#include "release_rules.hpp"

namespace trestle::slurm::choice {
namespace {

constexpr ReleaseRules rules_22_05{
    .few_tasks = FewTasks::one_a_node,
    .waits_below_min_nodes = false,
    .ranks_nodes_by_switch = false,
    .leaves_out_one_by_one = false,
    .prints_parts_by_device = false,
    .stops_at_switches = false,
    .counts_cpus_of_gpus_as_asked = false,
    .limits_implied_counts = false,
    .memory_reason = Reason::partition_config,
    .limits_memory_of_largest_node = false,
    .refuses_before_limits = false,
    .limits_sockets_of_whole_nodes = true,
    .raises_cpus_of_tasks = false,
    .gives_mincpus_beside_ntasks = true,
    .counts_cpus_per_gpu_by_node = false,
    .plans_gpus_by_node = false,
    .needs_gpus_for_counts = false,
    .bounds_tasks_by_cpus_of_devices = false,
    .counts_devices_of_cpus = false,
    .fills_from_other_sockets = false,
    .counts_cores_as_sockets = true,
    .gives_in_proportion = false,
    .binds_devices = false,
    .sums_parts = false,
    .needs_tasks_of_a_socket = false,
    .takes_worst_links = false,
    .gpus_imply_tasks = false,
    .gives_cores_to_cpus_of_gpus = false,
    .chooses_among_listed = false,
    .binds_one_cpu_to_last_socket = true,
    .needs_cpus_of_tasks = false,
    .needs_nodes_of_tasks = false,
    .keeps_whole_sockets = false,
    .counts_tasks_of_devices = false,
    .counts_tasks_of_gpus = false,
    .fits_tasks_of_sockets = false,
    .refuses_part_of_socket = false,
    .needs_preemption_for_signal = false,
};

constexpr ReleaseRules rules_24_11{
    .node_range_reason = Reason::partition_node_limit,
    .orders_nodes_of_blocks_by_file = true,
    .forgives_nodes_of_blocks = true,
    .cuts_cores = true,
    .deals_all_tasks = true,
    .fits_leaves_by_cpus = true,
    .takes_closest_leaf = true,
    .refuses_beyond_partition = true,
    .refuses_before_size = true,
    .reserves_beside_empty_sockets = false,
    .bounds_gpus_of_cores = false,
    .binds_one_cpu_to_last_socket = true,
    .bounds_nodes_of_bound_devices = false,
    .spreads_tasks_of_gpus = true,
    .keeps_near_cores_of_least_loaded = true,
    .raises_a_task_to_nodes = true,
    .bounds_idle_nodes = false,
};

constexpr ReleaseRules rules_26_05{
    .few_tasks = FewTasks::refused,
    .ranks_nodes_by_block = true,
    .has_long_segments = true,
    .counts_devices_of_blocks = true,
    .has_whole_exclusive_units = true,
    .has_unit_reasons = true,
    .takes_first_node = true,
    .cuts_cores = true,
    .fits_leaves_by_cpus = true,
    .limits_cpus_of_gpus = true,
    .keeps_sockets_beside_hint = true,
    .needs_devices_of_tasks = true,
    .needs_devices_of_sockets = true,
    .bounds_tasks_of_nodes = true,
    .needs_sockets_of_counters = false,
    .needs_cores_of_least_loaded = false,
    .spreads_tasks_in_turn = true,
    .refuses_gpus_twice = true,
    .refuses_fewer_tasks_than_nodes = true,
};

}  // namespace

const ReleaseRules& rules_of(Release release) {
    switch (release) {
        case Release::v22_05:
            return rules_22_05;
        case Release::v24_11:
            break;
        case Release::v26_05:
            return rules_26_05;
    }
    return rules_24_11;
}

}  // namespace trestle::slurm::choice
