// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the limits of a partition say of a job, whatever runs; and decisions that give nothing.
//
// Layer: dialect/slurm, inside. Main types: PartitionLimits; refused and pending make decisions.

#include <optional>
#include <string>

#include "../job.hpp"
#include "trestle/dialect/slurm/choice/decision.hpp"

namespace trestle::slurm::choice {

[[nodiscard]] Decision refused(std::string message);
[[nodiscard]] Decision pending(Reason reason, const PartitionLine& partition, std::string message);

/// Nodes of the partition that one job may have.
[[nodiscard]] Number max_nodes_of(const PartitionLine& partition);

/// A job beyond a limit waits for another configuration, unless limits are enforced when jobs are
/// submitted. The decision names what the job has and what the partition allows.
class PartitionLimits {
  public:
    /// `nodes`, `cpus`: what the partition has, within MaxCPUsPerNode; `most_cpus`: its largest
    /// node.
    PartitionLimits(const PartitionLine& line, const ClusterParameters& parameters, Number nodes,
                    Number cpus, Number most_cpus)
        : line_(line), parameters_(parameters), nodes_(nodes), cpus_(cpus), most_cpus_(most_cpus) {}

    /// --time-min has to be within --time, or the partition's default, and within MaxTime. It lets
    /// no job start that --time forbids, because only the backfill scheduler lowers the limit.
    [[nodiscard]] std::optional<Decision> breach_of_time(const std::optional<TimeLimit>& time,
                                                         const std::optional<TimeLimit>& min) const;
    /// More CPUs or nodes than the partition has, or a number of nodes that it does not give.
    [[nodiscard]] std::optional<Decision> breach_of_size(const ChoiceJob& job) const;
    /// Fewer devices or tasks than MinNodes.
    [[nodiscard]] std::optional<Decision> breach_of_nodes(const ChoiceJob& job) const;
    /// More tasks than -N allows with --ntasks-per-node, tasks that no node holds, or a number of
    /// nodes that does not divide the job's GPUs.
    [[nodiscard]] std::optional<Decision> breach_of_tasks(const ChoiceJob& job) const;
    /// More memory of a node than one job may have.
    [[nodiscard]] std::optional<Decision> breach_of_memory(const ChoiceJob& job) const;

  private:
    struct Breach;

    [[nodiscard]] std::string text_of(const Breach& breach) const;
    [[nodiscard]] Decision beyond(Reason reason, const Breach& breach) const;
    [[nodiscard]] std::optional<Breach> missing(const ChoiceJob& job) const;

    const PartitionLine& line_;
    const ClusterParameters& parameters_;
    Number nodes_;
    Number cpus_;
    Number most_cpus_;
};

}  // namespace trestle::slurm::choice
