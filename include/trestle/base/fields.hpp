// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one list of a struct's fields, from which hash, text, JSON and Python are made.
//
// Layer: base. A struct writes
//     static constexpr auto fields(auto list) {
//         return list(field("name", &Device::name), field("cores", &Device::cores));
//     }
// and gains hash_of, to_text, JSON and Python attributes. Equality is the compiler's own. `list` is
// whatever wants to see the fields, all at once; a std::tuple of them would be every struct's
// most expensive part to compile.
// Pitfall: nothing here finds a field that is missing in the list. Write
// static_assert(lists_all_fields<Device>) in the test of a struct, which counts its members.

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace trestle {

namespace detail {

/// One member of `Struct`: its name and where it lies.
template <class Struct, class Member>
struct Field {
    using struct_type = Struct;
    using member_type = Member;

    std::string_view name;
    Member Struct::*pointer;
};

}  // namespace detail

template <class Struct, class Member>
[[nodiscard]] constexpr detail::Field<Struct, Member> field(std::string_view name,
                                                            Member Struct::*pointer) {
    return {name, pointer};
}

namespace detail {

struct CountFields {
    constexpr std::size_t operator()(const auto&... fields) const { return sizeof...(fields); }
};

}  // namespace detail

/// A struct that lists its fields.
template <class T>
concept HasFields = requires {
    T::fields(detail::CountFields{});
};

template <HasFields T>
inline constexpr std::size_t field_count = T::fields(detail::CountFields{});

/// Calls `visit(name, member)` for each field of `value` in the order of the list.
template <class T, class Visit>
requires HasFields<std::remove_const_t<T>>
constexpr void for_each_field(T& value, Visit&& visit) {
    std::remove_const_t<T>::fields(
        [&](const auto&... f) { (visit(f.name, value.*(f.pointer)), ...); });
}

namespace detail {

struct AnyMember {
    template <class T>
    operator T() const;  // NOLINT: never defined, only named in unevaluated braces
};

template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
    return requires { T{(static_cast<void>(I), AnyMember{})...}; };
}

template <class T, std::size_t N>
constexpr bool has_members = takes<T>(std::make_index_sequence<N>{});

}  // namespace detail

/// True when `T::fields()` names every member of the aggregate `T`.
template <HasFields T>
inline constexpr bool lists_all_fields =
    !std::is_aggregate_v<T> ||
    (detail::has_members<T, field_count<T>> && !detail::has_members<T, field_count<T> + 1>);

}  // namespace trestle
