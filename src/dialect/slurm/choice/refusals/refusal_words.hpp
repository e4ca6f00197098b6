// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counts, amounts and states of nodes in words of refusals.
//
// Layer: dialect/slurm, inside. Main types: BarrierWords, NodeCondition.

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "refusal.hpp"

namespace trestle::slurm::choice {

/// Some of the kinds of a Refused.
using SomeKinds = std::vector<const NodeKind*>;

[[nodiscard]] inline Number nodes_of(const SomeKinds& kinds) {
    Number nodes = 0;
    for (const NodeKind* one : kinds) nodes += one->nodes;
    return nodes;
}

/// The most that so many nodes have together. Those that the job names take part, whatever they
/// have.
template <class UnitsOf>
[[nodiscard]] Number most_of(const SomeKinds& kinds, Number nodes, const UnitsOf& units) {
    std::vector<std::pair<Number, Number>> by_units;  // of a node, and how many nodes
    Number sum = 0;
    for (const NodeKind* one : kinds) {
        const Number its = units(one->offer);
        const Number required = std::min(one->required, nodes);
        sum += product(its, required);
        nodes -= required;
        by_units.emplace_back(its, one->nodes - required);
    }
    std::sort(by_units.rbegin(), by_units.rend());
    for (const auto& [of_node, count] : by_units) {
        const Number taken = std::min(count, nodes);
        sum += product(of_node, taken);
        nodes -= taken;
    }
    return std::min(sum, unlimited);
}

/// Said of nodes that are open to the job.
struct BarrierWords {
    Barrier barrier;
    std::string_view one;
    std::string_view many;
    std::string_view required;  ///< of one that is not
};
/// In the order in which they are looked at. The first is of nodes that take work.
[[nodiscard]] std::span<const BarrierWords> barrier_words();

/// One condition of each node.
struct NodeCondition {
    std::string option;  ///< with what it asks for
    Number asked = 0;
    std::string_view unit;
    std::string near = {};  ///< said behind the unit
    bool is_use = true;     ///< jobs take away of it
};

/// `gpu:a100`.
[[nodiscard]] std::string name_of(const GresWant& want);

/// `1 node has`, `2 nodes have`.
[[nodiscard]] std::string nodes_have(Number nodes);

/// `at most 3 CPUs`, `none`.
[[nodiscard]] std::string amount_of(const NodeCondition& asked, Number most);

/// `8 when idle`, with a unit that is no word of its own: `8M when idle`.
[[nodiscard]] std::string when_idle(const NodeCondition& asked, Number idle);

}  // namespace trestle::slurm::choice
