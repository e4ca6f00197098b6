// SPDX-License-Identifier: Apache-2.0
#pragma once

// Nodes that follow each other: by id (contiguous), or on a ring.
//
// Layer: alloc. Main functions: select_contiguous(index, question), select_on_ring(index,
// question); main type: RingIndex. The order: shortest run of eligible nodes that is long enough,
// then the lowest ring, then the lowest start of the run, then the lowest start inside it: what is
// left of a run stays in one piece, and long runs stay whole.
// Pitfall: required nodes have to lie in the window; without any, the window is the start of its
// run.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "alloc/cluster/topology/run_index.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/topology/ring.hpp"

namespace trestle {

/// What is asked of a row or of rings.
struct RunQuestion {
    std::uint32_t nodes = 1;       ///< not 0
    std::vector<NodeId> required;  ///< have to be among them, eligible or not

    static constexpr auto fields(auto list) {
        return list(field("nodes", &RunQuestion::nodes), field("required", &RunQuestion::required));
    }
    friend bool operator==(const RunQuestion&, const RunQuestion&) = default;
};

/// Eligible nodes on the rings of a topology.
class RingIndex {
  public:
    RingIndex() = default;
    /// Without eligible nodes. Requires: check(topology) is ok.
    explicit RingIndex(const RingTopology& topology);

    /// Where a node has its place.
    struct Place {
        std::uint32_t ring = 0;
        std::uint32_t place = 0;
    };
    [[nodiscard]] std::optional<Place> place_of(NodeId node) const;
    [[nodiscard]] const std::vector<RunIndex>& rings() const { return rings_; }
    /// Requires: the place exists.
    [[nodiscard]] NodeId node_at(Place at) const { return nodes_[at.ring][at.place]; }

    /// The node becomes eligible, or stops being so; nothing happens when it is on no ring.
    /// Requires: it was not, or it was. Complexity: logarithmic in the runs of its ring.
    void add(NodeId node) {
        if (const auto at = place_of(node)) rings_[at->ring].add(at->place);
    }
    void remove(NodeId node) {
        if (const auto at = place_of(node)) rings_[at->ring].remove(at->place);
    }

    friend bool operator==(const RingIndex& a, const RingIndex& b) {
        return a.nodes_ == b.nodes_ && a.rings_ == b.rings_;
    }

  private:
    std::vector<RunIndex> rings_;
    std::vector<std::vector<NodeId>> nodes_;
    std::vector<std::optional<Place>> place_of_;  ///< by node
};

/// Nodes with consecutive ids, rising; `accepts(first)` may turn down a window by its first node.
/// Complexity: as RunIndex::first_window.
template <class Accepts>
[[nodiscard]] Verdict<std::vector<NodeId>> select_contiguous(const RunIndex& index,
                                                             const RunQuestion& question,
                                                             Accepts accepts) {
    const auto window = index.first_window(question.nodes, [&](std::uint32_t first) {
        const bool has_all =
            std::all_of(question.required.begin(), question.required.end(), [&](NodeId node) {
                return node.value() >= first && node.value() - first < question.nodes;
            });
        return has_all && accepts(NodeId(first));
    });
    if (!window) {
        return Refusal{Constraint::topology,
                       fmt::format("asked {} nodes in a row, at most {} follow each other",
                                   question.nodes, index.longest())};
    }
    std::vector<NodeId> nodes;
    for (std::uint32_t i = 0; i < question.nodes; ++i) nodes.emplace_back(window->start + i);
    return nodes;
}
[[nodiscard]] Verdict<std::vector<NodeId>> select_contiguous(const RunIndex& index,
                                                             const RunQuestion& question);

namespace detail {

/// `count` nodes of a ring from one place on.
[[nodiscard]] std::vector<NodeId> nodes_from(const RingIndex& index, RingIndex::Place at,
                                             std::uint32_t count);

}  // namespace detail

/// Nodes that follow each other on one ring, in its order; `accepts(nodes)` may turn some down.
/// Complexity: rings times first_window.
template <class Accepts>
[[nodiscard]] Verdict<std::vector<NodeId>> select_on_ring(const RingIndex& index,
                                                          const RunQuestion& question,
                                                          Accepts accepts) {
    std::optional<std::pair<std::uint32_t, RingIndex::Place>> best;  // and the length of its run
    std::uint32_t longest = 0;
    for (std::uint32_t ring = 0; ring < index.rings().size(); ++ring) {
        const RunIndex& runs = index.rings()[ring];
        longest = std::max(longest, runs.longest());
        const auto window = runs.first_window(question.nodes, [&](std::uint32_t first) {
            const auto is_inside = [&](NodeId node) {
                const auto at = index.place_of(node);
                return at && at->ring == ring &&
                       (at->place + runs.size() - first) % runs.size() < question.nodes;
            };
            return std::all_of(question.required.begin(), question.required.end(), is_inside) &&
                   accepts(detail::nodes_from(index, {ring, first}, question.nodes));
        });
        if (window && (!best || window->run_length < best->first)) {
            best = {window->run_length, {ring, window->start}};
        }
    }
    if (best) return detail::nodes_from(index, best->second, question.nodes);
    return Refusal{Constraint::topology,
                   fmt::format("asked {} nodes in a row on a ring, at most {} follow each other",
                               question.nodes, longest)};
}
[[nodiscard]] Verdict<std::vector<NodeId>> select_on_ring(const RingIndex& index,
                                                          const RunQuestion& question);

}  // namespace trestle
