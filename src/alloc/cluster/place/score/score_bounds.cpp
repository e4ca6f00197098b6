// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/score/score_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace trestle::detail {

namespace {

/// What is known of a value.
struct ScoreBound {
    double most = 0;  ///< its absolute value is at most that, which may be infinity
    bool may_be_negative = false;
    bool may_be_none = false;  ///< NaN
    std::optional<double> constant = {};

    [[nodiscard]] bool is_finite() const { return std::isfinite(most); }
};

constexpr ScoreBound any_number{std::numeric_limits<double>::infinity(), true, true, {}};
constexpr ScoreBound truth{1, false, false, {}};

/// Amounts are 64-bit numbers; a sum of devices is one too.
ScoreBound bound_of_leaf(const ScoreStep& step) {
    switch (step.op) {
        case ScoreOp::number:
            return {step.number, false, false, step.number};
        case ScoreOp::is_idle:
            return truth;
        case ScoreOp::min_before:
        case ScoreOp::min_after:  // of no device: infinity
            return {std::numeric_limits<double>::infinity(), false, false, {}};
        default:
            return {0x1p63, false, false, {}};
    }
}

ScoreBound bound_of_one(ScoreOp op, const ScoreBound& a) {
    switch (op) {
        case ScoreOp::opposite:
            return truth;
        case ScoreOp::negate:
            return {a.most, true, a.may_be_none,
                    a.constant ? std::optional(-*a.constant) : std::nullopt};
        case ScoreOp::floor:
            return {a.most + 1, a.may_be_negative, a.may_be_none, {}};
        case ScoreOp::abs:
            return {a.most, false, a.may_be_none, {}};
        case ScoreOp::sqrt:
            return {std::max(a.most, 1.0), false, a.may_be_none || a.may_be_negative, {}};
        case ScoreOp::exp:
            return {std::max(std::exp(a.most), 1.0), false, a.may_be_none, {}};
        default:  // a logarithm, of 0 without an end
            return {std::numeric_limits<double>::infinity(),
                    true,
                    a.may_be_none || a.may_be_negative,
                    {}};
    }
}

/// By a number that is not zero.
ScoreBound bound_of_division(ScoreOp op, const ScoreBound& a, double divisor) {
    const bool may_be_negative = a.may_be_negative || divisor < 0;
    if (op == ScoreOp::divide) {
        return {a.most / std::fabs(divisor), may_be_negative, a.may_be_none, {}};
    }
    if (!a.is_finite()) return any_number;
    if (op == ScoreOp::modulo) return {std::fabs(divisor), may_be_negative, a.may_be_none, {}};
    return {a.most / std::fabs(divisor) + 1, may_be_negative, a.may_be_none, {}};
}

ScoreBound bound_of_power(const ScoreBound& a, const ScoreBound& b) {
    const bool is_whole = b.constant && std::floor(*b.constant) == *b.constant;
    if (a.may_be_negative && !is_whole) return any_number;
    const bool grows = b.constant && *b.constant >= 0 && !a.may_be_none;
    return {grows ? std::max(std::pow(a.most, *b.constant), 1.0)
                  : std::numeric_limits<double>::infinity(),
            a.may_be_negative,
            a.may_be_none || b.may_be_none,
            {}};
}

ScoreBound bound_of_two(ScoreOp op, const ScoreBound& a, const ScoreBound& b) {
    const bool may_be_none = a.may_be_none || b.may_be_none;
    const bool may_be_negative = a.may_be_negative || b.may_be_negative;
    switch (op) {
        case ScoreOp::add:
        case ScoreOp::subtract: {
            const bool differ = op == ScoreOp::subtract || may_be_negative;
            if (!a.is_finite() && !b.is_finite() && differ) return any_number;
            return {a.most + b.most, differ, may_be_none, {}};
        }
        case ScoreOp::multiply:
            if (!a.is_finite() || !b.is_finite()) return any_number;
            return {a.most * b.most, may_be_negative, may_be_none, {}};
        case ScoreOp::divide:
        case ScoreOp::floor_divide:
        case ScoreOp::modulo:
            if (!b.constant || *b.constant == 0) return any_number;
            return bound_of_division(op, a, *b.constant);
        case ScoreOp::power:
            return bound_of_power(a, b);
        case ScoreOp::min:
        case ScoreOp::max:
            return {std::max(a.most, b.most), may_be_negative, may_be_none, {}};
        default:  // comparisons, and, or
            return truth;
    }
}

/// As of min and max: one of the two.
ScoreBound bound_of_choice(const ScoreBound& a, const ScoreBound& b) {
    return bound_of_two(ScoreOp::max, a, b);
}

}  // namespace

bool is_always_number(std::span<const ScoreStep> steps) {
    std::vector<ScoreBound> bounds;
    for (const ScoreStep& step : steps) {
        const std::size_t taken = taken_by(step.op);
        const std::size_t first = bounds.size() - taken;
        ScoreBound made;
        if (taken == 0) {
            made = bound_of_leaf(step);
        } else if (taken == 1) {
            made = bound_of_one(step.op, bounds[first]);
        } else if (taken == 2) {
            made = bound_of_two(step.op, bounds[first], bounds[first + 1]);
        } else {
            made = bound_of_choice(bounds[first], bounds[first + 2]);
        }
        bounds.resize(first);
        bounds.push_back(made);
    }
    return !bounds.back().may_be_none;
}

}  // namespace trestle::detail
