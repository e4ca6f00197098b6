// SPDX-License-Identifier: Apache-2.0
#pragma once

// The SLURM_* variables that a job, its part on a node, and a task see.
//
// Layer: dialect/slurm. Main types: JobContext, TaskContext; job_environment, node_environment,
// task_environment. Which devices a runtime shows (CUDA_VISIBLE_DEVICES and its kin) is the plan's
// business. Checked against what clients of the three releases set.
// Pitfall: SLURM_TASKS_PER_NODE deals the tasks out by CPUs alone, one to each node in turn, as
// Slurm's clients do. Where tasks are bound to devices it may differ from where they run.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"
#include "trestle/dialect/slurm/print.hpp"
#include "trestle/enforce/process/environment.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle::slurm {

/// One task of a job array.
struct ArrayElement {
    std::uint64_t array_id = 0;  ///< the job id of the array
    std::uint32_t task_id = 0;
    JobArray array;  ///< with at least one task

    static constexpr auto fields(auto list) {
        return list(field("array_id", &ArrayElement::array_id),
                    field("task_id", &ArrayElement::task_id), field("array", &ArrayElement::array));
    }
    friend bool operator==(const ArrayElement&, const ArrayElement&) = default;
};

/// A job that has its nodes.
struct JobContext {
    std::uint64_t id = 0;
    /// Resolved, with what the controller has changed. Of a step ntasks is always known. ntasks
    /// goes before ntasks_per_node: absent where each node has so many tasks, of 22.05 in any case.
    JobOptions options;
    std::vector<NodeGrant> nodes;  ///< in the order of the nodes; one or more
    std::optional<ArrayElement> array_element;
    bool packs_nodes = false;  ///< CR_PACK_NODES: a node is filled before the next one

    static constexpr auto fields(auto list) {
        return list(field("id", &JobContext::id), field("options", &JobContext::options),
                    field("nodes", &JobContext::nodes),
                    field("array_element", &JobContext::array_element),
                    field("packs_nodes", &JobContext::packs_nodes));
    }
    friend bool operator==(const JobContext&, const JobContext&) = default;
};

/// One task of a step.
struct TaskContext {
    std::uint32_t node = 0;   ///< a position in JobContext::nodes
    std::uint32_t task = 0;   ///< in the step, from 0
    std::uint32_t local = 0;  ///< among those on its node, a position in `cpus`
    /// The CPUs, as the kernel numbers them, of each task of the step on this node.
    std::vector<PuSet> cpus;
    SmallSet<> gpus;  ///< the step's on this node, by index

    static constexpr auto fields(auto list) {
        return list(field("node", &TaskContext::node), field("task", &TaskContext::task),
                    field("local", &TaskContext::local), field("cpus", &TaskContext::cpus),
                    field("gpus", &TaskContext::gpus));
    }
    friend bool operator==(const TaskContext&, const TaskContext&) = default;
};

/// How many tasks the clients deal to each node: one a node in turn while it has CPUs for one more,
/// then regardless of CPUs. Planes where -m plane=n asks for them; with packs_nodes as many to one
/// node as it has CPUs for. Without a number of tasks as many as there are CPUs for. A task has one
/// CPU at least. Requires: there is a node. Complexity: n log c in the nodes and their CPUs,
/// however many tasks there are.
[[nodiscard]] std::vector<Count> tasks_per_node(const JobContext& job);

/// What is the same on all nodes: SLURM_JOB_ID, SLURM_JOB_NODELIST, SLURM_NODELIST,
/// SLURM_JOB_NUM_NODES, SLURM_NNODES, SLURM_TASKS_PER_NODE, SLURM_JOB_CPUS_PER_NODE. Then, where
/// they were asked for, SLURM_NTASKS, SLURM_NTASKS_PER_NODE, _PER_SOCKET and _PER_CORE,
/// SLURM_CPUS_PER_TASK, SLURM_DISTRIBUTION, SLURM_MEM_PER_NODE, _CPU or _GPU (MiB). Of an array
/// also SLURM_ARRAY_JOB_ID, _TASK_ID, _TASK_COUNT, _TASK_MIN, _TASK_MAX. In this order. Names of
/// nodes may be any text (node_list_text). Requires: there is a node; the array has a task.
/// Complexity: as tasks_per_node; linear in the ids of an array where ranges with steps overlap.
[[nodiscard]] std::vector<EnvironmentVariable> job_environment(const JobContext& job);

/// What differs between nodes: SLURM_NODEID, SLURM_CPUS_ON_NODE and, where the job has such,
/// SLURM_JOB_GPUS, SLURM_GPUS_ON_NODE, SLURM_SHARDS_ON_NODE. Requires: node < job.nodes.size().
[[nodiscard]] std::vector<EnvironmentVariable> node_environment(const JobContext& job,
                                                                std::size_t node);

/// What differs between tasks: SLURM_PROCID, SLURM_LOCALID, SLURM_CPU_BIND
/// (`quiet,mask_cpu:0x3,0xc`, a mask for each task of the node) and SLURM_STEP_GPUS.
[[nodiscard]] std::vector<EnvironmentVariable> task_environment(const TaskContext& task);

}  // namespace trestle::slurm
