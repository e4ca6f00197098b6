// SPDX-License-Identifier: Apache-2.0
#pragma once

// Unchanged: what a decision calls back in Python must leave its cluster alone, and here is seen
// whether it did.
//
// A C++ caller has to know that; from Python nothing may read what is gone. Another thread that has
// the GIL during the call counts too.
// Pitfall: a change that was undone is one.

#include "alloc/cluster/states/journal.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/base/contract.hpp"

namespace trestle::python {

/// From before one call to behind it.
class Unchanged {
  public:
    explicit Unchanged(const Cluster& cluster)
        : cluster_(cluster), before_(cluster.journal().position()) {}

    /// Breaks the contract when the cluster was changed.
    void check() const {
        const auto changed = cluster_.journal().since(before_);
        TRESTLE_EXPECTS(changed && changed->empty(),
                        "what a decision calls leaves the cluster as it is");
    }

  private:
    const Cluster& cluster_;
    JournalPosition before_;
};

}  // namespace trestle::python
