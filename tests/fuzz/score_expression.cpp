// SPDX-License-Identifier: Apache-2.0
// What is read prints, the print is read as the same; it is worth the same, and a number where it
// says that it is always one. An error points into the text.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "alloc/cluster/place/score/expression_reader.hpp"
#include "fuzz/target.hpp"
#include "trestle/alloc/cluster/place/score_expression.hpp"

using trestle::fuzz::require;

using namespace trestle;

TRESTLE_FUZZ(score_expression) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto read = NodePolicy::read(text);
    if (!read) {
        require(read.error().offset <= text.size());
        require(!read.error().what.empty() && !read.error().expected.empty());
        return;
    }
    const auto again = NodePolicy::parse(to_text(*read));
    require(again.ok() && *again == *read);
    if (!read->expression()) return;
    const auto program = detail::ExpressionReader(text).run();
    const auto same = detail::ExpressionReader(to_text(*read)).run();
    const ScoreInput::Amounts none;
    const ScoreInput::Amounts some{4000, 1500, {1000, 500}};
    for (const ScoreInput::Amounts* const before : {&none, &some}) {
        const detail::ScoreRow row{*before, none, std::int64_t{1} << 62, 0, before == &none};
        const double value = program->run(row);
        require(value == same->run(row) || (std::isnan(value) && std::isnan(same->run(row))));
        require(!program->is_always_number() || !std::isnan(value));
    }
}
