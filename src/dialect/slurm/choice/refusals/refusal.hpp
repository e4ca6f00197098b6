// SPDX-License-Identifier: Apache-2.0
#pragma once

// Why no nodes of a partition serve a job: never, as they take work, or now.
//
// Layer: dialect/slurm, inside. Main type: NodeKind; main functions: why_not, why_not_together.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "../network/switches.hpp"
#include "offer.hpp"

namespace trestle::slurm::choice {

/// What keeps a node from a job, whatever it has free.
enum class Barrier { none, state, use, sharing, owning, layers, alone, units };

/// Nodes of a partition that have the same for the job, those that it excludes left out.
struct NodeKind {
    NodeOffer offer;
    const std::vector<std::string>* features = nullptr;
    Barrier barrier = Barrier::none;
    Number nodes = 0;
    Place first = 0;           ///< of them
    Number required = 0;       ///< of these nodes, by name
    Place first_required = 0;  ///< of them
};

/// A job and the nodes that it asks of.
struct Refused {
    const ChoiceJob& job;
    const std::string& partition;
    std::vector<NodeKind> kinds;
    /// As if nothing ran; empty: the kinds are.
    std::vector<NodeKind> idle;
    std::function<std::string(Place)> name_of;  ///< of a node
    std::string_view whole;                     ///< what is given as a whole: core or socket
    std::string layers;                         ///< what is asked of --resources, and what is left
};

/// The first condition that the nodes do not meet: the option, what it asks for and the most that
/// there is, with the node that has it and what it has when idle. Empty: each is met alone.
[[nodiscard]] std::string why_not(const Refused& refused);

/// That conditions which are met alone are not met together.
[[nodiscard]] std::string why_not_together(const Refused& refused);

}  // namespace trestle::slurm::choice
