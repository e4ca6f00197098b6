// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parts of a job, in groups of equal ones.
//
// Layer: alloc. Main types: JobGroup, NodeCounts; groups_of(request, nodes). In the even split
// tasks and counts for the whole job are split evenly, the first parts one more, so a job has few
// different parts, however many nodes; other splits stand in split/splits.hpp. Components are dealt
// with in the same way, each by itself. Pitfall: a part asks as much as the one
// before it or less, but may still need more of a node: fewer cores have less memory near.

#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/alloc/node/demand.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// Parts that ask the same.
struct JobGroup {
    std::size_t component = 0;  ///< 0: the job itself, then its components from 1 on
    NodePart part;              ///< the first of them
    std::int64_t count = 0;

    friend bool operator==(const JobGroup&, const JobGroup&) = default;
};

namespace detail {

/// Adds the groups of one request on so many nodes. Complexity: its different parts.
void add_groups(std::vector<JobGroup>& groups, const Request& request, std::size_t component,
                std::int64_t nodes);

}  // namespace detail

/// The groups of the even split of a request on so many nodes, without its components. Requires:
/// nodes > 0.
[[nodiscard]] std::vector<JobGroup> groups_of(const Request& request, std::int64_t nodes);

/// True when a larger job asks the same of each node, and any of its nodes make a smaller job: what
/// does not fit on few nodes then does not fit on more.
[[nodiscard]] bool more_nodes_are_harder(const Request& request);

/// The numbers of nodes that a request, or a component, may be given, rising: those it accepts and
/// its partition allows, from the required nodes on, on which its tasks have room between the ends
/// of tasks_per_node. Where tasks are counted, a node beyond them is given only if it is asked for.
class NodeCounts {
  public:
    NodeCounts(const Request& request, Range<Count> allowed, std::int64_t required);

    [[nodiscard]] std::int64_t least() const { return least_; }
    /// False when the required nodes are too many.
    [[nodiscard]] bool has_any() const { return least_ <= most_; }
    /// The lowest number that is more than `before`, and at most `limit`; or nothing.
    [[nodiscard]] std::optional<std::int64_t> after(std::int64_t before, std::int64_t limit) const;

  private:
    /// The lowest of the numbers that the request lists from `nodes` on; any, where it lists none.
    [[nodiscard]] std::optional<std::int64_t> accepted(std::int64_t nodes) const;

    const Request* request_;
    std::int64_t least_;
    std::int64_t most_;
};

}  // namespace trestle
