// SPDX-License-Identifier: Apache-2.0
#pragma once

// slack_pass: a pass in which reservations may be put off.
//
// Layer: alloc (detail). Main function: slack_pass. Discipline::slack_based() has the rule.

#include <span>

#include "trestle/alloc/schedule/earliest_start.hpp"
#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/status.hpp"

namespace trestle::detail {

/// Requires: each owner stands once and has nothing yet. Errors: those of schedule_pass().
[[nodiscard]] StatusOr<PassResult> slack_pass(const Timeline& timeline,
                                              std::span<const QueuedJob> queue,
                                              const Discipline& discipline, StartFinder& finder);

}  // namespace trestle::detail
