// SPDX-License-Identifier: Apache-2.0
#pragma once

// diff: what differs between two placements or two plans, for people who read a failed test.
//
// Layer: testing. Lines that only the first has start with `- `, lines that only the second has
// with `+ `, in the order of both; equal values give an empty text.
// A reader would get wrong: lines that are equal are not shown, so each line names its node or
// group itself.

#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::testing {

/// The changed lines between two lists of lines, as few as there can be.
/// Complexity: product of the lengths.
[[nodiscard]] std::string diff(const std::vector<std::string>& before,
                               const std::vector<std::string>& after);

namespace detail {

/// One line for each field of a struct, `<subject> <field> <value>`, those with a default left out.
template <HasFields T>
void add_lines(std::vector<std::string>& lines, const std::string& subject, const T& value) {
    const T defaults{};
    const auto add = [&](const auto& f) {
        const auto& member = value.*(f.pointer);
        if (member == defaults.*(f.pointer)) return;
        std::string line = subject + " " + std::string(f.name) + " ";
        trestle::detail::print(line, member);
        lines.push_back(std::move(line));
    };
    T::fields([&](const auto&... f) { (add(f), ...); });
}

}  // namespace detail

/// `node 3 cores 0-7`, `node 3 memory 0 16GiB`, `node 3 device 1 1`, `cluster matlab 2`: one line
/// for each thing given.
[[nodiscard]] std::vector<std::string> lines_of(const Placement& placement);

/// The steps as they print, without their numbers; then process settings and devices.
[[nodiscard]] std::vector<std::string> lines_of(const Plan& plan);

[[nodiscard]] inline std::string diff(const Placement& before, const Placement& after) {
    return diff(lines_of(before), lines_of(after));
}
[[nodiscard]] inline std::string diff(const Plan& before, const Plan& after) {
    return diff(lines_of(before), lines_of(after));
}

}  // namespace trestle::testing
