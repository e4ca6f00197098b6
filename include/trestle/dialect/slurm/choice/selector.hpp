// SPDX-License-Identifier: Apache-2.0
#pragma once

// select() that remembers the cluster it looked at.
//
// Layer: dialect/slurm. Main type: Selector. It keeps what follows from the cluster's description
// (the order of nodes, switches, kinds of nodes) and from the states of its nodes. Before each
// answer it looks for changes: a changed description is another object, and states are followed by
// the cluster's journal, as Placer does.
// Pitfall: no answer depends on earlier questions. A Selector may be asked about one cluster after
// another, but it has to look at each anew.

#include <memory>
#include <span>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/dialect/slurm/choice/decision.hpp"
#include "trestle/dialect/slurm/choice/select.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"

namespace trestle::slurm {

namespace choice {
class NodeTable;
}  // namespace choice

class Selector {
  public:
    explicit Selector(SelectRules rules);
    /// A copy follows the same rules and remembers nothing.
    Selector(const Selector& other);
    /// What was moved from may be asked no more.
    Selector(Selector&& other) noexcept;
    Selector& operator=(const Selector& other);
    Selector& operator=(Selector&& other) noexcept;
    ~Selector();

    /// What it was made with.
    [[nodiscard]] const SelectRules& rules() const { return rules_; }

    /// What select(cluster, options, rules()) answers. `alone`: jobs with --exclusive=topo, or of
    /// partitions with ExclusiveTopo; no other job has nodes in the blocks or rings that they are
    /// in. Owners that have nothing are passed over.
    /// Requires: as select(). Complexity: a choice is n log n in the runs of neighbouring nodes in
    /// one state. How many choices there are, and when runs are compared with each other, is as
    /// select() says. Beside that it is linear in the nodes
    /// when the cluster changed, and n log n when its description did.
    [[nodiscard]] Decision select(const Cluster& cluster, const JobOptions& options,
                                  std::span<const OwnerId> alone = {});

  private:
    SelectRules rules_;
    std::unique_ptr<choice::NodeTable> table_;  ///< null: nothing is known yet
};

}  // namespace trestle::slurm
