// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/choice/client_view.hpp"

#include <algorithm>
#include <utility>

#include "job.hpp"
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
    const Count ids(grant.cpu_ids.count());
    const bool is_one_a_core = options.threads_per_core == Range<Count>::exactly(Count(1)) ||
                               (options.hint && *options.hint != Hint::multithread);
    if (!is_one_a_core || hardware.cores.empty()) return ids;
    const std::size_t of_core = hardware.cores.front().threads.size();
    return div_floor(ids, std::max<std::int64_t>(static_cast<std::int64_t>(of_core), 1));
}

}  // namespace

ClientView client_view(const Cluster& cluster, std::span<const NodeGrant> grants,
                       const JobOptions& options, const PartitionLine& partition,
                       const ClusterParameters& parameters) {
    ClientView view;
    view.packs_nodes = parameters.select.packs_nodes;
    for (const NodeGrant& grant : grants) {
        view.cpus.push_back(client_cpus(cluster, grant, options, parameters.select.unit));
    }
    if (!options.mem_per_cpu) return view;
    choice::ChoiceJob job;
    job.memory_per_cpu = div_ceil(*options.mem_per_cpu, mib(1).value()).value();
    const auto left = choice::in_partition(std::move(job), partition, parameters, 0).memory_per_cpu;
    if (left) view.mem_per_cpu = checked_mul(mib(1), *left);
    return view;
}

JobContext job_context(const Decision& decision, std::uint64_t id) {
    const ClientView& client = decision.client;
    TRESTLE_EXPECTS(client.cpus.size() == decision.grants.size(), "the view is of the grants");
    JobContext job{id, decision.options, decision.grants, {}, client.packs_nodes};
    for (std::size_t i = 0; i < client.cpus.size(); ++i) job.nodes[i].cpus = client.cpus[i];
    if (client.mem_per_cpu) job.options.mem_per_cpu = client.mem_per_cpu;
    return job;
}

}  // namespace trestle::slurm
