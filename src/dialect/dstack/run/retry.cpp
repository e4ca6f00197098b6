// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/run/retry.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/duration.hpp"

namespace trestle::dstack {
namespace {

[[nodiscard]] RetryDecision give_up(std::string reason) {
    return {RetryAction::give_up, Seconds(), std::move(reason)};
}

/// What the run is tried again for, and since when.
struct RetryCause {
    RetryEvent event = RetryEvent::no_capacity;
    Seconds since;
};

[[nodiscard]] RetryCause cause_of(const RetryHistory& history) {
    for (std::size_t i = history.attempts.size(); i-- > 0;) {
        const auto event = rule_of(history.attempts[i].reason).event;
        if (event && *event != RetryEvent::no_capacity) return {*event, history.attempts[i].at};
    }
    return {RetryEvent::no_capacity, history.submitted_at};
}

[[nodiscard]] Seconds later(Seconds moment, Seconds duration) {
    return checked_add(moment, duration).value_or(Seconds::max());
}

}  // namespace

RetryDecision retry(const std::optional<Retry>& policy, const RetryHistory& history, Seconds now,
                    const RetryPacing& pacing) {
    if (history.attempts.empty()) return {RetryAction::again, Seconds(), {}};
    const EndedAttempt& last = history.attempts.back();
    if (!rule_of(last.reason).event) {
        return give_up(fmt::format("{} is not retried", last.reason));
    }
    const RetryCause cause = cause_of(history);
    const bool is_covered = policy && std::find(policy->on_events.begin(), policy->on_events.end(),
                                                cause.event) != policy->on_events.end();
    if (!is_covered) {
        return give_up(fmt::format("{} is not among the events of the retry policy", cause.event));
    }
    const Seconds deadline = later(cause.since, policy->duration);
    if (now > deadline) {
        return give_up(fmt::format(
            "{} have passed since {}, the policy allows {}", duration_text(now - cause.since),
            cause.event == RetryEvent::no_capacity ? "it was submitted" : "it lost its instance",
            duration_text(policy->duration)));
    }
    Seconds next = last.at;
    if (!pacing.delays.empty()) {
        const std::size_t at = std::min(history.attempts.size(), pacing.delays.size()) - 1;
        next = std::min(later(last.at, pacing.delays[at]), deadline);
    }
    if (now < next) return {RetryAction::wait, next, {}};
    return {RetryAction::again, Seconds(), {}};
}

}  // namespace trestle::dstack
