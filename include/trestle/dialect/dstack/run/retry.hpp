// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether a run is tried again after it failed: now, later, or never.
//
// Layer: dialect/dstack. Main names: RetryHistory, RetryDecision, retry. Times are seconds since
// any moment that is the same for all; there is no clock in here.
// Pitfall: the duration of a policy counts from the run's submission, or from when it last lost
// what it had, not from the first failure.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/dstack/profile.hpp"
#include "trestle/dialect/dstack/run/termination.hpp"

namespace trestle::dstack {

/// How an attempt ended.
struct EndedAttempt {
    TerminationReason reason = TerminationReason::failed_to_start_due_to_no_capacity;
    Seconds at;

    static constexpr auto fields(auto list) {
        return list(field("reason", &EndedAttempt::reason), field("at", &EndedAttempt::at));
    }
    friend bool operator==(const EndedAttempt&, const EndedAttempt&) = default;
};

/// What became of a run so far.
struct RetryHistory {
    Seconds submitted_at;
    std::vector<EndedAttempt> attempts;  ///< in the order of their ends

    static constexpr auto fields(auto list) {
        return list(field("submitted_at", &RetryHistory::submitted_at),
                    field("attempts", &RetryHistory::attempts));
    }
    friend bool operator==(const RetryHistory&, const RetryHistory&) = default;
};

/// How long to wait after the first end, the second, and so on; after further ones as after the
/// last. Empty: not at all.
struct RetryPacing {
    std::vector<Seconds> delays = {Seconds(15),  Seconds(30),  Seconds(60),
                                   Seconds(120), Seconds(300), Seconds(600)};

    static constexpr auto fields(auto list) { return list(field("delays", &RetryPacing::delays)); }
    friend bool operator==(const RetryPacing&, const RetryPacing&) = default;
};

/// What to do with a run that ended: start it again now, after a pause, or not at all.
enum class RetryAction { again, wait, give_up };

constexpr auto enum_names(RetryAction) {
    return std::array{named(RetryAction::again, "again"), named(RetryAction::wait, "wait"),
                      named(RetryAction::give_up, "give_up")};
}

/// What to do, and why.
struct RetryDecision {
    RetryAction action = RetryAction::give_up;
    Seconds until;       ///< for wait: when to ask again; else 0
    std::string reason;  ///< for give_up: what speaks against it

    static constexpr auto fields(auto list) {
        return list(field("action", &RetryDecision::action), field("until", &RetryDecision::until),
                    field("reason", &RetryDecision::reason));
    }
    friend bool operator==(const RetryDecision&, const RetryDecision&) = default;
};

/// Whether to try again at `now`.
///
/// The last attempt that had capacity decides. Its event must be in the policy. Since its end no
/// more than the policy's duration may have passed. So a run that lost its instance and finds no
/// other counts as interrupted. For a run that never had capacity the event is no-capacity, and
/// time counts from its submission. An attempt that ended without an event (done, stopped, out of
/// time) ends the run. Between attempts lies the pacing's delay, but the last attempt is made at
/// the end of the duration, not behind it. A run without attempts is tried now. Absent policy: as
/// one without events.
[[nodiscard]] RetryDecision retry(const std::optional<Retry>& policy, const RetryHistory& history,
                                  Seconds now, const RetryPacing& pacing = {});

}  // namespace trestle::dstack
