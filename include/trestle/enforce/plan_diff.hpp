// SPDX-License-Identifier: Apache-2.0
#pragma once

// plan_diff: how two plans differ, line by line, for people.
//
// Layer: enforce. Main function: plan_diff. What leads from one to the other, in a safe order, is
// plan_update.
// A reader would get wrong: lines that both have are not shown, nor are numbers of steps.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "trestle/enforce/plan.hpp"

namespace trestle {

namespace detail {

/// `- line` for what only `from` has, `+ line` for what only `to` has, in order, by a longest
/// common subsequence; where both differ at one place, what goes comes first. O(n m) lines.
[[nodiscard]] inline std::vector<std::string> line_diff(const std::vector<std::string>& from,
                                                        const std::vector<std::string>& to) {
    const std::size_t n = from.size(), m = to.size();
    // common[i][j]: how many lines from[i..] and to[j..] have in common.
    std::vector<std::vector<std::size_t>> common(n + 1, std::vector<std::size_t>(m + 1));
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t j = m; j-- > 0;) {
            common[i][j] = from[i] == to[j] ? common[i + 1][j + 1] + 1
                                            : std::max(common[i + 1][j], common[i][j + 1]);
        }
    }
    std::vector<std::string> lines;
    for (std::size_t i = 0, j = 0; i < n || j < m;) {
        if (i < n && j < m && from[i] == to[j]) {
            ++i;
            ++j;
        } else if (j == m || (i < n && common[i + 1][j] >= common[i][j + 1])) {
            lines.push_back("- " + from[i++]);
        } else {
            lines.push_back("+ " + to[j++]);
        }
    }
    return lines;
}

/// A plan as its lines, those of steps without numbers.
[[nodiscard]] inline std::vector<std::string> lines_of(const Plan& plan) {
    std::vector<std::string> lines{
        fmt::format("plan {} for owner {}", plan.group, plan.owner.value())};
    for (const Step& step : plan.steps) lines.push_back(to_text(step));
    for (const Shortfall& one : plan.shortfalls) lines.push_back(shortfall_line(one));
    for (std::string& line : settings_lines(plan.process)) lines.push_back(std::move(line));
    return lines;
}

}  // namespace detail

/// How `to` differs from `from`: `- step` for each line of to_text that only `from` has, `+ step`
/// for each that only `to` has, in order. Empty when both print alike.
[[nodiscard]] inline std::vector<std::string> plan_diff(const Plan& from, const Plan& to) {
    return detail::line_diff(detail::lines_of(from), detail::lines_of(to));
}

}  // namespace trestle
