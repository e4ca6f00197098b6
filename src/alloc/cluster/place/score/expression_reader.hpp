// SPDX-License-Identifier: Apache-2.0
#pragma once

// ExpressionReader: compiles the text of a ScoreExpression, one function for each operator.
//
// Layer: alloc (private). Main types: ExpressionReader. What binds least comes first: conditions,
// or, and, not, comparisons, sums, products, signs, powers.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "alloc/cluster/place/score/score_program.hpp"
#include "trestle/base/text.hpp"

namespace trestle::detail {

/// Names of an expression that stand for a value of a row.
inline constexpr std::array<std::string_view, 7> score_columns{
    "milli_cpus_before", "milli_cpus_after", "memory_before", "memory_after",
    "devices_before",    "devices_after",    "is_idle"};
inline constexpr std::array<std::string_view, 2> score_tables{"each_device_before",
                                                              "each_device_after"};

/// What an error says of such a word.
inline constexpr std::string_view unknown_column = "unknown column";

[[nodiscard]] constexpr bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}
/// True for letters, digits and `_`.
[[nodiscard]] constexpr bool is_of_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// With one blank for each run of blanks, and none at the ends.
[[nodiscard]] std::string without_extra_blanks(std::string_view text);

class ExpressionReader {
  public:
    explicit ExpressionReader(std::string_view text) : text_(text), cursor_(text) {}

    /// The program of the whole text, or what is wrong with it.
    [[nodiscard]] TextResult<ScoreProgram> run();

  private:
    // Each reads from the cursor on, and the blanks behind; false where it is wrong.
    [[nodiscard]] bool condition(int depth);
    [[nodiscard]] bool any_of(int depth);
    [[nodiscard]] bool all_of(int depth);
    [[nodiscard]] bool negation(int depth);
    [[nodiscard]] bool comparison(int depth);
    [[nodiscard]] bool sum(int depth);
    [[nodiscard]] bool product(int depth);
    [[nodiscard]] bool sign(int depth);
    [[nodiscard]] bool power(int depth);
    [[nodiscard]] bool atom(int depth);
    [[nodiscard]] bool number();
    [[nodiscard]] bool named(int depth);
    [[nodiscard]] bool column(std::string_view name, std::size_t at);
    [[nodiscard]] bool call(std::string_view name, std::size_t at, int depth);
    /// A table and the parenthesis behind it. Nothing is read when there is none.
    [[nodiscard]] bool accept_table(std::string_view function);
    [[nodiscard]] bool close(std::size_t opened);

    void skip();
    /// The word at the cursor; empty where there is none.
    [[nodiscard]] std::string_view word() const;
    [[nodiscard]] bool accept_word(std::string_view wanted);
    [[nodiscard]] bool accept(std::string_view sign);
    void add(ScoreOp op, double number = 0) { steps_.push_back({op, number}); }
    bool wrong(std::string_view what, std::string_view expected);
    bool wrong_word(std::size_t at, std::string_view name, std::string_view what,
                    std::string expected);

    std::string_view text_;
    TextCursor cursor_;
    std::vector<ScoreStep> steps_;
    TextError error_;
};

}  // namespace trestle::detail
