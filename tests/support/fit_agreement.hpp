// SPDX-License-Identifier: Apache-2.0
// Whether fit() and the oracle answer a question alike, and whether a family of questions has both
// answers at all.
#pragma once

#include <cstdint>
#include <optional>

#include "alloc/node/detail/plain_fit.hpp"
#include "alloc/node/free/free_sums.hpp"
#include "support/catch.hpp"
#include "support/oracle_fit.hpp"
#include "support/random_fit.hpp"
#include "trestle/alloc/node/fit.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

/// What sums say, where they decide: the constraint of the refusal, `none` for a yes. Nothing where
/// a search has to tell.
inline std::optional<Constraint> said_by_sums(const FitCase& one, const FreeState& free) {
    const detail::FitProblem problem(one.shape, one.demand, one.options);
    const FreeSums sums = sums_of(free, one.shape, problem.threads());
    if (!detail::totals_decide(problem, sums)) return std::nullopt;
    const std::uint32_t available = detail::plain_available(problem, free);
    const auto mask = untouched_devices(free, one.shape);
    if (available != detail::plain_available(problem, free, mask)) {
        FAIL(to_text(one) << "\nuntouched devices are counted otherwise");
    }
    return detail::refuse_by_sums(problem, sums, available);
}

/// Fails, with the case in full, where fit() and the oracle differ, or what sums say is something
/// else. Returns whether it fits.
inline bool agrees(const FitCase& one) {
    const NodeLedger ledger = one.ledger();
    const auto expected = oracle_fit(one.shape, ledger, one.demand, one.options);
    const auto answer = fit(one.shape, ledger, one.demand, one.options);
    const bool is_same = expected ? answer.has_value() && *answer == *expected
                                  : !answer && answer.refusal().constraint != Constraint::gave_up;
    if (!is_same) {
        FAIL(to_text(one) << "\nfit:    " << to_text(answer)
                          << "\noracle: " << (expected ? to_text(*expected) : "none"));
    }
    const auto by_sums = said_by_sums(one, ledger.free());
    const Constraint said = answer ? Constraint::none : answer.refusal().constraint;
    if (by_sums && *by_sums != said) {
        FAIL(to_text(one) << "\nfit:     " << to_text(answer)
                          << "\nby sums: " << fmt::format("{}", *by_sums));
    }
    return expected.has_value();
}

/// How many cases of a family fit; both must occur, or the family shows nothing.
struct Tally {
    std::uint64_t fits = 0;
    std::uint64_t all = 0;

    void add(bool does_fit) {
        ++all;
        fits += does_fit ? 1 : 0;
    }
    ~Tally() {
        UNSCOPED_INFO(fits << " of " << all << " fit");
        CHECK(fits > all / 10);
        CHECK(fits < all);
    }
};

}  // namespace trestle
