// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a request asks of every task and core, and its alternatives in order.
//
// Layer: alloc. Main functions: cpus_of_task, first_settled, first_alternative.

#include <cstddef>
#include <cstdint>

#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

namespace detail {

/// The product of two counts, or the largest Count.
[[nodiscard]] inline std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
    return checked_mul(Count(a), b).value_or(Count::max()).value();
}

}  // namespace detail

/// Hardware threads that each task gets at the least: one, but where thousandths of CPUs alone are
/// asked.
[[nodiscard]] Count cpus_of_task(const Request& request);

/// decide(0), and while that is a no, decide(1), ... below `count`. All of them refused: the first
/// refusal. `decide` gives a Verdict; a search that gave up has not refused, and ends the row.
/// Requires: count > 0.
template <class Decide>
[[nodiscard]] auto first_settled(std::size_t count, const Decide& decide)
    -> decltype(decide(std::size_t{0})) {
    const auto is_settled = [](const auto& verdict) {
        return verdict || verdict.refusal().constraint == Constraint::gave_up;
    };
    auto first = decide(std::size_t{0});
    if (is_settled(first)) return first;
    for (std::size_t i = 1; i < count; ++i) {
        auto verdict = decide(i);
        if (is_settled(verdict)) return verdict;
    }
    return first;
}

/// The first_settled() of decide(request) and, in order, of decide with each of the request's
/// device_alternatives in place of its devices.
template <class Decide>
[[nodiscard]] auto first_alternative(const Request& request, const Decide& decide)
    -> decltype(decide(request)) {
    return first_settled(1 + request.device_alternatives.size(), [&](std::size_t i) {
        if (i == 0) return decide(request);
        Request other = request;
        other.devices = request.device_alternatives[i - 1];
        return decide(other);
    });
}

}  // namespace trestle
