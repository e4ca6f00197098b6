// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which nodes, cores, devices and memory Slurm would give to a job.
//
// Layer: dialect/slurm. Main names: select, SelectRules. The rules are those of the plugin
// select/cons_tres with switches, blocks, rings, tori or no topology, as observed of slurmctld
// 22.05, 24.11 and 26.05 (SelectRules::release). How often the answers agree with recorded ones:
// tests/golden/slurm_oracle.md (22.05) and release_test.cpp (all).
// Pitfall: the choice is greedy, as Slurm's is, and may find nothing where place() finds something,
// or choose devices far from the cores. For good answers use place().

#include <string>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/dialect/slurm/choice/decision.hpp"
#include "trestle/dialect/slurm/choice/job_tres.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"
#include "trestle/dialect/slurm/conf/parameters.hpp"
#include "trestle/dialect/slurm/conf/partition_conf.hpp"
#include "trestle/dialect/slurm/conf/resources_conf.hpp"
#include "trestle/dialect/slurm/conf/slurm_conf.hpp"
#include "trestle/dialect/slurm/conf/topology_conf.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"
#include "trestle/dialect/slurm/release.hpp"

namespace trestle::slurm {

/// What the choice depends on beside the cluster.
struct SelectRules {
    ClusterParameters parameters;
    std::vector<PartitionLine> partitions;  ///< by name those of the cluster
    /// Nodes in Slurm's order: by name, numbers in names by value (n2 before n10), or as the
    /// release ranks them. Empty: the cluster's own order is this order.
    std::vector<NodeId> node_order;
    /// The topology of partitions that name none (BuiltCluster::default_topology). Empty: the first
    /// tree of the cluster.
    std::string default_topology;
    std::vector<TorusPlacement> placements;  ///< of tori (BuiltCluster::placements)
    std::vector<LayeredResource> resources;  ///< for --resources (BuiltCluster::resources)
    std::vector<InvalidNodes> invalid;  ///< that the release does not use; their state says so too
    /// Nodes whose Gres= gives shards or MPS a type, which grants then have: `shard:l40s:4`.
    Hostlist typed_parts;
    std::vector<DownLine> reasons;  ///< Reason= of nodes in that state; of several the last counts
    Release release = default_release;
    TypedCounts typed = TypedCounts::by_device;  ///< devices that count under their types

    static constexpr auto fields(auto list) {
        return list(field("parameters", &SelectRules::parameters),
                    field("partitions", &SelectRules::partitions),
                    field("node_order", &SelectRules::node_order),
                    field("default_topology", &SelectRules::default_topology),
                    field("placements", &SelectRules::placements),
                    field("resources", &SelectRules::resources),
                    field("invalid", &SelectRules::invalid),
                    field("typed_parts", &SelectRules::typed_parts),
                    field("reasons", &SelectRules::reasons),
                    field("release", &SelectRules::release), field("typed", &SelectRules::typed));
    }
    friend bool operator==(const SelectRules&, const SelectRules&) = default;
};

/// The rules of a configuration and of the cluster that build_cluster made of it; which topology is
/// the default one stands in BuiltCluster. Nodes are ranked as in default_release; a Controller
/// ranks them as in its own release. Complexity: n log n in the nodes.
[[nodiscard]] SelectRules select_rules_of(const SlurmConf& conf, const Cluster& cluster);

/// What Slurm would answer to the job now. Options need not be resolved.
///
/// allocated: `placement` can be committed; its cores and devices are in Slurm's order. pending,
/// with a reason. Resources: an emptier cluster could serve the job. As in Slurm, cores, devices
/// and memory of the chosen nodes are not tried for this answer. ReqNodeNotAvail: the nodes that
/// take work would not suffice even if idle. PartitionConfig, PartitionTimeLimit: a limit of the
/// partition forbids it. PartitionDown, Licenses. refused: options that resolve() refuses, unknown
/// names, and what no nodes can serve.
///
/// Beyond the recorded rules:
/// - MinNodes raises the nodes of a job, MaxCPUsPerSocket bounds what the partition's jobs have of
///   each socket. A slurmctld 22.05 does not start with that key, which is of 23.02.
/// - --core-spec and --thread-spec mean nothing without AllowSpecResourcesUsage. Cores that they
///   set aside may go to other jobs, where Slurm lets none on the node.
/// - --overcommit takes CPUs as for one task a node; devices are still one for each that asks.
/// - Jobs share cores where OverSubscribe=FORCE, or YES and --oversubscribe: first free ones, then
///   row by row of their partition (NodePlacement::row). Where a partition of several rows has
///   jobs, no others have their cores alone, but those of the first row of that partition. With
///   --exclusive a job of FORCE has all of a node in its row, of FORCE:1 the node. Rows stay as
///   they are when jobs end, where Slurm packs them anew, and partitions of a lower PriorityTier
///   are not looked through.
/// - pack_serial_at_end, spec_cores_first, LL_SHARED_GRES and ENFORCE_BINDING_GRES are followed.
///   CR_PACK_NODES changes nothing here: it is about tasks that start (JobContext::packs_nodes).
/// - RestrictedCoresPerGPU: cores that GPUs keep are busy for jobs that ask for no GPU and no part
///   of one. Other jobs have no more of them than their GPUs on the node bring. A job that has
///   cores for more GPUs than it asks for waits in 26.05, and has all GPUs of the node in 24.11.
/// - Of one node some GPUs may have files and others none: those with files are given first.
/// - --gres-flags=one-task-per-sharing is refused without MULTIPLE_SHARING_GRES_PJ.
/// - --prefer is tried before --constraint, and instead of it.
/// - DefCpuPerGPU counts as --cpus-per-gpu where neither that nor CPUs of a task nor
///   --ntasks-per-gpu were said, DefMemPerGPU as --mem-per-gpu where no memory was. Those of the
///   partition go before the cluster's, and DefMemPerGPU before DefMemPerCPU and DefMemPerNode.
/// - MaxMemPerNode and MaxMemPerCPU of a partition hide both of the cluster. MaxMemPerNode sees
///   memory per CPU for the CPUs of a node that are known before nodes are chosen, and all CPUs of
///   whole nodes. Memory per GPU it does not see.
/// - Whole nodes come with all GRES, bare numbers too, but without those of Flags=explicit that the
///   job does not ask for.
/// - Of several partitions EnforcePartLimits=ALL wants the limits of each to hold, ANY those of
/// one.
/// - A partition's jobs are placed in the topology that its Topology= names.
/// - topology/block: a job is in one block of the lowest level that holds the least of -N, or in
///   the whole cluster above the largest. --segment, --spread-segments, --consolidate-segments and
///   --exclusive=topo are followed, by release. --switches, --spread-job and LLN mean nothing
///   there.
/// - topology/ring: a job or a segment is one run of neighbours; topology/torus3d: a job is one box
/// of a placement of exactly as many nodes.
/// - What runs with --exclusive=topo is known to a Controller; here no job has its blocks alone.
/// - select/linear knows GRES by node alone: --gpus, --gpus-per-socket, --gpus-per-task,
///   --tres-per-task, --ntasks-per-gpu, --cpus-per-gpu and --mem-per-gpu are refused there.
///
/// Not looked at, and named in `warnings` where it would matter: --nodefile,
/// --distribution=arbitrary, --resources, --reservation, --exclusive=user and mcs, --begin,
/// --dependency, --hold. ExclusiveUser of the partition, select/linear (whose nodes are whole),
/// CR_Memory alone, TopologyParam=Dragonfly,
/// preemption.
///
/// Requires: partitions of the rules are the cluster's. Complexity: a choice is n log n in the
/// nodes, at little cost each. Nodes with equal descriptions and equal free resources are evaluated
/// once. There may be many choices. Slurm's rules begin with the nodes of the least weight, and add
/// weight after weight. If such a group gives enough in sum but no choice succeeds, it is tried
/// again without the nodes that have least, size after size. Groups that give too little cost only
/// their sum. Required nodes (-w) and leaf switches count once more each. Each group of neighbours
/// that is taken is compared with all others of its weight that have the CPUs still needed. It is
/// compared with all of them where nodes or devices are missing and no CPUs. For one job after
/// another a Selector is faster, which looks at the nodes once.
[[nodiscard]] Decision select(const Cluster& cluster, const JobOptions& options,
                              const SelectRules& rules);

}  // namespace trestle::slurm
