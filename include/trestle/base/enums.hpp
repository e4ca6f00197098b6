// SPDX-License-Identifier: Apache-2.0
#pragma once

// Enumerators and their names: one table for text, JSON and Python.
//
// Layer: base. An enum E is named by a constexpr function found by argument-dependent look-up:
//     constexpr auto enum_names(Health) {
//         return std::array{named(Health::healthy, "healthy"), ...};
//     }
// Pitfall: the names are part of the JSON format, so changing one is a break.

#include <array>
#include <optional>
#include <string_view>
#include <type_traits>

namespace trestle {

namespace detail {

template <class E>
struct EnumName {
    E value;
    std::string_view name;
};

}  // namespace detail

template <class E>
[[nodiscard]] constexpr detail::EnumName<E> named(E value, std::string_view name) {
    return {value, name};
}

/// An enum with a table of names.
template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) {
    enum_names(e);
};

/// The name of `value`; "?" for a value that is none of the enumerators.
template <NamedEnum E>
[[nodiscard]] constexpr std::string_view to_text(E value) {
    for (const auto& entry : enum_names(E{})) {
        if (entry.value == value) return entry.name;
    }
    return "?";
}

/// The enumerator called `name`, or nothing.
template <NamedEnum E>
[[nodiscard]] constexpr std::optional<E> enum_from_text(std::string_view name) {
    for (const auto& entry : enum_names(E{})) {
        if (entry.name == name) return entry.value;
    }
    return std::nullopt;
}

}  // namespace trestle
