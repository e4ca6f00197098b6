// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/choice/client_view.hpp"

#include <algorithm>
#include <utility>

#include "../ids_per_thread.hpp"
#include "account.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/dialect/slurm/choice/decision.hpp"

namespace trestle::slurm {
namespace {

/// What clients count of a node.
Count client_cpus(const Cluster& cluster, const NodeGrant& grant, const JobOptions& options,
                  SelectUnit unit) {
    const auto node = cluster.find_node(grant.node);
    if (!node || unit == SelectUnit::cpu || unit == SelectUnit::memory_only) return grant.cpus;
    const HardwareTree& hardware = cluster.shape(*node).hardware;
    std::int64_t threads = 0;
    for (const auto& core : hardware.cores) {
        threads += static_cast<std::int64_t>(core.threads.size());
    }
    if (options.thread_spec) return saturating_sub(Count(threads), *options.thread_spec);
    const Count ids = div_floor(Count(grant.cpu_ids.count()), ids_per_thread(hardware));
    const bool is_one_a_core = options.threads_per_core == Range<Count>::exactly(Count(1)) ||
                               (options.hint && *options.hint != Hint::multithread);
    if (!is_one_a_core || hardware.cores.empty()) return ids;
    const std::size_t of_core = hardware.cores.front().threads.size();
    return div_floor(ids, std::max<std::int64_t>(static_cast<std::int64_t>(of_core), 1));
}

/// What the job has to itself in its partition. A job that takes cores of the system has whole
/// nodes too. ExclusiveTopo of 26.05 goes before what the job says.
std::optional<ExclusiveKind> exclusive_of(const JobOptions& options, const choice::ChoiceJob& job,
                                          const PartitionLine& partition, Release release) {
    const bool is_topo = partition.is_topology_exclusive && release >= Release::v26_05;
    if (is_topo || options.exclusive == ExclusiveKind::topo) return ExclusiveKind::topo;
    if (job.has_whole_nodes()) return ExclusiveKind::whole_node;
    if (options.exclusive || options.oversubscribe) return options.exclusive;
    if (partition.is_user_exclusive) return ExclusiveKind::user;
    if (partition.is_topology_exclusive) return ExclusiveKind::topo;
    return std::nullopt;
}

/// Whether the partition makes the job share, whatever it says. While it waits, older clients show
/// that already.
bool is_forced(const ClientView& view, const JobOptions& options, const PartitionLine& partition) {
    if (partition.oversubscribe != Partition::OverSubscribe::force) return false;
    if (partition.jobs_per_resource == 1) return false;
    if (!view.cpus.empty() || view.release == Release::v22_05) return true;
    return view.release == Release::v24_11 && !options.exclusive;
}

/// OverSubscribe and Exclusive.
void set_sharing(const JobOptions& options, const choice::ChoiceJob& job,
                 const PartitionLine& partition, ClientView& view) {
    view.exclusive = exclusive_of(options, job, partition, view.release);
    if (is_forced(view, options, partition)) {
        view.sharing = JobSharing::yes;
        view.exclusive.reset();
    } else if (job.has_whole_nodes()) {
        view.sharing = JobSharing::no;
    } else if (options.oversubscribe) {
        view.sharing = JobSharing::yes;
    } else if (view.release >= Release::v26_05) {
        const bool may_share = partition.oversubscribe == Partition::OverSubscribe::force ||
                               (partition.oversubscribe == Partition::OverSubscribe::yes &&
                                partition.jobs_per_resource > 1);
        view.sharing = may_share ? JobSharing::ok : JobSharing::no;
    } else if (view.exclusive) {
        view.sharing = view.exclusive == ExclusiveKind::user  ? JobSharing::user
                       : view.exclusive == ExclusiveKind::mcs ? JobSharing::mcs
                                                              : JobSharing::topo;
    }
}

/// Where memory is counted that of the job in its partition, else what the job said.
void set_least_memory(const JobOptions& resolved, const choice::ChoiceJob& job,
                      const SelectParameters& select, ClientView& view) {
    const auto bytes = [](const std::optional<choice::Number>& mebibytes) {
        return mebibytes && *mebibytes > 0 ? checked_mul(mib(1), *mebibytes) : std::nullopt;
    };
    const bool counts = select.counts_memory;
    view.least_per_cpu = counts ? bytes(job.memory_per_cpu) : resolved.mem_per_cpu;
    view.least_per_gpu = counts ? bytes(job.memory_per_gpu) : resolved.mem_per_gpu;
    view.least_per_node = counts ? bytes(job.memory) : resolved.mem;
}

TimeLimit time_of(const JobOptions& options, const PartitionLine& partition) {
    if (options.time) return *options.time;
    return {partition.default_time ? partition.default_time : partition.max_time};
}

}  // namespace

ClientView choice::client_view(const Cluster& cluster, std::span<const NodeGrant> grants,
                               const JobOptions& resolved, const ChoiceJob& job,
                               const PartitionLine& partition, const SelectParameters& select,
                               Release release) {
    ClientView view;
    view.release = release;
    for (const NodeGrant& grant : grants) {
        view.cpus.push_back(client_cpus(cluster, grant, resolved, select.unit));
    }
    view.cpus_per_task = Count(job.cpus_per_task);
    if (resolved.mem_per_cpu && job.memory_per_cpu) {
        view.mem_per_cpu = checked_mul(mib(1), *job.memory_per_cpu);
    }
    set_least_memory(resolved, job, select, view);
    view.time = time_of(resolved, partition);
    set_sharing(resolved, job, partition, view);
    view.packs_nodes = select.packs_nodes;
    return view;
}

JobContext job_context(const Decision& decision, std::uint64_t id) {
    const ClientView& client = decision.client;
    TRESTLE_EXPECTS(client.cpus.size() == decision.grants.size(), "the view is of the grants");
    JobContext job{id, decision.options, decision.grants, {}, client.packs_nodes};
    for (std::size_t i = 0; i < client.cpus.size(); ++i) job.nodes[i].cpus = client.cpus[i];
    if (client.mem_per_cpu) job.options.mem_per_cpu = client.mem_per_cpu;
    if (job.options.ntasks_per_node) {
        // Of 22.05 each node has so many tasks, whatever -n says; later, where it is not said. Then
        // it is known for the least nodes alone.
        const auto of_least =
            checked_mul(*job.options.ntasks_per_node, decision.req_tres.of({"node", ""}).value());
        const bool is_implied = job.options.ntasks == of_least;
        if (is_implied || client.release == Release::v22_05) job.options.ntasks.reset();
    }
    return job;
}

}  // namespace trestle::slurm
