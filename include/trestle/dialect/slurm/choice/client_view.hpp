// SPDX-License-Identifier: Apache-2.0
#pragma once

// What Slurm's clients show of an allocation.
//
// Layer: dialect/slurm. Main names: ClientView, job_context.
// Pitfall: a job that uses one thread of each core is charged for all threads, but
// SLURM_JOB_CPUS_PER_NODE counts its cores.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/options/environment.hpp"
#include "trestle/dialect/slurm/options/terms.hpp"
#include "trestle/dialect/slurm/release.hpp"

namespace trestle::slurm {

struct Decision;

/// OverSubscribe of a job: which other jobs may be on its nodes.
enum class JobSharing {
    ok,    ///< others beside its cores
    no,    ///< none: --exclusive, --core-spec, or the partition says so
    yes,   ///< others on its cores: --oversubscribe, or the partition says so
    user,  ///< jobs of its user: --exclusive=user, or the partition says so
    mcs,   ///< jobs of its MCS label: --exclusive=mcs
    topo,  ///< none in its units of the network: --exclusive=topo, or the partition says so
};

constexpr auto enum_names(JobSharing) {
    using enum JobSharing;
    return std::array{named(ok, "OK"),     named(no, "NO"),   named(yes, "YES"),
                      named(user, "USER"), named(mcs, "MCS"), named(topo, "TOPO")};
}

/// What clients of Slurm show of a job, where that differs from what it is charged for or
/// requested.
struct ClientView {
    /// CPUs of each grant. They are those of its ids, or one of each core where jobs use one thread
    /// of a core. With --thread-spec they are all others of the node. Under CR_CPU what is charged.
    std::vector<Count> cpus;
    Count cpus_per_task{1};            ///< as its memory or its devices by task raised them
    std::optional<Bytes> mem_per_cpu;  ///< of a job that asked for it: what MaxMemPerCPU left
    /// What it has to have in its partition, which may be a default: by CPU, by GPU or by node.
    /// None of them: all memory of a node. Where memory is not counted it is what the job said.
    std::optional<Bytes> least_per_cpu;
    std::optional<Bytes> least_per_gpu;
    std::optional<Bytes> least_per_node;
    TimeLimit time;  ///< its own, or that of the partition
    /// OverSubscribe. From 26.05 on `ok` only where the partition lets jobs share CPUs, else `no`;
    /// what is exclusive stands apart.
    JobSharing sharing = JobSharing::ok;
    std::optional<ExclusiveKind> exclusive;  ///< Exclusive of 26.05; absent: NO
    Release release = default_release;       ///< whose clients
    bool packs_nodes = false;  ///< CR_PACK_NODES: a node is filled before the next one

    static constexpr auto fields(auto list) {
        return list(
            field("cpus", &ClientView::cpus), field("cpus_per_task", &ClientView::cpus_per_task),
            field("mem_per_cpu", &ClientView::mem_per_cpu),
            field("least_per_cpu", &ClientView::least_per_cpu),
            field("least_per_gpu", &ClientView::least_per_gpu),
            field("least_per_node", &ClientView::least_per_node), field("time", &ClientView::time),
            field("sharing", &ClientView::sharing), field("exclusive", &ClientView::exclusive),
            field("release", &ClientView::release), field("packs_nodes", &ClientView::packs_nodes));
    }
    friend bool operator==(const ClientView&, const ClientView&) = default;
};

/// What job_environment() makes the variables of an allocated job of. Checked against what clients
/// of the three releases set. Requires: the decision's `client` is of its grants.
[[nodiscard]] JobContext job_context(const Decision& decision, std::uint64_t id = 0);

}  // namespace trestle::slurm
