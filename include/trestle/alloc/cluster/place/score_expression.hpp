// SPDX-License-Identifier: Apache-2.0
#pragma once

// ScoreExpression: a policy as text, `-devices_after + 0.1 * milli_cpus_before`.
//
// Layer: alloc. Main types: ScoreExpression; NodePolicy, which is a policy by its name or an
// expression. The text is compiled once; a state of nodes is scored once, as by a named policy.
//
// An expression is made of numbers, columns, operators and functions, as in Python:
//   columns     milli_cpus_before, milli_cpus_after, memory_before, memory_after, devices_before,
//               devices_after: what a node of the state has free before and after the part.
//               Units are thousandths of hardware threads, bytes, and thousandths of the devices
//               that PolicyOptions::device names. is_idle is 1 or 0.
//   tables      each_device_before, each_device_after: the same of each device, in min, max or sum
//   operators   + - * / // % **, < <= > >= == != of two values, and, or, not, a if b else c
//   functions   abs, sqrt, exp, log, floor; min, max and sum of two values or more, or of a table
//               (without a device: infinity, 0 and 0)
// All values are double. Comparisons, and, or and not give 1 or 0. What is not 0 is true. // rounds
// down, and the result of % has the sign of its right side. A division by zero gives infinity, or
// no number for 0 / 0 and for % by zero. min and max of no number are no number.
// Pitfall: a node whose score is no number (NaN) is not taken, as with ScoreFunction. Amounts above
// 2^53 are rounded.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "trestle/alloc/cluster/place/policy.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/text.hpp"

namespace trestle {

namespace detail {
class ScoreProgram;
}

/// A policy as an expression over what a node has: the highest value comes first, of equal ones the
/// lowest node id. Devices of a node are chosen by fit(), as with ScoreFunction.
class ScoreExpression {
  public:
    /// Most characters of a text, and most parentheses, calls, signs and conditions inside each
    /// other.
    static constexpr std::size_t length_max = 10'000;
    static constexpr int depth_max = 100;

    /// Compiles `text`. An error has the offset, the word, what was expected, and the nearest
    /// column or function where the word is like one. Complexity: the text.
    [[nodiscard]] static TextResult<ScoreExpression> read(std::string_view text);
    /// The same. Errors: InvalidArgument.
    [[nodiscard]] static StatusOr<ScoreExpression> parse(std::string_view text);

    /// The value for one state of nodes and one part of a job. Complexity: the text.
    [[nodiscard]] double score(const ScoreInput& input) const;

    /// True when score() is a number for every state: no node is left out. False where that is not
    /// known: a division by a column may be one of 0 by 0.
    [[nodiscard]] bool is_always_number() const;

    /// As written, with one blank for each run of blanks. read() gives the same expression again.
    friend std::string to_text(const ScoreExpression& expression) { return expression.text(); }

    /// Equal when written alike.
    friend bool operator==(const ScoreExpression& a, const ScoreExpression& b) {
        return a.program_ == b.program_ || a.text() == b.text();
    }
    void hash_into(HashState& state) const { trestle::hash_into(state, text()); }

  private:
    friend class Scorer;  // which knows the amounts without a placement

    explicit ScoreExpression(std::shared_ptr<const detail::ScoreProgram> program)
        : program_(std::move(program)) {}
    [[nodiscard]] const std::string& text() const;

    std::shared_ptr<const detail::ScoreProgram> program_;
};

/// What PlaceOptions order nodes by: a policy by its name, or an expression.
class NodePolicy {
  public:
    NodePolicy(Policy name = Policy::first_fit) : name_(name) {}  // NOLINT: a name is one
    NodePolicy(ScoreExpression expression)                        // NOLINT: and so is this
        : expression_(std::move(expression)) {}

    /// A policy of this name, else an expression: no column is called as a policy is. Errors as
    /// those of ScoreExpression, and for a word that is neither.
    [[nodiscard]] static TextResult<NodePolicy> read(std::string_view text);
    /// The same. Errors: InvalidArgument.
    [[nodiscard]] static StatusOr<NodePolicy> parse(std::string_view text);

    /// The name; nothing for an expression.
    [[nodiscard]] std::optional<Policy> name() const {
        return expression_ ? std::nullopt : std::optional(name_);
    }
    /// The expression, or nothing.
    [[nodiscard]] const std::optional<ScoreExpression>& expression() const { return expression_; }

    /// True when a node that can take a part may have no score, and is not taken then: an
    /// expression that may be no number.
    [[nodiscard]] bool may_refuse() const {
        return expression_ && !expression_->is_always_number();
    }

    /// The name, or the text of the expression; read() gives the same again.
    friend std::string to_text(const NodePolicy& policy) {
        return policy.expression_ ? to_text(*policy.expression_)
                                  : std::string(to_text(policy.name_));
    }
    friend bool operator==(const NodePolicy&, const NodePolicy&) = default;
    void hash_into(HashState& state) const {
        trestle::hash_into(state, name_);
        trestle::hash_into(state, expression_);
    }

  private:
    Policy name_ = Policy::first_fit;
    std::optional<ScoreExpression> expression_;
};

}  // namespace trestle
