// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/features.hpp"

#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/base/status.hpp"

namespace trestle {

namespace detail {

std::string feature_name_text(const std::string& name) {
    if (!name.empty() && name.find_first_of(feature_stops) == std::string::npos) return name;
    std::string text = "\"";
    for (const char c : name) {
        if (c == '"' || c == '\\') text += '\\';
        text += c;
    }
    return text + "\"";
}

}  // namespace detail

FeatureExpression FeatureExpression::of(std::string_view name) {
    FeatureExpression one;
    one.steps_.push_back({Operator::name, 0, std::string(name)});
    return one;
}

FeatureExpression FeatureExpression::joined(FeatureExpression a, FeatureExpression b, Operator op) {
    std::size_t operands = 0;
    for (std::vector<Step>* const side : {&a.steps_, &b.steps_}) {
        const bool is_list = side->back().op == op;
        operands += is_list ? side->back().operands : 1;
        if (is_list) side->pop_back();
    }
    std::move(b.steps_.begin(), b.steps_.end(), std::back_inserter(a.steps_));
    a.steps_.push_back({op, operands, {}});
    return a;
}

namespace {

/// Reads an expression, one function for each operator.
class FeatureReader {
  public:
    explicit FeatureReader(TextCursor cursor) : cursor_(cursor) {}

    [[nodiscard]] TextResult<FeatureExpression> run();

  private:
    using Result = std::optional<FeatureExpression>;

    /// No deeper: text is not to exhaust the stack.
    static constexpr int depth_max = 64;

    [[nodiscard]] Result wrong(std::string_view expected);

    [[nodiscard]] Result any_of(int depth);

    [[nodiscard]] Result all_of(int depth);

    /// Any number of `!`, then a name or a group; and the blanks behind.
    [[nodiscard]] Result operand(int depth);

    [[nodiscard]] Result group(int depth);

    [[nodiscard]] Result name();

    [[nodiscard]] Result quoted_name();

    TextCursor cursor_;
    TextError error_;
};

TextResult<FeatureExpression> FeatureReader::run() {
    cursor_.skip_blanks();
    if (cursor_.at_end()) return FeatureExpression();
    auto expression = any_of(0);
    if (expression && !cursor_.at_end()) expression = wrong("&, | or the end");
    if (!expression) return error_;
    return *std::move(expression);
}

FeatureReader::Result FeatureReader::wrong(std::string_view expected) {
    error_ = cursor_.error("malformed feature expression", expected);
    return std::nullopt;
}

FeatureReader::Result FeatureReader::any_of(int depth) {
    Result left = all_of(depth);
    while (left && cursor_.accept('|')) {
        Result right = all_of(depth);
        if (!right) return right;
        left = *std::move(left) | *std::move(right);
    }
    return left;
}

FeatureReader::Result FeatureReader::all_of(int depth) {
    Result left = operand(depth);
    while (left && cursor_.accept('&')) {
        Result right = operand(depth);
        if (!right) return right;
        left = *std::move(left) & *std::move(right);
    }
    return left;
}

FeatureReader::Result FeatureReader::operand(int depth) {
    bool is_negated = false;
    for (cursor_.skip_blanks(); cursor_.accept('!'); cursor_.skip_blanks()) {
        is_negated = !is_negated;
    }
    Result result = cursor_.peek() == '(' ? group(depth) : name();
    cursor_.skip_blanks();
    if (result && is_negated) return !*std::move(result);
    return result;
}

FeatureReader::Result FeatureReader::group(int depth) {
    if (depth == depth_max) return wrong("at most 64 parentheses inside each other");
    cursor_.accept('(');
    Result inner = any_of(depth + 1);
    if (inner && !cursor_.accept(')')) return wrong("&, | or )");
    return inner;
}

FeatureReader::Result FeatureReader::name() {
    if (cursor_.accept('"')) return quoted_name();
    const std::string_view plain = cursor_.take_until(detail::feature_stops);
    if (plain.empty()) return wrong("a feature, ! or (");
    return feature(plain);
}

FeatureReader::Result FeatureReader::quoted_name() {
    std::string name(cursor_.take_until("\"\\"));
    while (cursor_.accept('\\')) {
        if (!cursor_.at_end()) name += cursor_.peek();
        cursor_.accept(cursor_.peek());
        name += cursor_.take_until("\"\\");
    }
    if (!cursor_.accept('"')) return wrong("a quote");
    return feature(name);
}

}  // namespace

TextResult<FeatureExpression> FeatureExpression::read(TextCursor text) {
    return FeatureReader(text).run();
}

StatusOr<FeatureExpression> FeatureExpression::parse(std::string_view text) {
    auto expression = FeatureExpression::read(TextCursor(text));
    if (!expression) return to_status("features", expression.error());
    return *expression;
}

}  // namespace trestle
