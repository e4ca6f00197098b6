// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/place/score_expression.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "alloc/cluster/place/score/expression_reader.hpp"
#include "alloc/cluster/place/score/score_program.hpp"
#include "alloc/node/free/free_sums.hpp"
#include "base/nearest_word.hpp"

namespace trestle {

namespace {

/// `best-fit` is one, although it reads as a difference.
bool looks_like_name(std::string_view text) {
    return !text.starts_with('-') && std::all_of(text.begin(), text.end(), [](char c) {
        return c == '-' || detail::is_of_word(c);
    });
}

}  // namespace

TextResult<ScoreExpression> ScoreExpression::read(std::string_view text) {
    auto program = detail::ExpressionReader(text).run();
    if (!program) return program.error();
    return ScoreExpression(std::make_shared<const detail::ScoreProgram>(*std::move(program)));
}

StatusOr<ScoreExpression> ScoreExpression::parse(std::string_view text) {
    auto expression = read(text);
    if (!expression) return to_status("expression", expression.error());
    return *std::move(expression);
}

double ScoreExpression::score(const ScoreInput& input) const {
    const std::int64_t memory = all_memory(input.state.free);
    return program_->run({input.before, input.after, memory,
                          memory - input.placement.total_memory().value(),
                          input.state.free.is_idle});
}

bool ScoreExpression::is_always_number() const { return program_->is_always_number(); }

const std::string& ScoreExpression::text() const { return program_->text(); }

TextResult<NodePolicy> NodePolicy::read(std::string_view text) {
    const std::string plain = detail::without_extra_blanks(text);
    if (const auto name = enum_from_text<Policy>(plain)) return NodePolicy(*name);
    auto expression = ScoreExpression::read(text);
    if (expression) return NodePolicy(*std::move(expression));
    TextError error = expression.error();
    const auto first_word = std::find_if_not(text.begin(), text.end(), detail::is_blank);
    const bool is_at_first_word = first_word == text.begin() + error.offset;
    if (error.what == detail::unknown_column && is_at_first_word && looks_like_name(plain)) {
        std::vector<std::string_view> names;
        for (const auto& one : enum_names(Policy())) names.push_back(one.name);
        std::string expected =
            fmt::format("one of {}, or an expression as -devices_after", fmt::join(names, ", "));
        names.insert(names.end(), detail::score_columns.begin(), detail::score_columns.end());
        error.token = plain.substr(0, 64);
        error.what = "unknown policy";
        error.expected = words::with_nearest(std::move(expected), plain, names,
                                             [](std::string_view name) { return name; });
    }
    return error;
}

StatusOr<NodePolicy> NodePolicy::parse(std::string_view text) {
    auto policy = read(text);
    if (!policy) return to_status("policy", policy.error());
    return *std::move(policy);
}

}  // namespace trestle
