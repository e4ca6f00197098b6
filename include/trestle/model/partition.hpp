// SPDX-License-Identifier: Apache-2.0
#pragma once

// Partitions: sets of nodes with a name that may overlap, and the limits of jobs in them.
//
// Layer: model. Main types: Partition, OverSubscribe. The names and meanings are those of
// PartitionName= lines in slurm.conf, which each field names. refuse(partition, request) says what
// no free node can mend: a request that is refused never runs there.
// A reader would get wrong: max_cpus_per_node is of all jobs of the partition on a node together,
// max_memory_per_node of each job.

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/request.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

/// Whether a partition takes and starts jobs (State). up: both. down: it takes them and starts
/// none. drain: it takes none and starts those it has. inactive: neither.
enum class PartitionState { up, down, drain, inactive };

constexpr auto enum_names(PartitionState) {
    using enum PartitionState;
    return std::array{named(up, "up"), named(down, "down"), named(drain, "drain"),
                      named(inactive, "inactive")};
}

/// Whether jobs may share cores (OverSubscribe). no: never. yes: those that ask for it. force: all,
/// whatever they ask for. exclusive: never, and each has its nodes alone.
enum class OverSubscribe { no, yes, force, exclusive };

constexpr auto enum_names(OverSubscribe) {
    using enum OverSubscribe;
    return std::array{named(no, "no"), named(yes, "yes"), named(force, "force"),
                      named(exclusive, "exclusive")};
}

/// A named set of nodes with limits; partitions may overlap. What is absent is not limited.
struct Partition {
    std::string name;
    NodeSet nodes;
    bool is_default = false;  ///< for jobs that name none (Default)
    PartitionState state = PartitionState::up;
    Range<Count> nodes_per_job;           ///< MinNodes, MaxNodes
    std::optional<Seconds> max_time;      ///< MaxTime
    std::optional<Seconds> default_time;  ///< of jobs without a limit (DefaultTime)
    /// Of one node, for all jobs of the partition together (MaxCPUsPerNode).
    std::optional<Count> max_cpus_per_node;
    std::optional<Bytes> max_memory_per_node;  ///< of one node, for each job (MaxMemPerNode)
    OverSubscribe oversubscribe = OverSubscribe::no;
    Count jobs_per_core{4};  ///< that may share one where any may (the n of YES:n and FORCE:n)

    static constexpr auto fields(auto list) {
        return list(field("name", &Partition::name), field("nodes", &Partition::nodes),
                    field("is_default", &Partition::is_default), field("state", &Partition::state),
                    field("nodes_per_job", &Partition::nodes_per_job),
                    field("max_time", &Partition::max_time),
                    field("default_time", &Partition::default_time),
                    field("max_cpus_per_node", &Partition::max_cpus_per_node),
                    field("max_memory_per_node", &Partition::max_memory_per_node),
                    field("oversubscribe", &Partition::oversubscribe),
                    field("jobs_per_core", &Partition::jobs_per_core));
    }
    friend bool operator==(const Partition&, const Partition&) = default;
};

/// Ok when the limits can be met: a rising range of nodes that holds 1 or more, some CPU, at least
/// one job a core, and a default time that is not above the longest.
/// Errors: InvalidArgument that names partition and field.
[[nodiscard]] Status check(const Partition& partition);

/// How long the job may run: what it asks for, else default_time, else max_time; absent: for ever.
[[nodiscard]] std::optional<Seconds> effective_time_limit(const Partition& partition,
                                                          const Request& request);

/// Whether the job has its nodes alone: as it asks, but always where the partition is exclusive,
/// and never where it forces jobs to share.
[[nodiscard]] Exclusivity effective_exclusivity(const Partition& partition, const Request& request);

/// How many jobs may share a core that this one has, when it asks for `wanted`: the rows of
/// FitOptions.
[[nodiscard]] std::uint32_t effective_rows(const Partition& partition, std::uint32_t wanted);

namespace detail {

/// The largest number of nodes that the job accepts and the partition allows and has, or nothing.
[[nodiscard]] std::optional<Count> most_nodes_in(const Partition& partition,
                                                 const Request& request);

[[nodiscard]] std::string asked_nodes(const Request& request);

/// What the node with the most tasks gives at least, when there are `nodes`.
struct NodeLeast {
    Count cpus;
    Bytes memory;
};
[[nodiscard]] NodeLeast least_of_fullest(const Request& request, Count nodes);

}  // namespace detail

/// Why the partition never takes this request, or nothing: its state is not up; more or fewer nodes
/// than it allows or has; a time limit above max_time; on the fullest node more CPUs than
/// max_cpus_per_node or more memory than max_memory_per_node, as far as the request alone tells
/// (memory counted per node or CPU; cores are given whole and may be more). Of a request with
/// components the first group is asked about; ask about the others with the job's time limit.
/// Requires: check() is ok for both. Complexity: linear in node_counts.
[[nodiscard]] std::optional<Refusal> refuse(const Partition& partition, const Request& request);

}  // namespace trestle
