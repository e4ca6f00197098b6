// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/run/termination.hpp"

#include <algorithm>
#include <array>

#include "trestle/base/contract.hpp"

namespace trestle::dstack {
namespace {

using enum TerminationReason;

constexpr std::optional<RetryEvent> no_event;

constexpr std::array<TerminationRule, 21> rules{{
    {done_by_runner, JobStatus::done, no_event},
    {container_exited_with_error, JobStatus::failed, RetryEvent::error},
    {executor_error, JobStatus::failed, RetryEvent::error},
    {creating_container_error, JobStatus::failed, RetryEvent::error},
    {ports_binding_failed, JobStatus::failed, RetryEvent::error},
    {volume_error, JobStatus::failed, RetryEvent::error},
    {gateway_error, JobStatus::failed, RetryEvent::error},
    {log_quota_exceeded, JobStatus::failed, RetryEvent::error},
    {max_duration_exceeded, JobStatus::terminated, no_event},
    {inactivity_duration_exceeded, JobStatus::terminated, no_event},
    {terminated_due_to_utilization_policy, JobStatus::terminated, no_event},
    {terminated_by_user, JobStatus::terminated, no_event},
    {aborted_by_user, JobStatus::aborted, no_event},
    {terminated_by_server, JobStatus::terminated, no_event},
    {scaled_down, JobStatus::terminated, no_event},
    {failed_to_start_due_to_no_capacity, JobStatus::failed, RetryEvent::no_capacity},
    {interrupted_by_no_capacity, JobStatus::failed, RetryEvent::interruption},
    {instance_unreachable, JobStatus::failed, RetryEvent::error},
    {instance_access_revoked, JobStatus::failed, RetryEvent::error},
    {waiting_instance_limit_exceeded, JobStatus::failed, RetryEvent::error},
    {waiting_runner_limit_exceeded, JobStatus::failed, RetryEvent::error},
}};

}  // namespace

std::span<const TerminationRule> termination_rules() { return rules; }

const TerminationRule& rule_of(TerminationReason reason) {
    const auto at = std::find_if(rules.begin(), rules.end(), [&](const TerminationRule& rule) {
        return rule.reason == reason;
    });
    TRESTLE_EXPECTS(at != rules.end(), "the reason is one of the enum");
    return *at;
}

}  // namespace trestle::dstack
