// SPDX-License-Identifier: Apache-2.0
#pragma once

// The answer for a plain demand: no cores, and devices that nothing but what is free of them tells
// apart. There is nothing to search then.
//
// Layer: alloc, internal to fit. Main functions: refuse_by_sums, plain_devices, plain_placement;
// see FitProblem::is_plain. Replays of container traces ask little else, a million times, and most
// of the nodes they ask are not taken: whether, which devices and all the rest are three questions.
// The first is answered for all demands of sums (FitProblem::decided_by_totals); which cores and
// devices the others get is searched.
// Pitfall: it is the order at fit(), not another one, and it has no words for why nothing fits;
// FitSearch has.

#include <absl/container/inlined_vector.h>

#include <cstdint>

#include "alloc/node/detail/fit_problem.hpp"
#include "alloc/node/free/free_sums.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::detail {

/// The devices of an answer, as positions among FitProblem::plain_devices(), rising.
using PlainDevices = absl::InlinedVector<std::uint32_t, 8>;

/// How many devices could be taken. Requires: problem.decided_by_totals(), here and below.
[[nodiscard]] std::uint32_t plain_available(const FitProblem& problem, const FreeState& state);
/// The same, where untouched_devices() is known.
[[nodiscard]] std::uint32_t plain_available(const FitProblem& problem, const FreeState& state,
                                            std::uint64_t untouched);

/// How many devices of those the demand gets; less than it asks at least when there are too few.
/// Requires: the demand asks for devices.
[[nodiscard]] std::uint32_t plain_count(const FitProblem& problem, std::uint32_t available);

[[nodiscard]] inline std::uint32_t plain_count(const FitProblem& problem, const FreeState& state) {
    return plain_count(problem, plain_available(problem, state));
}

/// True when refuse_by_sums() tells: thousandths of CPUs that others have keep cores from being
/// taken, and which ones is for the search.
[[nodiscard]] inline bool totals_decide(const FitProblem& problem, const FreeSums& sums) {
    return problem.is_plain() || (problem.decided_by_totals() && !sums.has_thousandths);
}

/// What keeps the demand from being met, as FitSearch would say it; `none` when it is met.
/// `available`: plain_available(). Requires: totals_decide().
[[nodiscard]] Constraint refuse_by_sums(const FitProblem& problem, const FreeSums& sums,
                                        std::uint32_t available);

/// The sums of a state that refuse_by_sums() compares with a plain demand. They leave out the free
/// cores, which such a demand does not ask for. Requires: the demand is plain.
[[nodiscard]] FreeSums plain_sums(const FitProblem& problem, const FreeState& state);

/// The devices that fit() takes: those without a warning first, then those that need not be opened,
/// then the lowest. Requires: the demand is plain, here and below; refuse_by_sums() says `none`.
[[nodiscard]] PlainDevices plain_devices(const FitProblem& problem, const FreeState& state);

/// What fit() answers when it takes these devices. Requires: refuse_by_sums() says `none`.
[[nodiscard]] NodePlacement plain_placement(const FitProblem& problem, const FreeState& state,
                                            const PlainDevices& devices);

}  // namespace trestle::detail
