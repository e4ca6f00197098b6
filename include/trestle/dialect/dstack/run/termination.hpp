// SPDX-License-Identifier: Apache-2.0
#pragma once

// Why jobs of dstack end, what becomes of them, and which event that is for a retry.
//
// Layer: dialect/dstack. Main names: JobStatus, TerminationReason, termination_rules(). One table
// says it all; dstack's own, read from its source (0.21.2).
// Pitfall: a job that reached its max_duration is terminated, not failed, and so is never tried
// again.

#include <array>
#include <optional>
#include <span>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/dialect/dstack/profile.hpp"

namespace trestle::dstack {

/// Where a job is, in order; the last four are the ends.
enum class JobStatus {
    submitted,
    provisioning,
    pulling,
    running,
    terminating,
    done,
    failed,
    terminated,
    aborted,
};

constexpr auto enum_names(JobStatus) {
    using enum JobStatus;
    return std::array{named(submitted, "submitted"),     named(provisioning, "provisioning"),
                      named(pulling, "pulling"),         named(running, "running"),
                      named(terminating, "terminating"), named(done, "done"),
                      named(failed, "failed"),           named(terminated, "terminated"),
                      named(aborted, "aborted")};
}

/// True for done, failed, terminated and aborted.
[[nodiscard]] constexpr bool is_ended(JobStatus status) { return status >= JobStatus::done; }

/// Why a job ended. The first reason that there is counts.
enum class TerminationReason {
    done_by_runner,               ///< its commands ended with 0
    container_exited_with_error,  ///< they ended with something else
    executor_error,               ///< devices, volumes or keys could not be had
    creating_container_error,     ///< the image could not be pulled, or not started
    ports_binding_failed,
    volume_error,
    gateway_error,
    log_quota_exceeded,
    max_duration_exceeded,
    inactivity_duration_exceeded,  ///< a dev environment had no connections
    terminated_due_to_utilization_policy,
    terminated_by_user,
    aborted_by_user,
    terminated_by_server,
    scaled_down,
    failed_to_start_due_to_no_capacity,
    interrupted_by_no_capacity,  ///< a spot instance was taken away
    instance_unreachable,
    instance_access_revoked,
    waiting_instance_limit_exceeded,
    waiting_runner_limit_exceeded,
};

constexpr auto enum_names(TerminationReason) {
    using enum TerminationReason;
    return std::array{
        named(done_by_runner, "done_by_runner"),
        named(container_exited_with_error, "container_exited_with_error"),
        named(executor_error, "executor_error"),
        named(creating_container_error, "creating_container_error"),
        named(ports_binding_failed, "ports_binding_failed"),
        named(volume_error, "volume_error"),
        named(gateway_error, "gateway_error"),
        named(log_quota_exceeded, "log_quota_exceeded"),
        named(max_duration_exceeded, "max_duration_exceeded"),
        named(inactivity_duration_exceeded, "inactivity_duration_exceeded"),
        named(terminated_due_to_utilization_policy, "terminated_due_to_utilization_policy"),
        named(terminated_by_user, "terminated_by_user"),
        named(aborted_by_user, "aborted_by_user"),
        named(terminated_by_server, "terminated_by_server"),
        named(scaled_down, "scaled_down"),
        named(failed_to_start_due_to_no_capacity, "failed_to_start_due_to_no_capacity"),
        named(interrupted_by_no_capacity, "interrupted_by_no_capacity"),
        named(instance_unreachable, "instance_unreachable"),
        named(instance_access_revoked, "instance_access_revoked"),
        named(waiting_instance_limit_exceeded, "waiting_instance_limit_exceeded"),
        named(waiting_runner_limit_exceeded, "waiting_runner_limit_exceeded")};
}

/// A row of the table.
struct TerminationRule {
    TerminationReason reason = TerminationReason::done_by_runner;
    JobStatus status = JobStatus::done;  ///< what the job ends as
    std::optional<RetryEvent> event;     ///< absent: no retry applies

    static constexpr auto fields(auto list) {
        return list(field("reason", &TerminationRule::reason),
                    field("status", &TerminationRule::status),
                    field("event", &TerminationRule::event));
    }
    friend bool operator==(const TerminationRule&, const TerminationRule&) = default;
};

/// Every reason once, in the order of the enum.
[[nodiscard]] std::span<const TerminationRule> termination_rules();
/// The row of a reason.
[[nodiscard]] const TerminationRule& rule_of(TerminationReason reason);

}  // namespace trestle::dstack
