// SPDX-License-Identifier: Apache-2.0
#pragma once

// What bears on Slurm's answer and is not looked at.
//
// Layer: dialect/slurm, inside. Main functions: warn_of_options, warn_of_rules.

#include <string>
#include <vector>

#include "trestle/dialect/slurm/choice/select.hpp"

namespace trestle::slurm::choice {

/// Adds a warning for each option of the job that is passed over.
void warn_of_options(const JobOptions& options, const ClusterParameters& parameters,
                     std::vector<std::string>& warnings);

/// Adds to the decision's warnings what of the cluster and of its partition `line` is passed over
/// although it matters to such a job.
void warn_of_rules(const JobOptions& options, const SelectRules& rules, const PartitionLine& line,
                   Decision& decision);

}  // namespace trestle::slurm::choice
