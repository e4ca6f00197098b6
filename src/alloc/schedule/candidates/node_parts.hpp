// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeParts: what each node gives to which owner and when, in numbers.
//
// Layer: alloc (detail). Main type: NodeParts. It follows a timeline: what runs and what is
// reserved, of each node in the order of their starts. What runs on a node is read when the node is
// first asked for. Numbers are enough to say that a node cannot serve a request at a moment; that
// it can is for place() to say.
// Pitfall: cores that are taken in a row, thousandths of CPUs, devices that are never used up and
// devices behind the 64th are not counted as taken. So what is left is never too little.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "alloc/cluster/states/journal.hpp"
#include "trestle/alloc/schedule/period.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/ids.hpp"

namespace trestle::detail {

class NodeParts {
  public:
    struct Part {
        Period period;
        OwnerId owner;
        std::uint64_t devices = 0;  ///< a bit for each of the first 64
        std::int64_t memory = 0;    ///< bytes
        std::int64_t cores = 0;     ///< that are the owner's alone
    };

    /// Complexity: the nodes of those whose part or period differs from the last time; those of
    /// all reservations, the first time.
    void follow(const Timeline& timeline);
    /// By their start, then owner. The span is good until follow().
    [[nodiscard]] std::span<const Part> on(NodeId node) {
        if (node.value() >= by_node_.size()) return {};
        if (!is_read_[node.value()]) read(node);
        return by_node_[node.value()];
    }
    /// The first end of a part of the node that is later, or `end_of_time`.
    [[nodiscard]] Instant next_end(NodeId node, Instant after);
    /// True when an owner has something of the node at the moment.
    [[nodiscard]] bool is_taken(NodeId node, Instant at);

    /// Where a reader of changes stands; a default one knows nothing.
    struct Position {
        std::uint64_t generation = 0;
        std::size_t at = 0;
    };
    [[nodiscard]] Position position() const { return {generation_, changed_.size()}; }
    /// Nodes whose parts or class changed since, some perhaps twice; nothing when all may have.
    [[nodiscard]] std::optional<std::span<const NodeId>> changed_since(
        const Position& position) const;

  private:
    void start_anew(const Timeline& timeline);
    /// Enters what runs on the node.
    void read(NodeId node);
    /// visit(node, part) for each part of the owner.
    template <class Visit>
    static void for_each_part(const Timeline& timeline, OwnerId owner, const Period& period,
                              const Visit& visit);
    void enter(const Timeline& timeline, OwnerId owner);
    /// Takes out what the owner had the last time.
    void remove(OwnerId owner);
    /// Nodes that are in another class than the last time count as changed.
    void note_classes(const Cluster& now);

    Timeline followed_;  ///< as it was the last time; shares what has not changed since
    bool follows_ = false;
    std::vector<std::vector<Part>> by_node_;  ///< without what runs, where that was not read
    std::vector<bool> is_read_;               ///< by node
    std::uint64_t generation_ = 0;
    std::vector<NodeId> changed_;
};

}  // namespace trestle::detail
