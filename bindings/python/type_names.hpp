// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the types of the library are called in Python: for people, and in stub files.
//
// Main functions: describe<T>(), type_text<T>(direction).

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "trestle/alloc/cluster/place/prepared_request.hpp"
#include "trestle/alloc/cluster/place/score_expression.hpp"
#include "trestle/base/boxed_optional.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/one_of.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/small_vector.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/enforce/process/environment.hpp"
#include "trestle/enforce/process/usage.hpp"
#include "trestle/model/features.hpp"

namespace trestle::python {

enum class Direction { in, out };

[[noreturn]] void throw_unbound(const char* type);

/// The Python class of T. Throws std::logic_error, which fails the import, when none is bound yet.
template <class T>
[[nodiscard]] nb::handle bound_type() {
    const nb::handle type = nb::type<T>();
    if (!type.is_valid()) throw_unbound(typeid(T).name());
    return type;
}

/// `Device` of a class, and `trestle.Device`.
[[nodiscard]] std::string class_name(nb::handle type);
[[nodiscard]] std::string class_text(nb::handle type);

/// What a type is called: `describe` for people, with the unit or kind of a number, and `type_text`
/// as a type expression for stub files.
template <class T>
struct TypeNames {
    static std::string describe() {
        if constexpr (std::is_same_v<T, std::string>) {
            return "str";
        } else if constexpr (std::is_same_v<T, bool>) {
            return "bool";
        } else if constexpr (std::is_integral_v<T>) {
            return "int";
        } else if constexpr (std::is_floating_point_v<T>) {
            return "float";
        } else {
            return class_name(bound_type<T>());
        }
    }
    static std::string type_text(Direction direction) {
        if constexpr ((std::is_class_v<T> && !std::is_same_v<T, std::string>) ||
                      std::is_enum_v<T>) {
            const bool is_name_too = std::is_enum_v<T> && direction == Direction::in;
            return class_text(bound_type<T>()) + (is_name_too ? " | str" : "");
        } else {
            return describe();
        }
    }
};
template <class T>
[[nodiscard]] std::string describe() {
    return TypeNames<T>::describe();
}
template <class T>
[[nodiscard]] std::string type_text(Direction direction) {
    return TypeNames<T>::type_text(direction);
}

/// The words for the numbers of one unit or kind.
template <class T>
inline constexpr const char* kind_of_number = "a number";
template <>
inline constexpr const char* kind_of_number<Bytes> = "bytes";
template <>
inline constexpr const char* kind_of_number<MilliCpu> = "thousandths of a hardware thread";
template <>
inline constexpr const char* kind_of_number<Count> = "a count";
template <>
inline constexpr const char* kind_of_number<Seconds> = "seconds";
template <>
inline constexpr const char* kind_of_number<Instant> = "seconds since a moment of the caller's";
template <>
inline constexpr const char* kind_of_number<Microseconds> = "microseconds";
template <>
inline constexpr const char* kind_of_number<Microjoules> = "microjoules";
template <>
inline constexpr const char* kind_of_number<Milliwatts> = "milliwatts";
template <>
inline constexpr const char* kind_of_number<BasisPoints> = "hundredths of a percent";
template <>
inline constexpr const char* kind_of_number<Celsius> = "degrees Celsius";
template <>
inline constexpr const char* kind_of_number<Microdollars> = "millionths of a US dollar";
template <>
inline constexpr const char* kind_of_number<OsIndex> = "the kernel's number";
template <>
inline constexpr const char* kind_of_number<CoreId> = "position of a core";
template <>
inline constexpr const char* kind_of_number<DomainId> = "position of a memory domain";
template <>
inline constexpr const char* kind_of_number<DeviceId> = "position of a device";
template <>
inline constexpr const char* kind_of_number<BlockId> = "position of a block";
template <>
inline constexpr const char* kind_of_number<NodeId> = "position of a node";
template <>
inline constexpr const char* kind_of_number<OwnerId> = "the caller's number of an owner";

template <class Number>
struct NumberNames {
    static std::string describe() { return std::string("int, ") + kind_of_number<Number>; }
    static std::string type_text(Direction) { return "int"; }
};
template <class Tag, class Rep>
struct TypeNames<Id<Tag, Rep>> : NumberNames<Id<Tag, Rep>> {};
template <class Unit>
struct TypeNames<Quantity<Unit>> : NumberNames<Quantity<Unit>> {};

template <class... Ts>
struct TypeNames<std::variant<Ts...>> {
    static std::string describe() {
        std::string text;
        ((text += (text.empty() ? "" : " or ") + python::describe<Ts>()), ...);
        return text;
    }
    static std::string type_text(Direction d) {
        std::string text;
        ((text += (text.empty() ? "" : " | ") + python::type_text<Ts>(d)), ...);
        return text;
    }
};
template <AnyOptional Optional>
struct TypeNames<Optional> {
    using T = typename Optional::value_type;

    static std::string describe() { return python::describe<T>() + ", or None"; }
    static std::string type_text(Direction d) { return python::type_text<T>(d) + " | None"; }
};
template <AnyList List>
struct TypeNames<List> {
    using Element = typename List::value_type;

    static std::string describe() { return "each: " + python::describe<Element>(); }
    static std::string type_text(Direction d) {
        const std::string element = python::type_text<Element>(d);
        return d == Direction::in ? "collections.abc.Iterable[" + element + "]"
                                  : "tuple[" + element + ", ...]";
    }
};
template <class A, class B>
struct TypeNames<std::pair<A, B>> {
    static std::string describe() {
        return "(" + python::describe<A>() + "; " + python::describe<B>() + ")";
    }
    static std::string type_text(Direction d) {
        return "tuple[" + python::type_text<A>(d) + ", " + python::type_text<B>(d) + "]";
    }
};
template <class T>
struct TypeNames<Range<T>> {
    static std::string describe() { return "a Range of: " + python::describe<T>(); }
    static std::string type_text(Direction d) {
        const std::string end = python::type_text<T>(d);
        const std::string range = "trestle.Range[" + end + "]";
        return d == Direction::in ? end + " | " + range : range;
    }
};
template <class T>
struct TypeNames<Interval<T>> {
    static std::string describe() { return "a range of step 1"; }
    static std::string type_text(Direction) { return "range"; }
};
template <class T>
struct TypeNames<Shared<T>> : TypeNames<T> {};
template <>
struct TypeNames<PreparedRequest> {
    static std::string describe() { return "Request, or a PreparedRequest"; }
    static std::string type_text(Direction d) {
        return d == Direction::in ? "trestle.Request | trestle.PreparedRequest" : "trestle.Request";
    }
};
template <>
struct TypeNames<FeatureExpression> {
    static std::string describe() { return "FeatureExpression, its text, or names, all wanted"; }
    static std::string type_text(Direction d) {
        const std::string type = "trestle.FeatureExpression";
        return d == Direction::in ? "str | collections.abc.Iterable[str] | " + type : type;
    }
};
template <>
struct TypeNames<NodePolicy> {
    static std::string describe() { return "Policy, its name, or an expression as text"; }
    static std::string type_text(Direction) { return "trestle.Policy | str"; }
};
template <>
struct TypeNames<EnvironmentVariable::Value> {
    static std::string describe() { return "EnvironmentValue, or a text, which is a secret"; }
    static std::string type_text(Direction d) {
        const std::string type = "trestle.EnvironmentValue";
        return d == Direction::in ? "str | " + type : type;
    }
};

}  // namespace trestle::python
