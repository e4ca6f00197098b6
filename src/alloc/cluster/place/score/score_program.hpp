// SPDX-License-Identifier: Apache-2.0
#pragma once

// ScoreProgram: a compiled ScoreExpression, in the order in which it is computed.
//
// Layer: alloc (private). Main types: ScoreProgram, ScoreStep, ScoreRow; taken_by.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster/place/policy.hpp"

namespace trestle::detail {

/// First what needs no value before it, then what changes one, then what makes one of two, and
/// `choose`, which makes one of three.
enum class ScoreOp : std::uint8_t {
    number,
    milli_cpus_before,
    milli_cpus_after,
    memory_before,
    memory_after,
    devices_before,
    devices_after,
    is_idle,
    min_before,  ///< of the devices, here and in the next ones
    max_before,
    sum_before,
    min_after,
    max_after,
    sum_after,
    negate,
    opposite,
    abs,
    sqrt,
    exp,
    log,
    floor,
    add,
    subtract,
    multiply,
    divide,
    floor_divide,
    modulo,
    power,
    less,
    less_or_equal,
    greater,
    greater_or_equal,
    equal,
    not_equal,
    both,
    either,
    min,
    max,
    choose,  ///< of a, test and b: a if test else b
};

/// How many values a step takes.
[[nodiscard]] constexpr std::size_t taken_by(ScoreOp op) {
    return op < ScoreOp::negate ? 0U : op < ScoreOp::add ? 1U : op < ScoreOp::choose ? 2U : 3U;
}

struct ScoreStep {
    ScoreOp op = ScoreOp::number;
    double number = 0;  ///< of `number`
};

/// What an expression reads of a state and a part.
struct ScoreRow {
    const ScoreInput::Amounts& before;
    const ScoreInput::Amounts& after;
    std::int64_t memory_before = 0;
    std::int64_t memory_after = 0;
    bool is_idle = false;
};

class ScoreProgram {
  public:
    /// Requires: the steps leave one value, and none takes more than there are.
    ScoreProgram(std::string text, std::vector<ScoreStep> steps);

    [[nodiscard]] const std::string& text() const { return text_; }
    /// True when run() never gives NaN; false where that is not known.
    [[nodiscard]] bool is_always_number() const { return is_always_number_; }
    [[nodiscard]] double run(const ScoreRow& row) const;

  private:
    std::string text_;
    std::vector<ScoreStep> steps_;
    std::size_t most_ = 0;  ///< values at a time
    bool is_always_number_ = false;
};

}  // namespace trestle::detail
