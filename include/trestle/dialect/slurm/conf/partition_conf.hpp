// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the PartitionName lines of slurm.conf say.
//
// Layer: dialect/slurm. Main types: PartitionLine, JobDefaults; read_slurm_conf in slurm_conf.hpp
// reads them, build_cluster in cluster_from_conf.hpp makes Partitions of them.
// Pitfall: nodes are names as written, among them names of node sets, until build_cluster looks
// them up.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/conf_error.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"
#include "trestle/dialect/slurm/tres.hpp"
#include "trestle/model/partition.hpp"

namespace trestle::slurm {

/// What jobs have that do not say, and the most that they may have; of the cluster or of a
/// partition. Absent: not said. Amounts of 0 are no limit, as in slurm.conf.
struct JobDefaults {
    std::optional<Bytes> memory_per_cpu;   ///< DefMemPerCPU
    std::optional<Bytes> memory_per_node;  ///< DefMemPerNode
    std::optional<Bytes> memory_per_gpu;   ///< DefMemPerGPU
    std::optional<Count> cpus_per_gpu;     ///< DefCpuPerGPU
    std::optional<Bytes> max_memory_per_cpu;
    std::optional<Bytes> max_memory_per_node;

    static constexpr auto fields(auto list) {
        return list(field("memory_per_cpu", &JobDefaults::memory_per_cpu),
                    field("memory_per_node", &JobDefaults::memory_per_node),
                    field("memory_per_gpu", &JobDefaults::memory_per_gpu),
                    field("cpus_per_gpu", &JobDefaults::cpus_per_gpu),
                    field("max_memory_per_cpu", &JobDefaults::max_memory_per_cpu),
                    field("max_memory_per_node", &JobDefaults::max_memory_per_node));
    }
    friend bool operator==(const JobDefaults&, const JobDefaults&) = default;
};

/// What happens to a job that has to make room (PreemptMode). within and priority say which jobs
/// may preempt which, beside one of the others.
enum class PreemptMode { off, cancel, gang, requeue, suspend, within, priority };

constexpr auto enum_names(PreemptMode) {
    using enum PreemptMode;
    return std::array{named(off, "off"),          named(cancel, "cancel"),
                      named(gang, "gang"),        named(requeue, "requeue"),
                      named(suspend, "suspend"),  named(within, "within"),
                      named(priority, "priority")};
}

/// One PartitionName line.
struct PartitionLine {
    ConfPlace place;
    std::string name;
    Hostlist nodes;              ///< names of nodes and of node sets
    bool has_all_nodes = false;  ///< Nodes=ALL
    bool is_default = false;
    Partition::State state = Partition::State::up;
    std::uint32_t min_nodes = 0;
    std::optional<std::uint32_t> max_nodes;
    std::optional<Seconds> max_time;      ///< absent: no limit
    std::optional<Seconds> default_time;  ///< absent: max_time
    std::optional<Count> max_cpus_per_node;
    std::optional<Count> max_cpus_per_socket;
    JobDefaults defaults;
    Partition::OverSubscribe oversubscribe =
        Partition::OverSubscribe::no;     ///< OverSubscribe, of old Shared
    std::uint32_t jobs_per_resource = 4;  ///< the n of YES:n and FORCE:n
    bool is_user_exclusive = false;       ///< ExclusiveUser
    bool is_topology_exclusive = false;   ///< ExclusiveTopo
    bool takes_least_loaded = false;      ///< LLN
    std::uint32_t priority_tier = 1;
    std::uint32_t priority_job_factor = 1;
    std::vector<PreemptMode> preempt_modes;  ///< empty: the cluster's
    Seconds grace_time;
    std::optional<Seconds> over_time_limit;  ///< absent: the cluster's
    BillingWeights billing;                  ///< TRESBillingWeights
    std::string topology;                    ///< absent: the default one
    std::string qos;
    std::vector<PassthroughKey> passthrough;  ///< AllowGroups, AllocNodes, Hidden, ...

    static constexpr auto fields(auto list) {
        return list(
            field("place", &PartitionLine::place), field("name", &PartitionLine::name),
            field("nodes", &PartitionLine::nodes),
            field("has_all_nodes", &PartitionLine::has_all_nodes),
            field("is_default", &PartitionLine::is_default), field("state", &PartitionLine::state),
            field("min_nodes", &PartitionLine::min_nodes),
            field("max_nodes", &PartitionLine::max_nodes),
            field("max_time", &PartitionLine::max_time),
            field("default_time", &PartitionLine::default_time),
            field("max_cpus_per_node", &PartitionLine::max_cpus_per_node),
            field("max_cpus_per_socket", &PartitionLine::max_cpus_per_socket),
            field("defaults", &PartitionLine::defaults),
            field("oversubscribe", &PartitionLine::oversubscribe),
            field("jobs_per_resource", &PartitionLine::jobs_per_resource),
            field("is_user_exclusive", &PartitionLine::is_user_exclusive),
            field("is_topology_exclusive", &PartitionLine::is_topology_exclusive),
            field("takes_least_loaded", &PartitionLine::takes_least_loaded),
            field("priority_tier", &PartitionLine::priority_tier),
            field("priority_job_factor", &PartitionLine::priority_job_factor),
            field("preempt_modes", &PartitionLine::preempt_modes),
            field("grace_time", &PartitionLine::grace_time),
            field("over_time_limit", &PartitionLine::over_time_limit),
            field("billing", &PartitionLine::billing), field("topology", &PartitionLine::topology),
            field("qos", &PartitionLine::qos), field("passthrough", &PartitionLine::passthrough));
    }
    friend bool operator==(const PartitionLine&, const PartitionLine&) = default;
};

}  // namespace trestle::slurm
