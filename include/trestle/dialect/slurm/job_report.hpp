// SPDX-License-Identifier: Apache-2.0
#pragma once

// How Slurm words what became of a job: its state, exit code, reason and times.
//
// Layer: dialect/slurm. Main types: State, EndCause, Reason; state_of, exit_code_text, reason_of,
// duration_text. Each text is read back by the function beside it.
// Pitfall: a job that was killed for memory has the exit code 0:125, whatever signal ended its
// processes.

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "trestle/base/enums.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/enforce/process/job_end.hpp"
#include "trestle/enforce/process/outcome.hpp"
#include "trestle/model/partition.hpp"
#include "trestle/model/request.hpp"

namespace trestle::slurm {

/// The state of a job, by the words of squeue and sacct.
enum class State {
    pending,
    running,
    suspended,
    completing,
    completed,
    cancelled,
    failed,
    timeout,
    node_fail,
    preempted,
    out_of_memory,
};

constexpr auto enum_names(State) {
    using enum State;
    return std::array{named(pending, "PENDING"),
                      named(running, "RUNNING"),
                      named(suspended, "SUSPENDED"),
                      named(completing, "COMPLETING"),
                      named(completed, "COMPLETED"),
                      named(cancelled, "CANCELLED"),
                      named(failed, "FAILED"),
                      named(timeout, "TIMEOUT"),
                      named(node_fail, "NODE_FAIL"),
                      named(preempted, "PREEMPTED"),
                      named(out_of_memory, "OUT_OF_MEMORY")};
}

/// `PD`, `R`, `S`, `CG`, `CD`, `CA`, `F`, `TO`, `NF`, `PR`, `OOM`.
[[nodiscard]] std::string_view short_text(State state);

/// A state by its word or its short form, in any case; what follows a blank or `+` is passed over,
/// as in `CANCELLED by 1000`. Errors: InvalidArgument that names the nearest word.
[[nodiscard]] StatusOr<State> parse_state(std::string_view text);

/// What ended a job, if not the job itself.
enum class EndCause { none, user, time_limit, preemption, node };

constexpr auto enum_names(EndCause) {
    using enum EndCause;
    return std::array{named(none, "none"), named(user, "user"), named(time_limit, "time_limit"),
                      named(preemption, "preemption"), named(node, "node")};
}

/// The state of a job that ended so. Out of memory comes first, whatever ended the rest of it.
[[nodiscard]] State state_of(const Outcome& outcome, EndCause cause = EndCause::none);

/// The same for a job that an EndSequence ended. A shutdown is the node's going.
[[nodiscard]] State state_of(const JobEnd& end);

/// `code:signal`: `0:0`, `3:0`, `0:9`, and `0:125` for a job that was killed for memory.
[[nodiscard]] std::string exit_code_text(const Outcome& outcome);

/// The same read back. Errors: InvalidArgument for another form, a code above 255 or a signal above
/// 127.
[[nodiscard]] StatusOr<Outcome> parse_exit_code(std::string_view text);

/// Why a job waits, by the words of squeue.
enum class Reason {
    none,
    resources,
    partition_config,
    partition_node_limit,
    partition_time_limit,
    partition_down,
    partition_inactive,
    memory_limit,
    node_not_available,
    node_may_be_reserved,  ///< layers of --resources have too little for so many nodes
    licenses,
    no_unit,              ///< no unit of the network, such as a block, has enough free nodes
    no_unit_for_segment,  ///< the same of a segment
    too_little_in_unit,   ///< units have the nodes but not what else is asked for
};

constexpr auto enum_names(Reason) {
    using enum Reason;
    return std::array{named(none, "None"),
                      named(resources, "Resources"),
                      named(partition_config, "PartitionConfig"),
                      named(partition_node_limit, "PartitionNodeLimit"),
                      named(partition_time_limit, "PartitionTimeLimit"),
                      named(partition_down, "PartitionDown"),
                      named(partition_inactive, "PartitionInactive"),
                      named(memory_limit, "MaxMemPerLimit"),
                      named(node_not_available, "ReqNodeNotAvail"),
                      named(node_may_be_reserved, "ReqNodeNotAvail,_May_be_reserved_for_other_job"),
                      named(licenses, "Licenses"),
                      named(no_unit, "No_suitable_topology_unit_found"),
                      named(no_unit_for_segment, "No_suitable_topology_unit_found_for_segment"),
                      named(too_little_in_unit, "Insufficient_resources_in_topology_unit")};
}

/// Slurm's reason for a refusal of the allocator to a job of the partition. A refusal by the
/// partition has the reason of refuse(). Licenses: counts of the cluster. ReqNodeNotAvail: nodes
/// are named and do not take work. Else Resources.
[[nodiscard]] Reason reason_of(const Partition& partition, const Request& request,
                               const Refusal& refusal);

/// `00:05:00`, `1-00:00:00`: with days from a day on; `UNLIMITED` without a limit. read_time reads
/// it back, rounded up to minutes.
[[nodiscard]] std::string duration_text(std::optional<Seconds> duration);

}  // namespace trestle::slurm
