// SPDX-License-Identifier: Apache-2.0
#pragma once

// What nodes of a unit of the network give together: a base block, a run on a ring, a box on a
// torus.
//
// Layer: dialect/slurm, inside. Main types: GresSums, UnitSupply; main function: holds.

#include <cstddef>
#include <vector>

#include "../job.hpp"

namespace trestle::slurm::choice {

/// Devices of nodes added up, by position in ChoiceJob::gres.
using GresSums = std::vector<Number>;

/// Added up over nodes; of what is needed, the least.
struct UnitSupply {
    Number nodes = 0;
    Number cpus = 0;
    GresSums gres;  ///< what is not there counts 0

    void add(const UnitSupply& other) {
        nodes += other.nodes;
        cpus += other.cpus;
        if (gres.size() < other.gres.size()) gres.resize(other.gres.size(), 0);
        for (std::size_t i = 0; i < other.gres.size(); ++i) gres[i] += other.gres[i];
    }
};

/// Whether there is as much of everything as is needed.
[[nodiscard]] inline bool holds(const UnitSupply& supply, const UnitSupply& need) {
    if (supply.nodes < need.nodes || supply.cpus < need.cpus) return false;
    for (std::size_t i = 0; i < need.gres.size(); ++i) {
        if ((i < supply.gres.size() ? supply.gres[i] : 0) < need.gres[i]) return false;
    }
    return true;
}

}  // namespace trestle::slurm::choice
