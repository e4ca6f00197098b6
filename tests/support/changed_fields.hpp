// SPDX-License-Identifier: Apache-2.0
// Every value that differs from a given one in one place: for laws that say that nothing is
// overlooked. Lists of fields are followed to their ends, into lists and optional values, too.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "support/catch.hpp"
#include "trestle/base/boxed_optional.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/small_vector.hpp"
#include "trestle/testing/arbitrary.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {

template <class T>
[[nodiscard]] T another(const T& value, testing::Choices& choices) {
    for (int i = 0; i < 1000; ++i) {
        T other = testing::arbitrary<T>(choices);
        if (!(other == value)) return other;
    }
    FAIL("there is no other value");
    return value;
}

/// Calls visit(path) after each change, and undoes the change: `steps.3.value` is another text,
/// `steps.-` lacks the first, `steps.+` has one more; `end.time_limit.-` is absent.
template <class T, class Visit>
void change_each(T& part, const std::string& path, testing::Choices& choices, const Visit& visit) {
    const T before = part;
    const auto visit_changed = [&](T changed, const std::string& what) {
        part = std::move(changed);
        visit(path + what);
        part = before;
    };
    if constexpr (HasFields<T>) {
        for_each_field(part, [&](std::string_view name, auto& member) {
            const std::string dot = path.empty() ? "" : ".";
            change_each(member, path + dot + std::string(name), choices, visit);
        });
    } else if constexpr (AnyList<T>) {
        T longer = before;
        longer.push_back(testing::arbitrary<typename T::value_type>(choices));
        visit_changed(std::move(longer), ".+");
        if (before.empty()) return;
        T shorter;
        for (std::size_t i = 1; i < before.size(); ++i) shorter.push_back(before[i]);
        visit_changed(std::move(shorter), ".-");
        for (std::size_t i = 0; i < before.size(); ++i) {
            change_each(part[i], path + "." + std::to_string(i), choices, visit);
        }
    } else if constexpr (AnyVariant<T>) {
        visit_changed(another(before, choices), ".kind");
        std::visit(
            [&](auto inside) {
                change_each(inside, path, choices, [&](const std::string& where) {
                    part = inside;
                    visit(where);
                });
            },
            before);
        part = before;
    } else if constexpr (AnyOptional<T>) {
        if (!before) {
            visit_changed(testing::arbitrary<typename T::value_type>(choices), ".+");
        } else {
            visit_changed(std::nullopt, ".-");
            typename T::value_type inside = *before;
            change_each(inside, path, choices, [&](const std::string& where) {
                part = inside;
                visit(where);
            });
            part = before;
        }
    } else {
        visit_changed(another(before, choices), "");
    }
}

}  // namespace trestle
