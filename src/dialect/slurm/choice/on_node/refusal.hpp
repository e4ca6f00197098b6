// SPDX-License-Identifier: Apache-2.0
#pragma once

// Why no nodes of a partition can ever serve a job.
//
// Layer: dialect/slurm, inside. Main function: why_never.

#include <string>
#include <vector>

#include "../job.hpp"
#include "node_view.hpp"

namespace trestle::slurm::choice {

/// Nodes of a partition that are alike, those that the job excludes left out.
struct NodeKind {
    const NodeView* view = nullptr;
    const std::vector<std::string>* features = nullptr;
    Number cpus = 0;  ///< of a node, within the limits of the partition
    Number nodes = 0;
    Number required = 0;               ///< of these nodes, by name
    std::string required_one = {};     ///< the first of them
    std::uint32_t required_place = 0;  ///< its place among the nodes of the partition
};

/// The first condition that the idle nodes do not meet: the option, what it asks for and the most
/// that there is. Where each is met alone, that they are not met together.
[[nodiscard]] std::string why_never(const ChoiceJob& job, const std::vector<NodeKind>& kinds,
                                    const std::string& partition);

}  // namespace trestle::slurm::choice
