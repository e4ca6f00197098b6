// SPDX-License-Identifier: Apache-2.0
#pragma once

// How one field of two plans differs, line by line.
//
// Layer: enforce (private). Main functions: line_diff, lines_of, field_diff. Bodies: plan_diff.cpp.

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "trestle/base/boxed_optional.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/one_of.hpp"
#include "trestle/base/small_vector.hpp"
#include "trestle/enforce/plan.hpp"

namespace trestle {

namespace detail {

/// `- line` for what only `from` has, `+ line` for what only `to` has, in order, by a longest
/// common subsequence; where both differ at one place, what goes comes first. O(n m) lines.
[[nodiscard]] std::vector<std::string> line_diff(const std::vector<std::string>& from,
                                                 const std::vector<std::string>& to);

/// Every field that differs from its default, also those that a value's own text leaves out.
template <class T>
void print_whole(std::string& out, const T& value) {
    if constexpr (HasFields<T>) {
        const T defaults{};
        out += '{';
        const auto print_one = [&](const auto& one) {
            if (value.*(one.pointer) == defaults.*(one.pointer)) return;
            if (out.back() != '{') out += ", ";
            out += one.name;
            out += '=';
            print_whole(out, value.*(one.pointer));
        };
        T::fields([&](const auto&... one) { (print_one(one), ...); });
        out += '}';
    } else if constexpr (AnyList<T>) {
        out += '[';
        for (const auto& one : value) {
            if (out.back() != '[') out += ", ";
            print_whole(out, one);
        }
        out += ']';
    } else if constexpr (AnyOptional<T>) {
        if (!value) {
            out += "none";
        } else {
            print_whole(out, *value);
        }
    } else if constexpr (AnyVariant<T>) {
        out += kind_of(value);
        std::visit([&](const auto& one) { print_whole(out, one); }, value);
    } else {
        print(out, value);
    }
}

/// One field of a plan as its lines, those of steps without numbers.
[[nodiscard]] std::vector<std::string> lines_of(const Plan& plan, std::string_view field);

/// How one field differs. Where its lines do not show it, the whole field is printed.
template <class Member>
[[nodiscard]] std::vector<std::string> field_diff(const Field<Plan, Member>& field,
                                                  const Plan& from, const Plan& to) {
    if (from.*(field.pointer) == to.*(field.pointer)) return {};
    std::vector<std::string> lines =
        line_diff(lines_of(from, field.name), lines_of(to, field.name));
    if (!lines.empty()) return lines;
    for (const auto& [sign, plan] : {std::pair("- ", &from), std::pair("+ ", &to)}) {
        lines.push_back(sign + std::string(field.name) + " ");
        print_whole(lines.back(), plan->*(field.pointer));
    }
    return lines;
}

}  // namespace detail

}  // namespace trestle
