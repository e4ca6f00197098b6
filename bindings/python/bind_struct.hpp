// SPDX-License-Identifier: Apache-2.0
#pragma once

// Python classes from the field lists of C++ structs, and enums from their tables of names.
//
// bind_struct<T>(scope, "Device") gives: a constructor of all fields by position or keyword, an
// attribute for each, ==, hash, order where C++ has one, str (to_text), replace(**changes), copy,
// pickle, and the docstrings of the header. A repr evaluates back unless the value is too large for
// a line.
// Pitfall: objects never change, and those of is_checked_when_made are consistent. Members are
// references into their owner, which lives as long as they do.

#include <nanobind/operators.h>

#include <compare>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "convert.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/request.hpp"
#include "trestle/model/slices.hpp"

namespace trestle::python {

/// The comment that stands in a header above `name` (`Device.memory`); empty where there is none.
[[nodiscard]] const char* doc(std::string_view name);

/// `slurm.` for the module trestle.slurm, `DeviceFile.` for the class; empty for trestle.
[[nodiscard]] std::string prefix_of(nb::handle scope);

/// The text as a name of Python: `_` for `-`, and an underscore behind it when Python has taken it.
[[nodiscard]] std::string python_name(std::string_view text);

/// What a default looks like in a signature: its repr with the modules of its classes.
[[nodiscard]] std::string default_text(nb::handle scope, nb::handle value);

/// One field of a struct, without its types: so that a struct costs the compiler little.
struct FieldInfo {
    std::string name;
    std::string type_in;   ///< what the constructor takes, as a type expression
    std::string type_out;  ///< what the attribute gives
    std::string description;
    std::string default_text;  ///< as default_text gives it
    nb::object (*get)(const void* self, nb::handle owner);
    void (*set)(void* self, nb::handle value);  ///< throws BadValue
    bool (*is_default)(const void* self);
    /// What a request asks of memory or disk, where few bytes are a number that lacks gib(). Null
    /// for other fields.
    const Range<Bytes>& (*asked_bytes)(const void* self);
};

struct StructInfo {
    std::string name;
    std::vector<FieldInfo> fields;
    void (*construct)(void* self);
    void (*copy)(void* self, const void* other);
    void (*destroy)(void* self);
    bool (*equal)(const void* a, const void* b);
    std::uint64_t (*hash)(const void* self);
    std::string (*text)(const void* self);
    bool (*less)(const void* a, const void* b);  ///< null where C++ has no order
    void (*check)(const void* self);             ///< throws; null where any value may be made
};

/// True where functions rely on check(T): Python makes no value that it refuses.
template <class T>
inline constexpr bool is_checked_when_made = false;
template <>
inline constexpr bool is_checked_when_made<NodeShape> = true;
template <>
inline constexpr bool is_checked_when_made<Slicing> = true;

/// `text` if it is short enough for a line, else `<name of size>`. A repr() has at most as many
/// characters (trestle/_short.py).
[[nodiscard]] std::string shown_in_a_line(std::string text, std::string_view name,
                                          std::uint64_t size);

/// Defines everything but the class itself.
void define_struct(nb::handle type, StructInfo info);

namespace detail {

template <class T>
[[nodiscard]] const T& as(const void* self) {
    return *static_cast<const T*>(self);
}

/// What stands in a place that is not looked at.
struct Skipped {
    constexpr Skipped(const auto&) {}  // NOLINT: takes any field
};

/// The field behind as many as `Before` counts.
template <class T, std::size_t... Before>
constexpr auto field_behind(std::index_sequence<Before...>) {
    return T::fields([](decltype(static_cast<void>(Before), Skipped(0))..., const auto& wanted,
                        const auto&...) { return wanted; });
}

/// The one place that turns a field list into functions.
template <class T, std::size_t I>
[[nodiscard]] FieldInfo field_info(nb::handle scope, const std::string& struct_name) {
    static constexpr auto field = field_behind<T>(std::make_index_sequence<I>());
    static constexpr auto pointer = field.pointer;
    using M = typename decltype(field)::member_type;
    FieldInfo info;
    info.name = python_name(field.name);
    info.type_in = type_text<M>(Direction::in);
    info.type_out = type_text<M>(Direction::out);
    info.description = doc(struct_name + "." + std::string(field.name));
    const std::string kind = describe<M>();
    info.description += info.description.empty() ? kind : " (" + kind + ")";
    info.get = [](const void* self, nb::handle owner) {
        return nb::cast(as<T>(self).*pointer, nb::rv_policy::reference_internal, owner);
    };
    info.set = [](void* self, nb::handle value) {
        static_cast<T*>(self)->*pointer = from_python<M>(value);
    };
    info.is_default = [](const void* self) { return as<T>(self).*pointer == T{}.*pointer; };
    info.default_text = default_text(scope, nb::cast(T{}.*pointer));
    info.asked_bytes = nullptr;
    if constexpr (std::is_same_v<M, Range<Bytes>> &&
                  (std::is_same_v<T, Request> || std::is_same_v<T, DeviceRequest>)) {
        info.asked_bytes = [](const void* self) -> const Range<Bytes>& {
            return as<T>(self).*pointer;
        };
    }
    return info;
}

template <class T, std::size_t... I>
[[nodiscard]] StructInfo struct_info([[maybe_unused]] nb::handle scope, const std::string& name,
                                     std::index_sequence<I...>) {
    StructInfo info;
    info.name = name;
    (info.fields.push_back(field_info<T, I>(scope, name)), ...);
    info.construct = [](void* self) { new (self) T{}; };
    info.copy = [](void* self, const void* other) { new (self) T(as<T>(other)); };
    info.destroy = [](void* self) { static_cast<T*>(self)->~T(); };
    info.equal = [](const void* a, const void* b) { return as<T>(a) == as<T>(b); };
    info.hash = [](const void* self) { return hash_of(as<T>(self)); };
    info.text = [](const void* self) { return std::string(to_text(as<T>(self))); };
    info.less = nullptr;
    if constexpr (std::three_way_comparable<T>) {
        info.less = [](const void* a, const void* b) { return as<T>(a) < as<T>(b); };
    }
    info.check = nullptr;
    if constexpr (is_checked_when_made<T>) {
        info.check = [](const void* self) { raise_if_error(check(as<T>(self))); };
    }
    return info;
}

}  // namespace detail

/// Fills a class that was made before, because a type inside it had to be bound first.
/// Requires: the classes of all members are bound already.
template <HasFields T>
void complete_struct(nb::class_<T>& type, nb::handle scope, const std::string& name) {
    static_assert(lists_all_fields<T>, "every member stands in the list");
    define_struct(
        type, trestle::python::detail::struct_info<T>(scope, prefix_of(scope) + name,
                                                      std::make_index_sequence<field_count<T>>()));
}

/// `documented_as` is the name in the header, where that is another.
template <HasFields T>
nb::class_<T> bind_struct(nb::handle scope, const char* name, const char* documented_as = nullptr) {
    const std::string header_name = documented_as == nullptr ? name : documented_as;
    nb::class_<T> type(scope, name, doc(prefix_of(scope) + header_name));
    complete_struct(type, scope, header_name);
    return type;
}

/// == of a value that may change, and so has no hash.
template <class T>
void bind_equality(nb::class_<T>& type) {
    type.def(
        "__eq__", [](const T& a, const T& b) { return a == b; }, nb::is_operator(),
        nb::sig("def __eq__(self, other: object, /) -> bool"));
    type.attr("__hash__") = nb::none();
}

/// ==, hash and copies of a value that is no struct and never changes.
template <class T>
void bind_value(nb::class_<T>& type) {
    bind_equality(type);
    type.def("__hash__", [](const T& self) { return static_cast<Py_hash_t>(hash_of(self)); });
    type.def(
        "__copy__", [](nb::handle self) { return nb::borrow(self); },
        nb::sig("def __copy__(self) -> typing_extensions.Self"));
    type.def(
        "__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); },
        nb::arg("memo"), nb::sig("def __deepcopy__(self, memo: object) -> typing_extensions.Self"));
}

/// A Python enum of the C++ names. str() gives the name alone, repr() evaluates back.
template <NamedEnum E>
void bind_enum(nb::handle scope, const char* name) {
    const std::string full_name = prefix_of(scope) + name;
    nb::enum_<E> type(scope, name, doc(full_name));
    for (const auto& [value, text] : enum_names(E{})) {
        const std::string key = full_name + "." + std::string(text);
        type.value(python_name(text).c_str(), value, doc(key));
    }
    type.def("__str__", [](E value) { return std::string(to_text(value)); });
    const std::string shown = nb::cast<std::string>(type.attr("__qualname__"));
    type.def("__repr__", [shown](E value) { return shown + "." + python_name(to_text(value)); });
}

}  // namespace trestle::python
