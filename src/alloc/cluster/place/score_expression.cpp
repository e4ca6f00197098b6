// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/place/score_expression.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

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
    const bool is_one_word = error.token == plain && error.what == "unknown column";
    if (!is_one_word) return error;
    std::vector<std::string_view> names;
    for (const auto& one : enum_names(Policy())) names.push_back(one.name);
    std::string expected = fmt::format("one of {}, or an expression over {}",
                                       fmt::join(names, ", "), detail::score_names());
    names.insert(names.end(), detail::score_columns.begin(), detail::score_columns.end());
    error.what = "unknown policy";
    error.expected = words::with_nearest(std::move(expected), plain, names,
                                         [](std::string_view name) { return name; });
    return error;
}

StatusOr<NodePolicy> NodePolicy::parse(std::string_view text) {
    auto policy = read(text);
    if (!policy) return to_status("policy", policy.error());
    return *std::move(policy);
}

}  // namespace trestle
