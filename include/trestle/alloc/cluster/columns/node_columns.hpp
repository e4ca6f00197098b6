// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeColumns: the answer of every node to a request, as columns with one entry per node.
//
// Layer: alloc. Main type: NodeColumns. Simulators and learners want all answers at once. Which
// nodes could take it (feasible), how good is each (score), how often does it fit there
// (fit_count)? Each state that nodes are in is asked once, as by place(), so that the answers are
// place()'s. The rest is a walk through the nodes.
// Pitfall: a request for several nodes is asked of each node by one part, on the fewest nodes that
// it accepts. That is the smallest part that the request allows in any split, whatever the nodes
// have. Where only the even split is possible, it is the largest part. A node that can take only a
// larger part is not counted. Whether enough nodes are left, and what the network says, is for
// place(). Components of a job are requests of their own here.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/place_options.hpp"
#include "trestle/alloc/cluster/place/policy.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// Columns over the nodes of a cluster as it is now. Alternatives of a request are asked in order;
/// a node's entry is of the first that it can take. No node is feasible where the cluster refuses
/// the job as a whole: licences, limits of its partition.
class NodeColumns {
  public:
    /// A copy of the cluster is kept. With a function of the caller's own, the options' policy says
    /// nothing, as for Placer.
    explicit NodeColumns(Cluster cluster, PlaceOptions options = {},
                         BatchScoreFunction function = {});

    NodeColumns(const NodeColumns&) = delete;
    NodeColumns& operator=(const NodeColumns&) = delete;
    NodeColumns(NodeColumns&&) noexcept;
    NodeColumns& operator=(NodeColumns&&) noexcept;
    ~NodeColumns();

    /// Entries of a column.
    [[nodiscard]] std::size_t rows() const;

    /// Whether each node could take it; not where a function of the caller's has no score for it.
    /// Nodes that were too hard a question (Constraint::gave_up) are said to be unable. Requires,
    /// here and below: check(request) is ok, it has no components; `out` has rows() entries.
    /// Complexity: the nodes; and the states that they are in, where nearness, parts of devices or
    /// the like are asked for.
    void feasible(const Request& request, std::span<bool> out);
    /// What the policy finds, Score::first; NaN where the node cannot take it. Of nodes with the
    /// same PlaceOptions::spare_devices place() takes the highest, of equal ones by Score::second,
    /// then the lowest node; Policy::random gives all 0. Complexity: as for feasible().
    void score(const Request& request, std::span<double> out);
    /// How many such parts the node could take one after the other, if all were put there; licences
    /// count for the first only. Complexity: what feasible() costs, and a decision and a commit for
    /// each part on a node of each state.
    void fit_count(const Request& request, std::span<std::int32_t> out);

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace trestle
