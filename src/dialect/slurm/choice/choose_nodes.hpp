// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which nodes. Every way is greedy over an order of nodes.
//
// Layer: dialect/slurm, inside. Main types: Question, Choices; main function: choose. Nodes are
// known by their place in Slurm's order.
// A reader would get wrong: a node is first asked what it offers (node_fit.hpp), once for all that
// are in the same state; here only answers are compared.

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "node_fit.hpp"

namespace trestle::slurm::choice {

/// A switch; `nodes` are those below it at any depth, rising.
struct ViewSwitch {
    Number level = 0;  ///< 0 for a leaf
    std::optional<std::size_t> parent;
    std::vector<std::size_t> nodes;
};

/// A node that can take part. Nodes in one state point to one view and one offer.
struct Candidate {
    const NodeView* view = nullptr;  ///< null: the node takes no part
    const Offer* offer = nullptr;
};

/// One choice to make.
struct Question {
    const ChoiceJob* job = nullptr;
    const ClusterParameters* parameters = nullptr;
    const std::vector<ViewSwitch>* switches = nullptr;
    std::vector<Candidate> nodes;  ///< by place
    std::vector<std::size_t> required;
    Number min_nodes = 1;
    Number max_nodes = 1;
    Number wanted_nodes = 1;
    bool takes_least_loaded = false;
};

/// A chosen node and the CPUs that it was chosen for.
struct Pick {
    const Narrowed* narrowed = nullptr;
    Number cpus = 0;
    Number gres_cpus = 0;
};

/// Answers under bounds, by offer and pass: bounds are equal for all nodes of one description.
using NarrowMemory = std::map<std::pair<const Offer*, Pass>, std::optional<Narrowed>>;

enum class Outcome { found, no_fit, too_many_switches };

/// What choose() found. Picks point into `narrowed`.
struct Choices {
    Outcome outcome = Outcome::no_fit;
    std::map<std::size_t, Pick> picks;  ///< by place
    NarrowMemory narrowed;
};

[[nodiscard]] Choices choose(const Question& question);

}  // namespace trestle::slurm::choice
