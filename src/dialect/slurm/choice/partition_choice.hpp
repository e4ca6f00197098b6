// SPDX-License-Identifier: Apache-2.0
#pragma once

// The answer of one partition to a job.
//
// Layer: dialect/slurm, inside. Main functions: answer_in, breach_in.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "network/layers.hpp"
#include "nodes/node_table.hpp"
#include "trestle/dialect/slurm/choice/decision.hpp"

namespace trestle::slurm::choice {

/// A job and the nodes that it names.
struct NamedJob {
    ChoiceJob job;
    std::vector<Place> required;    ///< rising
    std::vector<Place> excluded;    ///< rising
    bool is_among_listed = false;   ///< nodes that are not listed are excluded
    std::optional<TimeLimit> time;  ///< absent: the partition's
    std::optional<TimeLimit> time_min = std::nullopt;
};

/// What select() looks at. The table follows the cluster.
struct Context {
    const Cluster& cluster;
    NodeTable& table;
    const SelectRules& rules;
    /// Of jobs with --exclusive=topo; those that have nothing are passed over.
    std::span<const OwnerId> alone;
    std::vector<AskedResource> layered = {};  ///< of --resources
};

/// The refusal of a job that the partition's limits forbid, whatever else becomes of it; nothing:
/// they allow it. Requires: limits are enforced.
[[nodiscard]] std::optional<Decision> breach_in(const Context& context, const PartitionLine& line,
                                                std::uint32_t partition, const NamedJob& asked);

/// What a partition answers to the job. `line` is the partition's, which is the cluster's number
/// `partition`.
[[nodiscard]] Decision answer_in(const Context& context, const PartitionLine& line,
                                 std::uint32_t partition, NamedJob asked);

}  // namespace trestle::slurm::choice
