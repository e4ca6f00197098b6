// SPDX-License-Identifier: Apache-2.0
#pragma once

// JobState: an allocation as something to allocate from. Steps take parts of it and give them back,
// and nodes leave it and join it while it runs.
//
// Layer: alloc. Main types: JobState (a value), JobStep, JobNode. Which part a step gets is a pure
// function of a job: place_step() in job_steps.hpp; to_text(job) draws it.
// Pitfall: a job knows nothing of the cluster. What remove_node() returns goes to
// Cluster::release_part; what is added has to be the owner's in the cluster too.

#include <array>
#include <span>
#include <string>
#include <vector>

#include "trestle/alloc/node/holding.hpp"
#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

/// A step of a job. The number is the caller's.
using StepId = Id<struct StepIdTag>;

/// A part of a job that runs.
struct JobStep {
    /// Whether what a step has is kept from other steps. Steps that overlap may use all that the
    /// job has, and take nothing away from other steps (srun --overlap).
    enum class Use { alone, overlap };

    StepId id;
    Use use = Use::alone;
    Placement placement;

    /// What it has on the node, or null.
    [[nodiscard]] const NodePlacement* find_node(NodeId node) const;

    static constexpr auto fields(auto list) {
        return list(field("id", &JobStep::id), field("use", &JobStep::use),
                    field("placement", &JobStep::placement));
    }
    friend bool operator==(const JobStep&, const JobStep&) = default;
};

constexpr auto enum_names(JobStep::Use) {
    return std::array{named(JobStep::Use::alone, "alone"), named(JobStep::Use::overlap, "overlap")};
}

/// One node of a job: what the job has there, and what of it no step has. Steps have thousandths of
/// CPUs first of those that the job has, then of the threads of its cores that no step has.
struct JobNode {
    std::string name;
    Shared<NodeShape> shape;
    NodePlacement granted;
    Holding free;

    static constexpr auto fields(auto list) {
        return list(field("name", &JobNode::name), field("shape", &JobNode::shape),
                    field("granted", &JobNode::granted), field("free", &JobNode::free));
    }
    friend bool operator==(const JobNode&, const JobNode&) = default;
};

class JobState {
  public:
    /// A job without an owner and without nodes.
    JobState() = default;

    /// The job that has `allocation`, without steps; `nodes` are the cluster's, by NodeId.
    /// Errors: InvalidArgument for nodes that do not exist, stand twice or out of order; otherwise
    /// those of add_node.
    [[nodiscard]] static StatusOr<JobState> create(std::span<const Node> nodes,
                                                   const Allocation& allocation);

    [[nodiscard]] OwnerId owner() const { return owner_; }
    /// By NodeId.
    [[nodiscard]] const std::vector<JobNode>& nodes() const { return nodes_; }
    /// By StepId.
    [[nodiscard]] const std::vector<JobStep>& steps() const { return steps_; }
    /// What the job has now. The request is the one that it was made with.
    [[nodiscard]] Allocation allocation() const;
    /// The job's node, or null.
    [[nodiscard]] const JobNode* find_node(NodeId id) const;
    /// The step that runs, or null.
    [[nodiscard]] const JobStep* find_step(StepId id) const;

    /// Starts a step on the units that it names. Errors: FailedPrecondition when the id runs
    /// already or the job does not have a node or unit. The same when another step has it (the
    /// message names that step). InvalidArgument for a step without nodes, for units that do not
    /// exist, stand twice or out of order. The same for cores in another row or with more threads
    /// than the job has. Nothing changes then.
    [[nodiscard]] Status start(JobStep step);

    /// Ends a step; what it had is the job's to give again.
    /// Errors: NotFound when no step with that id runs.
    [[nodiscard]] StatusOr<JobStep> end(StepId id);

    /// Adds a node with what the job has of it. The entries of the other nodes stay as they are.
    /// Errors: FailedPrecondition when the job has the node, or one of that name, already, and for
    /// more memory than a domain has. InvalidArgument for a node without a name or that check()
    /// refuses, and for units that do not exist, stand twice or out of order. Nothing changes then.
    [[nodiscard]] Status add_node(const Node& node, NodePlacement granted);

    /// Makes what the job has of one of its nodes `whole`, which holds all that it had there, as
    /// after Cluster::extend. What is new no step has. Steps there go on.
    /// Errors: NotFound when the node is not the job's. FailedPrecondition when `whole` lacks a
    /// unit of the job's, is of another row or uses cores otherwise; else those of add_node.
    /// Nothing changes then.
    [[nodiscard]] Status grow_node(NodePlacement whole);

    /// Takes a node out and returns what the job had there, for Cluster::release_part. The entries
    /// of the other nodes stay as they are; the last node may go too.
    /// Errors: NotFound when the node is not the job's; FailedPrecondition while a step runs there,
    /// overlapping or not: the message names the first. Nothing changes then.
    [[nodiscard]] StatusOr<Placement> remove_node(NodeId id);

    friend bool operator==(const JobState&, const JobState&) = default;
    void hash_into(HashState& state) const;

  private:
    /// The steps that keep units of one node from others, as ` (steps 1, 4)`.
    template <class Has>
    [[nodiscard]] std::string holders(NodeId node, Has has) const;
    [[nodiscard]] Status check_step(const JobStep& step) const;
    [[nodiscard]] Status check_cores(const JobNode& node, const NodePlacement& part,
                                     JobStep::Use use) const;
    [[nodiscard]] Status check_milli_cpus(const JobNode& node, const NodePlacement& part,
                                          JobStep::Use use) const;
    [[nodiscard]] Status check_memory(const JobNode& node, const NodePlacement& part,
                                      JobStep::Use use) const;
    [[nodiscard]] Status check_devices(const JobNode& node, const NodePlacement& part,
                                       JobStep::Use use) const;
    /// Applies `move` to what is free on the nodes of the step, with what the step has there.
    void move_units(const JobStep& step, void (*move)(Holding&, const NodePlacement&));
    void move_units(const JobStep& step, JobNode& node,
                    void (*move)(Holding&, const NodePlacement&)) const;
    /// What steps have in thousandths on the node.
    [[nodiscard]] MilliCpu step_milli_cpus(NodeId node) const;

    OwnerId owner_;
    Request request_;
    std::vector<JobNode> nodes_;  ///< by NodeId
    std::vector<JobStep> steps_;  ///< by StepId
};

/// The job's nodes, then pairs of rows, the job's and its steps'. A row has the count on each node,
/// and the set on each node. There is a pair for cores, memory, and each name and type of devices.
/// Thousandths of CPUs have one where there are any; steps may have them of the job's cores too.
///
///     job 7 on n0 n1 n2, steps 0 1
///     cores
///       job   4;4;4 {0-3} {0-3} {0-3}
///       steps 1;1;0 {0} {0} {}
///     gpu
///       job   2;2;2 {0,1} {2,3} {0,2}
///       steps 1;1;0 {0} {2} {}
[[nodiscard]] std::string to_text(const JobState& job);

}  // namespace trestle
