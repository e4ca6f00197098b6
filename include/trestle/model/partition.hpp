// SPDX-License-Identifier: Apache-2.0
#pragma once

// Partitions: sets of nodes with a name that may overlap, and the limits of jobs in them.
//
// Layer: model. Main types: Partition, Partition::OverSubscribe. The names and meanings are those
// of PartitionName= lines in slurm.conf, which each field names.
// Pitfall: max_cpus_per_node is of all jobs of the partition on a node together,
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

/// A named set of nodes with limits; partitions may overlap. What is absent is not limited.
struct Partition {
    /// Whether jobs may share cores (OverSubscribe). `no`: never. `yes`: those that ask
    /// for it. `force`: all, whatever they ask for. `exclusive`: never, and each has its nodes
    /// alone.
    enum class OverSubscribe { no, yes, force, exclusive };

    /// Whether a partition takes and starts jobs (State). `up`: both. `down`: it takes them and
    /// starts none. `drain`: it takes none and starts those it has. `inactive`: neither.
    enum class State { up, down, drain, inactive };

    std::string name;
    NodeSet nodes;
    bool is_default = false;  ///< for jobs that name none (Default)
    State state = State::up;
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

constexpr auto enum_names(Partition::OverSubscribe) {
    using enum Partition::OverSubscribe;
    return std::array{named(no, "no"), named(yes, "yes"), named(force, "force"),
                      named(exclusive, "exclusive")};
}

constexpr auto enum_names(Partition::State) {
    using enum Partition::State;
    return std::array{named(up, "up"), named(down, "down"), named(drain, "drain"),
                      named(inactive, "inactive")};
}

/// Ok when the limits can be met. The range of nodes rises and holds 1 or more, and there is some
/// CPU. A core may have at least one job, and the default time is not above the longest.
/// Errors: InvalidArgument that names partition and field.
[[nodiscard]] Status check(const Partition& partition);

}  // namespace trestle
