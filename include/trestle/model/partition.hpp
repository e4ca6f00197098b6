// SPDX-License-Identifier: Apache-2.0
#pragma once

// Partitions: sets of nodes with a name that may overlap, and the limits of jobs in them.
//
// Layer: model. Main types: Partition, OverSubscribe. The names and meanings are those of
// PartitionName= lines in slurm.conf, which each field names. refuse(partition, request) says what
// no free node can mend: a request that is refused never runs there.
// A reader would get wrong: max_cpus_per_node is of all jobs of the partition on a node together,
// max_memory_per_node of each job.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/status.hpp"
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
[[nodiscard]] inline Status check(const Partition& partition) {
    const auto bad = [&](const char* what) {
        return invalid_argument("partition {}: {}", partition.name, what);
    };
    const Range<Count>& nodes = partition.nodes_per_job;
    if (!detail::runs_upwards(nodes) || nodes.max == Count(0)) {
        return bad("nodes_per_job: expected a rising range that holds 1 or more");
    }
    if (partition.max_cpus_per_node == Count(0)) {
        return bad("max_cpus_per_node: 0, expected 1 or more");
    }
    if (partition.jobs_per_core.is_zero()) return bad("jobs_per_core: 0, expected 1 or more");
    if (partition.max_time && partition.default_time &&
        *partition.max_time < *partition.default_time) {
        return bad("default_time: expected at most max_time");
    }
    return {};
}

/// How long the job may run: what it asks for, else default_time, else max_time; absent: for ever.
[[nodiscard]] inline std::optional<Seconds> effective_time_limit(const Partition& partition,
                                                                 const Request& request) {
    if (request.time_limit) return request.time_limit;
    return partition.default_time ? partition.default_time : partition.max_time;
}

/// Whether the job has its nodes alone: as it asks, but always where the partition is exclusive,
/// and never where it forces jobs to share.
[[nodiscard]] inline Exclusivity effective_exclusivity(const Partition& partition,
                                                       const Request& request) {
    switch (partition.oversubscribe) {
        case OverSubscribe::exclusive:
            return Exclusivity::whole_node;
        case OverSubscribe::force:
            return Exclusivity::shared;
        default:
            return request.exclusivity;
    }
}

/// How many jobs may share a core that this one has, when it asks for `wanted`: the rows of
/// FitOptions.
[[nodiscard]] inline std::uint32_t effective_rows(const Partition& partition,
                                                  std::uint32_t wanted) {
    constexpr std::int64_t limit = std::numeric_limits<std::uint32_t>::max();
    const auto most = static_cast<std::uint32_t>(std::min(partition.jobs_per_core.value(), limit));
    switch (partition.oversubscribe) {
        case OverSubscribe::yes:
            return std::min(wanted, most);
        case OverSubscribe::force:
            return most;
        default:
            return 1;
    }
}

namespace detail {

/// The largest number of nodes that the job accepts and the partition allows and has, or nothing.
[[nodiscard]] inline std::optional<Count> most_nodes_in(const Partition& partition,
                                                        const Request& request) {
    const Count there(static_cast<std::int64_t>(partition.nodes.count()));
    auto allowed = intersect(request.nodes, partition.nodes_per_job);
    if (allowed) allowed = intersect(*allowed, {Count(1), there});
    if (!allowed) return std::nullopt;
    if (request.node_counts.empty()) return allowed->max;
    std::optional<Count> most;
    for (const Count count : request.node_counts) {
        if (allowed->contains(count)) most = count;
    }
    return most;
}

[[nodiscard]] inline std::string asked_nodes(const Request& request) {
    if (request.node_counts.empty()) return to_text(request.nodes);
    std::string text;
    for (const Count count : request.node_counts) {
        text += (text.empty() ? "" : ",") + to_text(count);
    }
    return text;
}

/// What the node with the most tasks gives at least, when there are `nodes`.
struct NodeLeast {
    Count cpus;
    Bytes memory;
};
[[nodiscard]] inline NodeLeast least_of_fullest(const Request& request, Count nodes) {
    const auto tasks = div_ceil(request.tasks.value_or(Count(1)), nodes.value()).value();
    const Count cpus = checked_mul(request.cpus_per_task.least(), tasks).value_or(Count::max());
    const auto milli = checked_mul(request.milli_cpus, tasks).value_or(MilliCpu::max());
    const std::int64_t units = request.memory_per == Per::cpu ? cpus.value() : 1;
    return {checked_add(cpus, Count(div_ceil(milli, 1000).value())).value_or(Count::max()),
            checked_mul(request.memory.least(), units).value_or(Bytes::max())};
}

}  // namespace detail

/// Why the partition never takes this request, or nothing: its state is not up; more or fewer nodes
/// than it allows or has; a time limit above max_time; on the fullest node more CPUs than
/// max_cpus_per_node or more memory than max_memory_per_node, as far as the request alone tells
/// (memory counted per node or CPU; cores are given whole and may be more). Of a request with
/// components the first group is asked about; ask about the others with the job's time limit.
/// Requires: check() is ok for both. Complexity: linear in node_counts.
[[nodiscard]] inline std::optional<Refusal> refuse(const Partition& partition,
                                                   const Request& request) {
    const auto no = [&](std::string why) {
        return Refusal{Constraint::partition, "partition " + partition.name + " " + std::move(why)};
    };
    if (partition.state != PartitionState::up) return no(fmt::format("is {}", partition.state));
    const auto nodes = detail::most_nodes_in(partition, request);
    if (!nodes) {
        return no(fmt::format("has {} nodes, {} a job, asked {}", partition.nodes.count(),
                              partition.nodes_per_job, detail::asked_nodes(request)));
    }
    if (request.time_limit && partition.max_time && *partition.max_time < *request.time_limit) {
        return no(fmt::format("runs jobs for at most {} s, asked {}", *partition.max_time,
                              *request.time_limit));
    }
    const auto [cpus, memory] = detail::least_of_fullest(request, *nodes);
    if (partition.max_cpus_per_node && *partition.max_cpus_per_node < cpus) {
        return no(
            fmt::format("gives {} CPUs of a node, asked {}", *partition.max_cpus_per_node, cpus));
    }
    if (partition.max_memory_per_node && *partition.max_memory_per_node < memory) {
        return no(fmt::format("gives {} of memory of a node, asked {}",
                              *partition.max_memory_per_node, memory));
    }
    return std::nullopt;
}

}  // namespace trestle
