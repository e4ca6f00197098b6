// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/score/expression_reader.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/nearest_word.hpp"
#include "trestle/alloc/cluster/place/score_expression.hpp"
#include "trestle/set/detail/text_runs.hpp"

namespace trestle::detail {

namespace {

struct ScoreFunctionName {
    std::string_view name;
    ScoreOp op;
    bool takes_many;  ///< two or more, or a table
};

constexpr std::array score_functions{
    ScoreFunctionName{"abs", ScoreOp::abs, false},
    ScoreFunctionName{"sqrt", ScoreOp::sqrt, false},
    ScoreFunctionName{"exp", ScoreOp::exp, false},
    ScoreFunctionName{"log", ScoreOp::log, false},
    ScoreFunctionName{"floor", ScoreOp::floor, false},
    ScoreFunctionName{"min", ScoreOp::min, true},
    ScoreFunctionName{"max", ScoreOp::max, true},
    ScoreFunctionName{"sum", ScoreOp::add, true},
};

constexpr std::array score_column_ops{ScoreOp::milli_cpus_before,
                                      ScoreOp::milli_cpus_after,
                                      ScoreOp::memory_before,
                                      ScoreOp::memory_after,
                                      ScoreOp::devices_before,
                                      ScoreOp::devices_after,
                                      ScoreOp::is_idle};
static_assert(score_column_ops.size() == score_columns.size());

constexpr std::string_view malformed = "malformed expression";
constexpr std::string_view a_value = "a number, a column, a function, -, not or (";

bool is_operator_word(std::string_view word) {
    return word == "if" || word == "else" || word == "and" || word == "or" || word == "not";
}

std::string_view name_of_name(std::string_view name) { return name; }
std::string_view name_of_function(const ScoreFunctionName& one) { return one.name; }

/// The position in `names`, or nothing.
template <class Names>
std::optional<std::size_t> place_of(const Names& names, std::string_view name) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) return std::nullopt;
    return static_cast<std::size_t>(at - names.begin());
}

/// What a function of many makes of a table.
ScoreOp op_of_table(std::string_view function, bool is_after) {
    if (function == "min") return is_after ? ScoreOp::min_after : ScoreOp::min_before;
    if (function == "max") return is_after ? ScoreOp::max_after : ScoreOp::max_before;
    return is_after ? ScoreOp::sum_after : ScoreOp::sum_before;
}

}  // namespace

std::string without_extra_blanks(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (!is_blank(c)) {
            result += c;
        } else if (!result.empty() && result.back() != ' ') {
            result += ' ';
        }
    }
    if (result.ends_with(' ')) result.pop_back();
    return result;
}

TextResult<ScoreProgram> ExpressionReader::run() {
    constexpr std::size_t most = ScoreExpression::length_max;
    if (text_.size() > most) {
        return TextError{most, std::string(text_.substr(most, 8)),
                         fmt::format("expression of {} characters", text_.size()),
                         fmt::format("at most {}", most)};
    }
    skip();
    if (!condition(0)) return error_;
    if (!cursor_.at_end()) {
        if (cursor_.peek() == ')') {
            wrong("unbalanced parenthesis", "no ), since no ( is open");
        } else {
            wrong(malformed, "an operator or the end");
        }
        return error_;
    }
    return ScoreProgram(without_extra_blanks(text_), std::move(steps_));
}

bool ExpressionReader::condition(int depth) {
    if (!any_of(depth)) return false;
    if (!accept_word("if")) return true;
    if (!any_of(depth)) return false;
    if (!accept_word("else")) return wrong(malformed, "else behind if");
    if (!condition(depth + 1)) return false;
    add(ScoreOp::choose);
    return true;
}

bool ExpressionReader::any_of(int depth) {
    if (!all_of(depth)) return false;
    while (accept_word("or")) {
        if (!all_of(depth)) return false;
        add(ScoreOp::either);
    }
    return true;
}

bool ExpressionReader::all_of(int depth) {
    if (!negation(depth)) return false;
    while (accept_word("and")) {
        if (!negation(depth)) return false;
        add(ScoreOp::both);
    }
    return true;
}

bool ExpressionReader::negation(int depth) {
    if (!accept_word("not")) return comparison(depth);
    if (depth > ScoreExpression::depth_max) return sign(depth);  // which says so
    if (!negation(depth + 1)) return false;
    add(ScoreOp::opposite);
    return true;
}

bool ExpressionReader::comparison(int depth) {
    constexpr std::array<std::pair<std::string_view, ScoreOp>, 6> signs{
        {{"<=", ScoreOp::less_or_equal},
         {">=", ScoreOp::greater_or_equal},
         {"==", ScoreOp::equal},
         {"!=", ScoreOp::not_equal},
         {"<", ScoreOp::less},
         {">", ScoreOp::greater}}};
    const auto accepted = [&] {
        return std::find_if(signs.begin(), signs.end(),
                            [&](const auto& one) { return accept(one.first); });
    };
    if (!sum(depth)) return false;
    const auto* const found = accepted();
    if (found == signs.end()) return true;
    if (!sum(depth)) return false;
    add(found->second);
    const TextCursor behind = cursor_;
    if (accepted() == signs.end()) return true;
    cursor_ = behind;
    return wrong(malformed, "and between two comparisons");
}

bool ExpressionReader::sum(int depth) {
    if (!product(depth)) return false;
    while (cursor_.peek() == '+' || cursor_.peek() == '-') {
        const bool is_added = accept("+");
        if (!is_added) static_cast<void>(accept("-"));
        if (!product(depth)) return false;
        add(is_added ? ScoreOp::add : ScoreOp::subtract);
    }
    return true;
}

bool ExpressionReader::product(int depth) {
    if (!sign(depth)) return false;
    for (;;) {
        ScoreOp op = ScoreOp::multiply;
        if (accept("//")) {
            op = ScoreOp::floor_divide;
        } else if (accept("/")) {
            op = ScoreOp::divide;
        } else if (accept("%")) {
            op = ScoreOp::modulo;
        } else if (!accept("*")) {
            return true;
        }
        if (!sign(depth)) return false;
        add(op);
    }
}

bool ExpressionReader::sign(int depth) {
    if (depth > ScoreExpression::depth_max) {
        return wrong("expression inside of too many others",
                     fmt::format("at most {} levels", ScoreExpression::depth_max));
    }
    if (accept("+")) return sign(depth + 1);
    if (!accept("-")) return power(depth);
    if (!sign(depth + 1)) return false;
    add(ScoreOp::negate);
    return true;
}

bool ExpressionReader::power(int depth) {
    if (!atom(depth)) return false;
    if (!accept("**")) return true;
    if (!sign(depth + 1)) return false;
    add(ScoreOp::power);
    return true;
}

bool ExpressionReader::atom(int depth) {
    if (is_digit(cursor_.peek()) || cursor_.peek() == '.') return number();
    if (!word().empty()) return named(depth);
    const std::size_t opened = cursor_.offset();
    if (!accept("(")) return wrong(malformed, a_value);
    return condition(depth + 1) && close(opened);
}

bool ExpressionReader::number() {
    const std::string_view rest = cursor_.rest();
    double value = 0;
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (read.ec != std::errc() || !std::isfinite(value)) {
        return wrong("malformed number", "a number as 2, 0.5 or 1e-3");
    }
    const auto digits = static_cast<std::size_t>(read.ptr - rest.data());
    if (digits < rest.size() && (is_of_word(rest[digits]) || rest[digits] == '.')) {
        return wrong("malformed number", "a number as 2, 0.5 or 1e-3");
    }
    add(ScoreOp::number, value);
    return accept(rest.substr(0, digits));
}

bool ExpressionReader::named(int depth) {
    const std::size_t at = cursor_.offset();
    const std::string_view name = word();
    if (is_operator_word(name)) return wrong(malformed, a_value);
    static_cast<void>(accept(name));
    if (cursor_.peek() == '(') return call(name, at, depth);
    return column(name, at);
}

bool ExpressionReader::column(std::string_view name, std::size_t at) {
    if (const auto place = place_of(score_columns, name)) {
        add(score_column_ops[*place]);
        return true;
    }
    if (place_of(score_tables, name)) {
        return wrong_word(at, name, "table without a function", "it inside of min, max or sum");
    }
    return wrong_word(at, name, unknown_column,
                      words::with_nearest(fmt::format("one of {}", fmt::join(score_columns, ", ")),
                                          name, score_columns, name_of_name));
}

bool ExpressionReader::call(std::string_view name, std::size_t at, int depth) {
    const auto* const known =
        std::find_if(score_functions.begin(), score_functions.end(),
                     [&](const ScoreFunctionName& one) { return one.name == name; });
    if (known == score_functions.end()) {
        std::string names;
        for (const ScoreFunctionName& one : score_functions) {
            names += (names.empty() ? "one of " : ", ") + std::string(one.name);
        }
        return wrong_word(
            at, name, "unknown function",
            words::with_nearest(std::move(names), name, score_functions, name_of_function));
    }
    const std::size_t opened = cursor_.offset();
    static_cast<void>(accept("("));
    if (known->takes_many && accept_table(name)) return true;
    if (!condition(depth + 1)) return false;
    if (!known->takes_many) {
        if (cursor_.peek() == ',')
            return wrong("too many arguments", "one of a " + std::string(name));
        add(known->op);
        return close(opened);
    }
    if (cursor_.peek() == ')') {
        return wrong_word(at, name, "function of one value",
                          fmt::format("two or more, or {}", fmt::join(score_tables, " or ")));
    }
    while (cursor_.peek() == ',') {
        static_cast<void>(accept(","));
        if (!condition(depth + 1)) return false;
        add(known->op);
    }
    return close(opened);
}

bool ExpressionReader::accept_table(std::string_view function) {
    const auto place = place_of(score_tables, word());
    if (!place) return false;
    const TextCursor before = cursor_;
    static_cast<void>(accept(word()));
    if (!accept(")")) {
        cursor_ = before;
        return false;
    }
    add(op_of_table(function, *place == 1));
    return true;
}

bool ExpressionReader::close(std::size_t opened) {
    if (accept(")")) return true;
    if (cursor_.at_end()) {
        return wrong("unbalanced parenthesis", fmt::format(") for the ( at offset {}", opened));
    }
    return wrong(malformed, fmt::format("an operator, or ) for the ( at offset {}", opened));
}

void ExpressionReader::skip() { static_cast<void>(cursor_.take_while(is_blank)); }

std::string_view ExpressionReader::word() const {
    TextCursor look = cursor_;
    return is_digit(look.peek()) ? std::string_view() : look.take_while(is_of_word);
}

bool ExpressionReader::accept_word(std::string_view wanted) {
    return word() == wanted && accept(wanted);
}

bool ExpressionReader::accept(std::string_view sign) {
    if (!cursor_.accept(sign)) return false;
    skip();
    return true;
}

bool ExpressionReader::wrong(std::string_view what, std::string_view expected) {
    error_ = cursor_.error(what, expected);
    return false;
}

bool ExpressionReader::wrong_word(std::size_t at, std::string_view name, std::string_view what,
                                  std::string expected) {
    error_ = {at, std::string(name.substr(0, 64)), std::string(what), std::move(expected)};
    return false;
}

}  // namespace trestle::detail
