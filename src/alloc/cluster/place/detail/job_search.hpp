// SPDX-License-Identifier: Apache-2.0
#pragma once

// JobSearch: one decision: how many nodes, where in the network, and which.
//
// Layer: alloc (detail). Main type: JobSearch. Numbers of nodes are tried from the lowest; for each
// the network says which nodes are in question, and NodeChoice takes among them, for the even split
// of the job and, where that does not fit, for others (SplitSearch). With components, those of the
// last vary first.
// Components that may share nodes are placed by SharedChoice, on as few nodes in all as are found.
// Pitfall: a component is chosen as if it were a request of its own, but together with the others:
// a node that only it can have is left to it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "alloc/cluster/place/detail/request_cache.hpp"
#include "alloc/cluster/place/job_groups.hpp"
#include "alloc/cluster/place/node_choice.hpp"
#include "alloc/cluster/place/node_rules.hpp"
#include "alloc/cluster/place/split/split_search.hpp"
#include "alloc/cluster/place/state_cache.hpp"
#include "alloc/node/step_budget.hpp"
#include "trestle/alloc/cluster/place/node_filter.hpp"
#include "trestle/alloc/cluster/place/place_options.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

/// What the cluster as a whole says against the job: licences, its partitions.
[[nodiscard]] std::optional<Refusal> refuse_job(const Cluster& cluster, const VariantCache& cache);

/// Whether a refusal says why, in numbers: to work these out can cost more than the search.
/// Without words it has no reason, and Constraint::nodes; where the search gave up it says so in
/// both.
enum class RefusalWords { made, left_out };

class JobSearch {
  public:
    JobSearch(const Cluster& cluster, StateCache& states, const PlaceOptions& options,
              LeafTrees& trees, VariantCache& cache, const NodeFilter& filter, RefusalWords words);

    [[nodiscard]] Verdict<Placement> run();
    /// True when run() has not tried all splits that are not even: its no is of the others.
    [[nodiscard]] bool has_left_splits() const { return has_left_splits_; }

  private:
    using Found = std::optional<std::vector<NodePlacement>>;

    /// The rules of all groups, or why required nodes cannot be had.
    [[nodiscard]] std::optional<Refusal> make_rules();
    /// Why the request can have no number of nodes, with so many that are required by name.
    [[nodiscard]] static Refusal refuse_count(const Request& request, std::int64_t required);
    [[nodiscard]] std::optional<Refusal> refuse_required(const Request& request,
                                                         const std::string& name) const;

    /// The next numbers of nodes of all groups; false when there are none, or more nodes cannot
    /// help where these did not.
    [[nodiscard]] bool next_sizes();
    /// The next number of nodes on which as much is free as the job splits among its nodes. The
    /// last number is not left out where words are made: they are those of a refusal. Complexity:
    /// the states, and the numbers that are passed over.
    [[nodiscard]] bool next_size_with_room();
    /// Passes over the numbers of nodes that have not all tasks of a job of one group; false when
    /// these are all.
    [[nodiscard]] bool skip_sizes_without_tasks();
    /// What is free on the nodes that the filter allows for the job's first group.
    [[nodiscard]] const FreeAmounts& free_amounts();

    [[nodiscard]] Found try_sizes();
    /// try_sizes() where groups may share nodes: on as few in all as are found in time.
    [[nodiscard]] Found try_shared();
    /// The parts on `nodes` nodes in all, or why not; of `budget`, and a part of what is left for
    /// splits.
    [[nodiscard]] Verdict<std::vector<NodePlacement>> search(std::size_t nodes, StepBudget& budget);
    /// Remembers a no, which ends the search on these numbers of nodes.
    void note(const Refusal& refusal);
    /// True when groups may share nodes.
    [[nodiscard]] bool is_shared() const {
        return cache_.request().component_nodes == Request::ComponentNodes::shared &&
               sizes_.size() > 1;
    }
    [[nodiscard]] bool has_topology() const;
    [[nodiscard]] bool some_answer_gave_up() const;

    /// How many nodes the parts that were tried last need at least.
    [[nodiscard]] std::size_t asked_nodes() const;
    /// Why no nodes anywhere serve the parts of the last numbers of nodes.
    [[nodiscard]] Refusal why_not();
    /// Behind `; `, why too few nodes take a part and those that ask more; nothing where enough do.
    [[nodiscard]] std::string what_parts_lack();
    /// Groups that share nodes: what they ask together that is not free.
    [[nodiscard]] Refusal groups_apart() const;
    /// What the nodes have too little of, wherever they lie in the network: then the network is not
    /// why. Nothing where they may have enough.
    [[nodiscard]] const std::optional<Refusal>& shortage();
    /// The same of the parts of the even split.
    [[nodiscard]] std::optional<Refusal> parts_shortage();
    /// What stood in the way of most nodes, in the words of the first of them; said of the first
    /// parts for which there are too few.
    [[nodiscard]] std::optional<Refusal> part_shortage();
    /// The refusal, with the number of the group where the job has several.
    [[nodiscard]] Refusal of_group(std::size_t g, const Refusal& why) const;
    /// Which of the features that parts share out too few nodes have.
    [[nodiscard]] std::optional<Refusal> feature_shortage();
    /// True when the node may be used and can take one of the parts.
    [[nodiscard]] bool takes_some(NodeId node) const;

    const Cluster& cluster_;
    StateCache& states_;
    const PlaceOptions& options_;
    LeafTrees& trees_;
    VariantCache& cache_;
    const NodeFilter& filter_;
    RefusalWords words_;
    StepBudget budget_;
    std::vector<NodeRules> rules_;       ///< by group of the request
    std::vector<NodeCounts> counts_;     ///< by group of the request
    std::vector<std::int64_t> sizes_;    ///< nodes, by group of the request
    NodeSet required_;                   ///< by any group
    std::vector<PartGroup> parts_;       ///< of the even split, on the last numbers of nodes
    std::optional<SplitSearch> splits_;  ///< the others, where there are any
    StepBudget split_budget_;            ///< of splits_
    SharedFits fits_;                    ///< where groups share nodes
    std::uint64_t split_steps_left_;     ///< for all numbers of nodes
    std::uint32_t sizes_tried_ = 0;      ///< of a job of one group
    std::optional<FreeAmounts> candidates_free_;      ///< of the nodes that the filter names
    std::optional<std::optional<Refusal>> shortage_;  ///< of the parts tried last, once asked
    std::optional<Refusal> network_refusal_;
    bool has_given_up_ = false;     ///< for some numbers of nodes
    bool has_left_splits_ = false;  ///< for some numbers of nodes
};

/// The placement of the first alternative that has one, or why there is none. A search for splits
/// that gave up does not end the row; if there is no answer, that is reported instead of a no.
[[nodiscard]] Verdict<Placement> decide_job(RequestCache& job, const Cluster& cluster,
                                            StateCache& states, const PlaceOptions& options,
                                            LeafTrees& trees, const NodeFilter& filter,
                                            RefusalWords words);

}  // namespace trestle::detail
