// SPDX-License-Identifier: Apache-2.0
#pragma once

// The answer of one partition to a job.
//
// Layer: dialect/slurm, inside. Main function: answer_in.

#include <optional>
#include <string>
#include <vector>

#include "field.hpp"
#include "trestle/dialect/slurm/choice/decision.hpp"

namespace trestle::slurm::choice {

/// Places of nodes in Slurm's order, rising.
using Places = std::vector<std::size_t>;

/// A job and the nodes that it names.
struct NamedJob {
    ChoiceJob job;
    Places required;
    Places excluded;
    std::optional<TimeLimit> time;  ///< the least that it accepts; absent: the partition's
};

[[nodiscard]] Decision refused(std::string message);

/// What the partition answers to the job.
[[nodiscard]] Decision answer_in(Field& field, const SelectRules& rules, const PartitionLine& line,
                                 const Partition& partition, NamedJob asked);

}  // namespace trestle::slurm::choice
