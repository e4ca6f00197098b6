// SPDX-License-Identifier: Apache-2.0
#pragma once

// What differs between releases of Slurm: one row of flags and values by release, read by the same
// code.
//
// Layer: dialect/slurm, inside. Main names: ReleaseRules, rules_of. Rules that all releases share
// are not here. The numbers of rules are those of docs/slurm_rules.md.

#include "trestle/dialect/slurm/release.hpp"

namespace trestle::slurm::choice {

struct ReleaseRules {
    /// topology/block: base blocks stand in the order of their names; else in that of the file.
    bool orders_blocks_by_name = false;
    /// topology/block: a segment may have more nodes than a base block, and one of as many nodes as
    /// the job means nothing. Else such segments are refused.
    bool has_long_segments = false;
    /// topology/block: of `-N min-max` a block may lack max - min nodes of min and is chosen still,
    /// where it then cannot serve the job.
    bool forgives_nodes_of_blocks = false;
    /// topology/block: a block is one that has the devices of the job too, not nodes and CPUs alone.
    bool counts_devices_of_blocks = false;
    /// Jobs of partitions with ExclusiveTopo have whole nodes.
    bool has_whole_exclusive_units = false;
    /// A job that waits though there are nodes enough is told that no unit of the network has them.
    bool has_unit_reasons = false;
    /// A job of one node goes to the first node by weight, then index: no best fit.
    bool takes_first_node = false;
    /// A node offers its first cores, as many as whole tasks need. Else it offers all.
    bool cuts_cores = false;
    /// --ntasks-per-node bounds the tasks of a node, of which -n gives the sum. Else each node has
    /// so many, whatever -n says.
    bool deals_all_tasks = false;
    /// A leaf switch holds what is missing if it has the nodes and the CPUs, not the nodes alone.
    bool fits_leaves_by_cpus = false;
    /// -n bounds the nodes of a job also where it is asked whether it could ever start.
    bool bounds_idle_nodes = true;
};

[[nodiscard]] const ReleaseRules& rules_of(Release release);

}  // namespace trestle::slurm::choice
