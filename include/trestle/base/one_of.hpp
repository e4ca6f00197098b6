// SPDX-License-Identifier: Apache-2.0
#pragma once

// One of several structs: a std::variant that prints, hashes and goes to JSON and Python.
//
// Layer: base. Each alternative lists its fields and names itself:
//     static constexpr std::string_view kind = "make_group";
// Main names: AnyVariant, kind_of, for_each_alternative. A struct with a variant among its fields
// has a hash_into of its own that calls detail::hash_variant: hash.hpp, which all values include,
// knows none.

#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "trestle/base/fmt.hpp"
#include "trestle/base/hash.hpp"

namespace trestle {

namespace detail {

template <class T>
inline constexpr bool is_variant = false;
template <class... Ts>
inline constexpr bool is_variant<std::variant<Ts...>> = true;

template <class Visit, class... Ts>
constexpr void for_each_alternative(std::type_identity<std::variant<Ts...>>, const Visit& visit) {
    (visit(std::type_identity<Ts>{}), ...);
}

}  // namespace detail

template <class T>
concept AnyVariant = detail::is_variant<T>;

/// The name of the alternative that `value` holds.
template <AnyVariant Variant>
[[nodiscard]] constexpr std::string_view kind_of(const Variant& value) {
    return std::visit([](const auto& one) { return std::remove_cvref_t<decltype(one)>::kind; },
                      value);
}

/// Calls `visit(std::type_identity<T>{})` for each alternative T, in order.
template <AnyVariant Variant, class Visit>
constexpr void for_each_alternative(const Visit& visit) {
    detail::for_each_alternative(std::type_identity<Variant>{}, visit);
}

/// The name of the alternative, and its text: `memory{file=high, bytes=1GiB}`.
template <AnyVariant Variant>
[[nodiscard]] std::string to_text(const Variant& value) {
    std::string text(kind_of(value));
    std::visit([&](const auto& one) { detail::print(text, one); }, value);
    return text;
}

namespace detail {

template <AnyVariant Variant>
void hash_variant(HashState& state, const Variant& value) {
    state.add(value.index());
    std::visit([&](const auto& one) { hash_into(state, one); }, value);
}

}  // namespace detail

}  // namespace trestle
