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
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
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

/// `slurm.` for the module trestle.slurm, `DeviceFile.` for the class; empty for trestle. Without
/// `has_class` that of the class's module.
[[nodiscard]] std::string prefix_of(nb::handle scope, bool has_class = true);

/// The text as a name of Python: `_` for `-`, and an underscore behind it when Python has taken it.
[[nodiscard]] std::string python_name(std::string_view text);

/// What a default looks like in a signature: its repr with the modules of its classes.
[[nodiscard]] std::string default_text(nb::handle scope, nb::handle value);

/// What can be done with members of one type, whatever struct they are in.
struct MemberType {
    std::string (*text)(Direction);                           ///< as type_text gives it
    std::string (*kind)();                                    ///< as describe gives it
    nb::object (*get)(const void* member, nb::handle owner);  ///< a copy where there is no owner
    void (*set)(void* member, nb::handle value);              ///< throws BadValue
    bool (*equal)(const void* a, const void* b);
};

/// One field of a struct. Here, and in StructInfo, no function is for one field alone: there are
/// about two thousand of them.
struct FieldInfo {
    std::string name;
    std::string header_name;
    std::ptrdiff_t offset = 0;
    const MemberType* type = nullptr;
    /// What a request asks of memory or disk: a Range<Bytes>, where few bytes are a number that
    /// lacks gib().
    bool is_asked = false;
    std::string type_in = {};   ///< what the constructor takes, as a type expression
    std::string type_out = {};  ///< what the attribute gives
    std::string description = {};
    std::string default_text = {};  ///< as default_text gives it

    [[nodiscard]] const void* of(const void* self) const {
        return static_cast<const char*>(self) + offset;
    }
    [[nodiscard]] void* of(void* self) const { return static_cast<char*>(self) + offset; }
};

/// One field as the compiler knows it, in a struct with its defaults.
struct FieldPlace {
    std::string_view name;
    const void* place;
    const MemberType* type;
    bool is_asked;
};

/// The same with offsets and Python's names. `blank` is the struct with its defaults.
[[nodiscard]] std::vector<FieldInfo> fields_of(const void* blank,
                                               std::initializer_list<FieldPlace> places);

struct StructInfo {
    std::string name;
    std::vector<FieldInfo> fields;
    const void* blank;  ///< one with its defaults; it stays for ever
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
void define_struct(nb::handle type, nb::handle scope, StructInfo info);

namespace detail {

template <class T>
[[nodiscard]] const T& as(const void* self) {
    return *static_cast<const T*>(self);
}

template <class M>
struct Members {
    static nb::object get(const void* member, nb::handle owner) {
        if (!owner.is_valid()) return nb::cast(as<M>(member), nb::rv_policy::copy);
        return nb::cast(as<M>(member), nb::rv_policy::reference_internal, owner);
    }
    static void set(void* member, nb::handle value) {
        *static_cast<M*>(member) = from_python<M>(value);
    }
    static bool equal(const void* a, const void* b) { return as<M>(a) == as<M>(b); }

    static constexpr MemberType type{&type_text<M>, &describe<M>, &get, &set, &equal};
};

template <class Field>
using member_of = typename std::remove_cvref_t<Field>::member_type;

/// What can be done with a whole struct. Lambdas would be three functions each.
template <class T>
struct Whole {
    static void construct(void* self) { new (self) T{}; }
    static void copy(void* self, const void* other) { new (self) T(as<T>(other)); }
    static void destroy(void* self) { static_cast<T*>(self)->~T(); }
    static std::uint64_t hash(const void* self) { return hash_of(as<T>(self)); }
    static std::string text(const void* self) { return std::string(to_text(as<T>(self))); }
    static bool less(const void* a, const void* b) { return as<T>(a) < as<T>(b); }
    static void check_made(const void* self) { raise_if_error(check(as<T>(self))); }
};

template <class T>
[[nodiscard]] StructInfo struct_info(const std::string& name) {
    StructInfo info;
    info.name = name;
    const T* const blank = new T{};
    info.blank = blank;
    constexpr bool is_request = std::is_same_v<T, Request> || std::is_same_v<T, DeviceRequest>;
    info.fields = T::fields([&](const auto&... fields) {
        return fields_of(
            blank,
            {{fields.name, &(blank->*fields.pointer), &Members<member_of<decltype(fields)>>::type,
              is_request && std::is_same_v<member_of<decltype(fields)>, Range<Bytes>>}...});
    });
    info.construct = &Whole<T>::construct;
    info.copy = &Whole<T>::copy;
    info.destroy = &Whole<T>::destroy;
    info.equal = &Members<T>::equal;
    info.hash = &Whole<T>::hash;
    info.text = &Whole<T>::text;
    info.less = nullptr;
    if constexpr (std::three_way_comparable<T>) info.less = &Whole<T>::less;
    info.check = nullptr;
    if constexpr (is_checked_when_made<T>) info.check = &Whole<T>::check_made;
    return info;
}

}  // namespace detail

/// Fills a class that was made before, because a type inside it had to be bound first.
/// Requires: the classes of all members are bound already.
template <HasFields T>
void complete_struct(nb::class_<T>& type, nb::handle scope, const std::string& name) {
    static_assert(lists_all_fields<T>, "every member stands in the list");
    define_struct(type, scope, trestle::python::detail::struct_info<T>(prefix_of(scope) + name));
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

/// A Python enum of the C++ names. str() gives the name alone, repr() evaluates back. The comments
/// of the header stand there above `documented_as`, with the struct around it, where that is not
/// the name.
template <NamedEnum E>
void bind_enum(nb::handle scope, const char* name, const char* documented_as = nullptr) {
    const std::string full_name = documented_as == nullptr
                                      ? prefix_of(scope) + name
                                      : prefix_of(scope, false) + documented_as;
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
