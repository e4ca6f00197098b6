// SPDX-License-Identifier: Apache-2.0
#pragma once

// What Slurm's clients are told of an allocation.
//
// Layer: dialect/slurm. Main names: ClientView, client_view, job_context.
// A reader would get wrong: a job that uses one thread of each core is charged for all threads, but
// SLURM_JOB_CPUS_PER_NODE counts its cores.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/conf/parameters.hpp"
#include "trestle/dialect/slurm/conf/partition_conf.hpp"
#include "trestle/dialect/slurm/environment.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"
#include "trestle/dialect/slurm/print.hpp"

namespace trestle::slurm {

struct Decision;

/// What clients of Slurm are told of an allocation for the job's environment, where that is not
/// what the job is charged for.
struct ClientView {
    /// CPUs of each grant: those of its ids, one of each core where jobs use one thread of a core,
    /// all of the node but those of --thread-spec; under CR_CPU what is charged.
    std::vector<Count> cpus;
    std::optional<Bytes> mem_per_cpu;  ///< of a job that asked for it: what MaxMemPerCPU left
    bool packs_nodes = false;          ///< CR_PACK_NODES: a node is filled before the next one

    static constexpr auto fields(auto list) {
        return list(field("cpus", &ClientView::cpus),
                    field("mem_per_cpu", &ClientView::mem_per_cpu),
                    field("packs_nodes", &ClientView::packs_nodes));
    }
    friend bool operator==(const ClientView&, const ClientView&) = default;
};

/// What clients are told of grants on the cluster to a job of settled options in the partition.
[[nodiscard]] ClientView client_view(const Cluster& cluster, std::span<const NodeGrant> grants,
                                     const JobOptions& options, const PartitionLine& partition,
                                     const ClusterParameters& parameters);

/// What job_environment() makes the variables of an allocated job of. Checked against what clients
/// of Slurm 22.05 set. Requires: the decision's `client` is of its grants.
[[nodiscard]] JobContext job_context(const Decision& decision, std::uint64_t id = 0);

}  // namespace trestle::slurm
