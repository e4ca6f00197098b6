// SPDX-License-Identifier: Apache-2.0
#pragma once

// The answer for a plain demand: no cores, and devices that nothing but what is free of them tells
// apart. There is nothing to search then.
//
// Layer: alloc, internal to fit. Main functions: refuse_by_sums, plain_devices, plain_placement;
// see FitProblem::is_plain. Replays of container traces ask little else, a million times, and most
// of the nodes they ask are not taken: whether, which devices and all the rest are three questions.
// The first is answered for all demands of sums (FitProblem::is_of_sums); which cores and devices
// the others get is searched.
// A reader would get wrong: it is the order at fit(), not another one, and it has no words for why
// nothing fits; FitSearch has.

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trestle/alloc/fit/detail/fit_problem.hpp"
#include "trestle/alloc/fit/free_state.hpp"
#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/set/detail/bits.hpp"

namespace trestle::detail {

/// The devices of an answer, as positions among FitProblem::plain_devices(), rising.
using PlainDevices = absl::InlinedVector<std::uint32_t, 8>;

/// How many devices could be taken. Requires: problem.is_of_sums(), here and below.
[[nodiscard]] inline std::uint32_t plain_available(const FitProblem& problem,
                                                   const FreeState& state) {
    std::uint32_t available = 0;
    for (const PlainDevice& one : problem.plain_devices()) {
        available += state.shares[one.id.value()] >= one.shares ? 1U : 0U;
    }
    return available;
}
/// The same, where untouched_devices() is known.
[[nodiscard]] inline std::uint32_t plain_available(const FitProblem& problem,
                                                   const FreeState& state,
                                                   std::uint64_t untouched) {
    const auto& whole = problem.whole_devices();
    return whole ? count_bits(untouched & *whole) : plain_available(problem, state);
}

/// How many devices of those the demand gets; less than it asks at least when there are too few.
/// Requires: the demand asks for devices.
[[nodiscard]] inline std::uint32_t plain_count(const FitProblem& problem, std::uint32_t available) {
    const DeviceDemand& demand = problem.demand().devices.front();
    const auto most =
        std::min(demand.count.max.value_or(Count::max()).value(), std::int64_t{available});
    const bool takes_most = demand.request.prefer == Prefer::most;
    return static_cast<std::uint32_t>(takes_most ? most
                                                 : std::min(most, demand.count.least().value()));
}

[[nodiscard]] inline std::uint32_t plain_count(const FitProblem& problem, const FreeState& state) {
    return plain_count(problem, plain_available(problem, state));
}

/// True when refuse_by_sums() tells: thousandths of CPUs that others have keep cores from being
/// taken, and which ones is for the search.
[[nodiscard]] inline bool sums_tell(const FitProblem& problem, const FreeSums& sums) {
    return problem.is_plain() || (problem.is_of_sums() && !sums.has_thousandths);
}

/// What keeps the demand from being met, as FitSearch would say it; `none` when it is met.
/// `available`: plain_available(). Requires: sums_tell().
[[nodiscard]] inline Constraint refuse_by_sums(const FitProblem& problem, const FreeSums& sums,
                                               std::uint32_t available) {
    const NodeDemand& demand = problem.demand();
    if (!demand.devices.empty() &&
        Count(plain_count(problem, available)) < demand.devices.front().count.least()) {
        return problem.plain_refusal();
    }
    const bool has_cores = problem.sum_cores() <= std::int64_t{sums.cores};
    if (!has_cores || sums.milli_cpus < problem.plain_milli_cpus()) return Constraint::cores;
    return sums.memory < problem.sum_memory() ? Constraint::memory : Constraint::none;
}

/// The devices that fit() takes: those without a warning first, then those that need not be opened,
/// then the lowest. Requires: the demand is plain, here and below; refuse_by_sums() says `none`.
[[nodiscard]] inline PlainDevices plain_devices(const FitProblem& problem, const FreeState& state) {
    PlainDevices chosen;
    if (problem.demand().devices.empty()) return chosen;
    std::uint32_t missing = plain_count(problem, state);
    const std::vector<PlainDevice>& devices = problem.plain_devices();
    for (std::uint32_t rank = 0; rank < 4 && missing > 0; ++rank) {
        for (std::uint32_t at = 0; at < devices.size() && missing > 0; ++at) {
            const PlainDevice& one = devices[at];
            const Count free = state.shares[one.id.value()];
            const bool is_opened = one.is_part && free == one.all_shares;
            if (free < one.shares || (one.is_last ? 2U : 0U) + (is_opened ? 1U : 0U) != rank) {
                continue;
            }
            chosen.push_back(at);
            --missing;
        }
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

/// What fit() answers when it takes these devices. Requires: refuse_by_sums() says `none`.
[[nodiscard]] inline NodePlacement plain_placement(const FitProblem& problem,
                                                   const FreeState& state,
                                                   const PlainDevices& devices) {
    const NodeDemand& demand = problem.demand();
    NodePlacement result;
    result.tasks = demand.tasks;
    result.threads_per_core = demand.threads_per_core;
    result.milli_cpus = problem.plain_milli_cpus();
    Bytes missing = demand.memory;
    for (const DomainId domain : problem.ordinary_domains()) {
        const Bytes part = std::min(missing, state.memory[domain.value()]);
        if (!part.is_zero()) result.memory.push_back({domain, part});
        missing -= part;
    }
    std::sort(result.memory.begin(), result.memory.end());
    result.devices.reserve(devices.size());
    for (const std::uint32_t at : devices) {
        const PlainDevice& one = problem.plain_devices()[at];
        result.devices.push_back({one.id, one.shares});
    }
    return result;
}

}  // namespace trestle::detail
