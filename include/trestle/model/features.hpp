// SPDX-License-Identifier: Apache-2.0
#pragma once

// Feature expressions: which features a node has to have, with and, or and not.
//
// Layer: model. Main types: FeatureExpression, FeatureCount; matches(expression, features). An
// expression is made of names and operators, `feature("a100") & !feature("old")`, of a list of
// names, all of which are wanted, or of text, FeatureExpression::parse("a100&!old").
// Pitfall: an empty expression is met by every node, and so is `empty | x`.

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/base/contract.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/text.hpp"
#include "trestle/base/units.hpp"

namespace trestle {

namespace detail {

/// What binds tighter comes first.
enum class FeatureOperator { name, negation, all_of, any_of };

/// A name, or an operator over that many results before it.
struct FeatureStep {
    FeatureOperator op = FeatureOperator::name;
    std::size_t operands = 0;
    std::string name;

    static constexpr auto fields(auto list) {
        return list(field("op", &FeatureStep::op), field("operands", &FeatureStep::operands),
                    field("name", &FeatureStep::name));
    }
    friend bool operator==(const FeatureStep&, const FeatureStep&) = default;
};

/// In the name of a feature only when it stands in quotes.
inline constexpr std::string_view feature_stops = "&|!()[]*,\"\\ \t\r\n";

/// The name, in quotes where it would not be read back without.
[[nodiscard]] std::string feature_name_text(const std::string& name);

}  // namespace detail

/// Which features a node has to have. A default one is empty: every node meets it. Lists of one
/// operator are merged, so that a & (b & c) equals (a & b) & c, and a double negation is dropped.
/// Otherwise equal means written alike: a | b and b | a differ.
class FeatureExpression {
  public:
    FeatureExpression() = default;
    /// All of these features; of none: empty.
    FeatureExpression(std::initializer_list<std::string_view> all_of) {  // NOLINT: by design
        for (const std::string_view name : all_of) *this = std::move(*this) & of(name);
    }
    FeatureExpression(const std::vector<std::string>& all_of) {  // NOLINT: by design
        for (const std::string& name : all_of) *this = std::move(*this) & of(name);
    }

    /// The feature called `name`, whatever characters it has.
    [[nodiscard]] static FeatureExpression of(std::string_view name);

    /// Reads all of `text`, blanks between names and operators allowed: `a100 & (ib | !old)`. Blank
    /// text is the empty expression. For grammars that hold expressions.
    [[nodiscard]] static TextResult<FeatureExpression> read(TextCursor text);

    /// The same for a text by itself. Errors: InvalidArgument with the offset and what was
    /// expected.
    [[nodiscard]] static StatusOr<FeatureExpression> parse(std::string_view text);

    [[nodiscard]] bool is_empty() const { return steps_.empty(); }

    /// The features that it names, as often as it does. Complexity: linear in them.
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const Step& step : steps_) {
            if (step.op == Operator::name) all.push_back(step.name);
        }
        return all;
    }

    /// Both; an empty one adds nothing.
    [[nodiscard]] friend FeatureExpression operator&(FeatureExpression a, FeatureExpression b) {
        if (a.is_empty()) return b;
        if (b.is_empty()) return a;
        return joined(std::move(a), std::move(b), Operator::all_of);
    }
    /// At least one; with an empty one: empty.
    [[nodiscard]] friend FeatureExpression operator|(FeatureExpression a, FeatureExpression b) {
        if (a.is_empty() || b.is_empty()) return {};
        return joined(std::move(a), std::move(b), Operator::any_of);
    }
    /// The opposite. Requires: `a` is not empty, or no node would meet the result.
    [[nodiscard]] friend FeatureExpression operator!(FeatureExpression a) {
        TRESTLE_EXPECTS(!a.is_empty(), "what every node meets is not negated");
        if (a.steps_.back().op == Operator::negation) {
            a.steps_.pop_back();
        } else {
            a.steps_.push_back({Operator::negation, 1, {}});
        }
        return a;
    }

    /// True when a node with these features meets the expression. Complexity: the names in the
    /// expression times the features.
    [[nodiscard]] friend bool matches(const FeatureExpression& expression,
                                      std::span<const std::string> features) {
        if (expression.is_empty()) return true;
        std::vector<bool> results;
        for (const Step& step : expression.steps_) {
            if (step.op == Operator::name) {
                results.push_back(std::find(features.begin(), features.end(), step.name) !=
                                  features.end());
                continue;
            }
            const auto first = results.end() - static_cast<std::ptrdiff_t>(step.operands);
            const bool is_decisive = step.op != Operator::all_of;  // one such result settles it
            const bool is_settled = std::find(first, results.end(), is_decisive) != results.end();
            results.erase(first, results.end());
            results.push_back(is_settled == (step.op == Operator::any_of));
        }
        return results.back();
    }

    /// `a100&(ib|!old)`: ! binds before &, & before |. A name with blanks, operators or brackets
    /// stands in quotes, a quote or backslash in it behind a backslash. parse() reads it
    /// back. The text of an empty one is empty.
    [[nodiscard]] friend std::string to_text(const FeatureExpression& expression) {
        struct Piece {
            std::string text;
            Operator op;
        };
        std::vector<Piece> pieces;
        for (const Step& step : expression.steps_) {
            if (step.op == Operator::name) {
                pieces.push_back({detail::feature_name_text(step.name), step.op});
                continue;
            }
            Piece whole{step.op == Operator::negation ? "!" : "", step.op};
            const std::size_t first = pieces.size() - step.operands;
            for (std::size_t i = first; i < pieces.size(); ++i) {
                if (i != first) whole.text += step.op == Operator::all_of ? '&' : '|';
                const bool is_looser = pieces[i].op > step.op;
                whole.text += is_looser ? "(" + pieces[i].text + ")" : pieces[i].text;
            }
            pieces.resize(first);
            pieces.push_back(std::move(whole));
        }
        return pieces.empty() ? std::string() : std::move(pieces.back().text);
    }

    friend bool operator==(const FeatureExpression&, const FeatureExpression&) = default;
    void hash_into(HashState& state) const { trestle::hash_into(state, steps_); }

  private:
    using Operator = detail::FeatureOperator;
    using Step = detail::FeatureStep;

    [[nodiscard]] static FeatureExpression joined(FeatureExpression a, FeatureExpression b,
                                                  Operator op);

    std::vector<Step> steps_;  ///< in the order in which they are computed
};

/// The feature called `name`.
[[nodiscard]] inline FeatureExpression feature(std::string_view name) {
    return FeatureExpression::of(name);
}

/// Of the nodes of a job, at least so many meet the expression.
struct FeatureCount {
    FeatureExpression features;
    Count nodes{1};

    static constexpr auto fields(auto list) {
        return list(field("features", &FeatureCount::features),
                    field("nodes", &FeatureCount::nodes));
    }
    friend bool operator==(const FeatureCount&, const FeatureCount&) = default;
};

}  // namespace trestle
