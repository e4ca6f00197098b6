// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/score/score_program.hpp"

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/place/score/score_bounds.hpp"
#include "trestle/base/contract.hpp"

namespace trestle::detail {

namespace {

using Devices = absl::InlinedVector<std::int64_t, 8>;

double least_of(const Devices& devices) {
    const auto least = std::min_element(devices.begin(), devices.end());
    return least == devices.end() ? std::numeric_limits<double>::infinity()
                                  : static_cast<double>(*least);
}

double most_of(const Devices& devices) {
    const auto most = std::max_element(devices.begin(), devices.end());
    return most == devices.end() ? 0 : static_cast<double>(*most);
}

double sum_of(const Devices& devices) {
    return static_cast<double>(std::accumulate(devices.begin(), devices.end(), std::int64_t{0}));
}

double loaded(const ScoreStep& step, const ScoreRow& row) {
    switch (step.op) {
        case ScoreOp::milli_cpus_before:
            return static_cast<double>(row.before.milli_cpus);
        case ScoreOp::milli_cpus_after:
            return static_cast<double>(row.after.milli_cpus);
        case ScoreOp::memory_before:
            return static_cast<double>(row.memory_before);
        case ScoreOp::memory_after:
            return static_cast<double>(row.memory_after);
        case ScoreOp::devices_before:
            return static_cast<double>(row.before.all_devices);
        case ScoreOp::devices_after:
            return static_cast<double>(row.after.all_devices);
        case ScoreOp::is_idle:
            return row.is_idle ? 1 : 0;
        case ScoreOp::min_before:
            return least_of(row.before.devices);
        case ScoreOp::max_before:
            return most_of(row.before.devices);
        case ScoreOp::sum_before:
            return sum_of(row.before.devices);
        case ScoreOp::min_after:
            return least_of(row.after.devices);
        case ScoreOp::max_after:
            return most_of(row.after.devices);
        case ScoreOp::sum_after:
            return sum_of(row.after.devices);
        default:
            return step.number;
    }
}

double changed(ScoreOp op, double a) {
    switch (op) {
        case ScoreOp::negate:
            return -a;
        case ScoreOp::opposite:
            return a == 0 ? 1 : 0;
        case ScoreOp::abs:
            return std::fabs(a);
        case ScoreOp::sqrt:
            return std::sqrt(a);
        case ScoreOp::exp:
            return std::exp(a);
        case ScoreOp::log:
            return std::log(a);
        default:
            return std::floor(a);
    }
}

/// What is left of `a` when `b` is taken as often as goes; with the sign of `b`.
double modulo(double a, double b) {
    const double left = std::fmod(a, b);
    if (b == 0) return left;
    if (left == 0) return std::copysign(0.0, b);
    return (left < 0) == (b < 0) ? left : left + b;
}

double floor_divide(double a, double b) {
    if (b == 0) return a / b;
    const double left = std::fmod(a, b);
    double whole = (a - left) / b;  // near a whole number
    if (left != 0 && (left < 0) != (b < 0)) whole -= 1;
    return whole == 0 ? std::copysign(0.0, a / b) : std::nearbyint(whole);
}

double made_of(ScoreOp op, double a, double b) {
    switch (op) {
        case ScoreOp::add:
            return a + b;
        case ScoreOp::subtract:
            return a - b;
        case ScoreOp::multiply:
            return a * b;
        case ScoreOp::divide:
            return a / b;
        case ScoreOp::floor_divide:
            return floor_divide(a, b);
        case ScoreOp::modulo:
            return modulo(a, b);
        case ScoreOp::power:
            return std::pow(a, b);
        case ScoreOp::less:
            return a < b ? 1 : 0;
        case ScoreOp::less_or_equal:
            return a <= b ? 1 : 0;
        case ScoreOp::greater:
            return a > b ? 1 : 0;
        case ScoreOp::greater_or_equal:
            return a >= b ? 1 : 0;
        case ScoreOp::equal:
            return a == b ? 1 : 0;
        case ScoreOp::not_equal:
            return a != b ? 1 : 0;
        case ScoreOp::both:
            return a != 0 && b != 0 ? 1 : 0;
        case ScoreOp::either:
            return a != 0 || b != 0 ? 1 : 0;
        case ScoreOp::min:
            return a < b || std::isnan(a) ? a : b;
        default:
            return a > b || std::isnan(a) ? a : b;
    }
}

}  // namespace

ScoreProgram::ScoreProgram(std::string text, std::vector<ScoreStep> steps)
    : text_(std::move(text)), steps_(std::move(steps)) {
    std::size_t values = 0;
    for (const ScoreStep& step : steps_) {
        TRESTLE_EXPECTS(taken_by(step.op) <= values, "a step has its values");
        values += 1 - taken_by(step.op);
        most_ = std::max(most_, values);
    }
    TRESTLE_EXPECTS(values == 1, "one value is left");
    is_always_number_ = detail::is_always_number(steps_);
}

double ScoreProgram::run(const ScoreRow& row) const {
    absl::InlinedVector<double, 16> values(most_);
    double* const stack = values.data();
    std::size_t count = 0;
    for (const ScoreStep& step : steps_) {
        const std::size_t taken = taken_by(step.op);
        count -= taken;
        double* const at = stack + count++;
        if (taken == 0) {
            *at = loaded(step, row);
        } else if (taken == 1) {
            *at = changed(step.op, *at);
        } else if (taken == 2) {
            *at = made_of(step.op, at[0], at[1]);
        } else if (at[1] == 0) {
            *at = at[2];
        }
    }
    return stack[0];
}

}  // namespace trestle::detail
