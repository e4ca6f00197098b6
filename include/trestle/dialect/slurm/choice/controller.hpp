// SPDX-License-Identifier: Apache-2.0
#pragma once

// A slurmctld as a value: a cluster from configuration files, jobs submitted as text, answered as
// Slurm answers.
//
// Layer: dialect/slurm. Main type: Controller. No clock and no queue: each job is answered at once,
// and one that waits is forgotten.
// A reader would get wrong: adopt() believes what it is told, as for an allocation that another
// controller made; select() is not asked.

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/choice/decision.hpp"
#include "trestle/dialect/slurm/choice/selector.hpp"
#include "trestle/dialect/slurm/conf/conf_error.hpp"
#include "trestle/dialect/slurm/describe.hpp"

namespace trestle::slurm {

class Controller {
  public:
    /// An idle cluster. Errors: those of parse_cluster().
    [[nodiscard]] static StatusOr<Controller> create(const ConfTexts& texts);

    /// Answers to a job given by its options, as sbatch's, and gives it what it was allocated; the
    /// owner is the next number that was never used. Text that cannot be read is refused with the
    /// reader's message. Errors: Unimplemented for a heterogeneous job. Nothing changes unless
    /// the answer is allocated.
    [[nodiscard]] StatusOr<Decision> submit(std::string_view options);
    /// The same for options that were read, as those of a script.
    [[nodiscard]] StatusOr<Decision> submit(const JobOptions& options);

    /// Enters an allocation as it was recorded: cores by abstract CPU ids, devices by their
    /// indexes, parts of GPUs by the index of the GPU, bare numbers by count. Cores of the system
    /// are left out. `partition`: that of the job; empty: the default one.
    /// Errors: InvalidArgument for nodes, CPUs, devices or a partition that do not exist;
    /// FailedPrecondition for what somebody has. Nothing changes then.
    [[nodiscard]] StatusOr<OwnerId> adopt(std::span<const NodeGrant> grants,
                                          std::string_view partition = {});

    /// Takes everything back. Errors: NotFound when the owner has nothing.
    [[nodiscard]] Status release(OwnerId owner);

    [[nodiscard]] const Cluster& cluster() const { return cluster_; }
    [[nodiscard]] const SelectRules& rules() const { return selector_.rules(); }
    /// What of the files was not used.
    [[nodiscard]] const std::vector<ConfWarning>& warnings() const { return warnings_; }

  private:
    Controller(BuiltCluster built, SelectRules rules)
        : cluster_(std::move(built.cluster)),
          selector_(std::move(rules)),
          warnings_(std::move(built.warnings)) {}

    [[nodiscard]] StatusOr<OwnerId> commit(Placement placement, std::string_view partition);

    Cluster cluster_;
    Selector selector_;
    std::vector<ConfWarning> warnings_;
    std::uint64_t next_owner_ = 1;
};

}  // namespace trestle::slurm
