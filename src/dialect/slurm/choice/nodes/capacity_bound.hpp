// SPDX-License-Identifier: Apache-2.0
#pragma once

// What nodes give at most, added up: a choice among them need not be tried where that is too
// little.
//
// Layer: dialect/slurm, inside. Main type: CapacityBound.
// Pitfall: enough in sum does not mean that a choice succeeds; too little means that none does.

#include <map>
#include <vector>

#include "choose_nodes.hpp"

namespace trestle::slurm::choice {

class CapacityBound {
  public:
    explicit CapacityBound(const Question& question);

    /// Adds all nodes of the candidate, each of which gives `narrowed`.
    void add(const Candidate& node, const Narrowed& narrowed) { change(narrowed, node.nodes); }
    /// Removes one node. Requires: it was added.
    void remove_one(const Narrowed& narrowed) { change(narrowed, -1); }

    /// Whether as many nodes as the job may have could give what it asks for.
    /// Complexity: linear in the different amounts that nodes give.
    [[nodiscard]] bool may_suffice() const;

  private:
    /// How many nodes give so much, by amount.
    using Amounts = std::map<Number, Number>;

    void change(const Narrowed& narrowed, Number nodes);
    [[nodiscard]] bool has_enough(const Amounts& amounts, Number needed) const;

    const Question* question_;
    Number nodes_ = 0;
    Amounts cpus_;
    std::vector<Amounts> gres_;  ///< by position in ChoiceJob::gres
};

}  // namespace trestle::slurm::choice
