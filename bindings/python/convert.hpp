// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the library's building blocks look in Python.
//
//   Id, Quantity            int, checked for its range (ValueError below, OverflowError above)
//   Interval<T>             range: half-open, as in C++
//   Range<T>                trestle.Range; a plain value is a range that accepts exactly it
//   optional, vector, pair  None or the value; tuple (any iterable goes in); tuple of two
//   Shared<T>               the T
//   PreparedRequest         the Request; a prepared one goes in too
//   one of several structs  the struct that it is
//   enum                    a class of its own; its name goes in too, where a field has it
//   FeatureExpression       a class of its own; its text or names that are all wanted go in too
//   NodePolicy              the enum, or the text of an expression; a name goes in too
//   EnvironmentVariable::Value        a class of its own; a text goes in too, as a secret
//   Verdict<T>              the T, or a trestle.Refusal, which is false; a ValueError where the
//                           question is invalid
//   StatusOr<T>, Status     the T or None, or an exception by the code
//
// Structs, sets and enums are classes of their own (bind_struct.hpp, bind_set.cpp). All values are
// immutable in Python, so that what a member refers to can live inside its owner.
// Pitfall: from_python throws BadValue; nothing here may be called from a noexcept function except
// Converter<T>::fits and Converter<T>::to.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "trestle/alloc/cluster/place/prepared_request.hpp"
#include "trestle/alloc/cluster/place/score_expression.hpp"
#include "trestle/base/boxed_optional.hpp"
#include "trestle/base/enums.hpp"
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
#include "type_names.hpp"

namespace trestle::python {

using nb::detail::cleanup_list;
using nb::detail::const_name;
using nb::detail::io_name;
using nb::detail::make_caster;

/// How T is read and made. The general case is a type that nanobind knows.
template <class T>
struct Converter;

/// A type with a Converter of ours below.
template <class T>
concept Converted = requires {
    Converter<T>::is_ours;
};

/// The C++ value of a Python object. Throws BadValue.
template <class T>
[[nodiscard]] T from_python(nb::handle object);

/// `str`, `trestle.Device`: for messages.
[[nodiscard]] std::string type_name_of(nb::handle object);

[[noreturn]] void throw_wrong_type(const std::string& expected, nb::handle got);
[[noreturn]] void throw_unknown_name(const std::string& name, const std::string& known);

/// trestle.Range is written in Python (trestle/_range.py).
[[nodiscard]] bool is_range(nb::handle object);
[[nodiscard]] nb::object make_range(const nb::object& min, const nb::object& max);

/// An int, or anything with __index__, inside [least, most].
struct IntLimits {
    std::int64_t least;
    std::uint64_t most;
};
[[nodiscard]] std::uint64_t int_from_python(nb::handle object, IntLimits limits);

template <>
[[nodiscard]] FeatureExpression from_python<FeatureExpression>(nb::handle object);
template <>
[[nodiscard]] EnvironmentVariable::Value from_python<EnvironmentVariable::Value>(nb::handle object);

template <class Tag, class Rep>
struct Converter<Id<Tag, Rep>> {
    static constexpr bool is_ours = true;
    static constexpr auto name = const_name("int");

    static bool fits(nb::handle object) noexcept { return PyIndex_Check(object.ptr()); }
    static Id<Tag, Rep> from(nb::handle object) {
        return Id<Tag, Rep>(
            static_cast<Rep>(int_from_python(object, {0, std::numeric_limits<Rep>::max()})));
    }
    static nb::handle to(Id<Tag, Rep> id, nb::rv_policy, cleanup_list*) noexcept {
        return PyLong_FromUnsignedLongLong(id.value());
    }
};

template <class Unit>
struct Converter<Quantity<Unit>> {
    static constexpr bool is_ours = true;
    static constexpr auto name = const_name("int");

    static bool fits(nb::handle object) noexcept { return PyIndex_Check(object.ptr()); }
    static Quantity<Unit> from(nb::handle object) {
        constexpr auto most = static_cast<std::uint64_t>(Quantity<Unit>::max().value());
        return Quantity<Unit>(static_cast<std::int64_t>(int_from_python(object, {0, most})));
    }
    static nb::handle to(Quantity<Unit> quantity, nb::rv_policy, cleanup_list*) noexcept {
        return PyLong_FromLongLong(quantity.value());
    }
};

template <AnyOptional Optional>
struct Converter<Optional> {
    using T = typename Optional::value_type;

    static constexpr bool is_ours = true;
    static constexpr auto name = make_caster<T>::Name + const_name(" | None");

    static bool fits(nb::handle) noexcept { return true; }
    static Optional from(nb::handle object) {
        if (object.is_none()) return std::nullopt;
        return from_python<T>(object);
    }
    static nb::handle to(const Optional& value, nb::rv_policy policy,
                         cleanup_list* cleanup) noexcept {
        if (!value) return nb::none().release();
        return make_caster<T>::from_cpp(*value, policy, cleanup);
    }
};

template <AnyList List>
struct Converter<List> {
    using Element = typename List::value_type;

    static constexpr bool is_ours = true;
    static constexpr auto name = io_name("collections.abc.Iterable[", "tuple[") +
                                 make_caster<Element>::Name + io_name("]", ", ...]");

    /// A str is an iterable of str too, and never what was meant.
    static bool fits(nb::handle object) noexcept {
        return !PyUnicode_Check(object.ptr()) && !PyBytes_Check(object.ptr()) &&
               (PyType_GetSlot(Py_TYPE(object.ptr()), Py_tp_iter) != nullptr ||
                PySequence_Check(object.ptr()) != 0);
    }
    static List from(nb::handle object) {
        if (!fits(object)) throw_wrong_type("an iterable", object);
        List values;
        for (nb::handle element : nb::iter(object)) {
            try {
                values.push_back(from_python<Element>(element));
            } catch (BadValue& bad) {
                bad.inside("[" + std::to_string(values.size()) + "]");
                throw;
            }
        }
        return values;
    }
    static nb::handle to(const List& values, nb::rv_policy policy, cleanup_list* cleanup) noexcept {
        const auto size = static_cast<Py_ssize_t>(values.size());
        nb::object tuple = nb::steal(PyTuple_New(size));
        for (Py_ssize_t i = 0; tuple.is_valid() && i < size; ++i) {
            const nb::handle element = make_caster<Element>::from_cpp(
                static_cast<const Element&>(values[static_cast<std::size_t>(i)]), policy, cleanup);
            if (!element.is_valid()) return {};
            NB_TUPLE_SET_ITEM(tuple.ptr(), i, element.ptr());
        }
        return tuple.release();
    }
};

template <class... Ts>
struct Converter<std::variant<Ts...>> {
    static constexpr bool is_ours = true;
    static constexpr auto name = nb::detail::union_name(make_caster<Ts>::Name...);

    static bool fits(nb::handle object) noexcept { return (nb::isinstance<Ts>(object) || ...); }
    static std::variant<Ts...> from(nb::handle object) {
        std::variant<Ts...> value;
        const auto take = [&](auto type) {
            using T = typename decltype(type)::type;
            if (!nb::isinstance<T>(object)) return false;
            value = *nb::inst_ptr<T>(object);
            return true;
        };
        if (!(take(std::type_identity<Ts>{}) || ...)) {
            throw_wrong_type(describe<std::variant<Ts...>>(), object);
        }
        return value;
    }
    static nb::handle to(const std::variant<Ts...>& value, nb::rv_policy policy,
                         cleanup_list* cleanup) noexcept {
        return std::visit(
            [&]<class T>(const T& one) { return make_caster<T>::from_cpp(one, policy, cleanup); },
            value);
    }
};

template <>
struct Converter<NodePolicy> {
    static constexpr bool is_ours = true;
    static constexpr auto name = const_name("trestle.Policy | str");

    static bool fits(nb::handle object) noexcept {
        return nb::isinstance<Policy>(object) || PyUnicode_Check(object.ptr()) != 0;
    }
    static NodePolicy from(nb::handle object) {
        if (!fits(object)) throw_wrong_type(describe<NodePolicy>(), object);
        if (nb::isinstance<Policy>(object)) return nb::cast<Policy>(object);
        const auto policy = NodePolicy::read(nb::cast<std::string>(object));
        if (!policy) throw BadValue{PyExc_ValueError, to_text(policy.error()), {}};
        return *policy;
    }
    static nb::handle to(const NodePolicy& policy, nb::rv_policy, cleanup_list*) noexcept try {
        if (const auto name = policy.name()) return nb::cast(*name).release();
        const std::string text = to_text(policy);
        return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
    } catch (nb::python_error& error) {
        error.restore();
        return {};
    }
};

template <class A, class B>
struct Converter<std::pair<A, B>> {
    static constexpr bool is_ours = true;
    static constexpr auto name = const_name("tuple[") + make_caster<A>::Name + const_name(", ") +
                                 make_caster<B>::Name + const_name("]");

    static bool fits(nb::handle object) noexcept { return PySequence_Check(object.ptr()) != 0; }
    static std::pair<A, B> from(nb::handle object) {
        if (!fits(object) || nb::len(object) != 2) throw_wrong_type("two values", object);
        const nb::object first = object[0];
        const nb::object second = object[1];
        return {from_python<A>(first), from_python<B>(second)};
    }
    static nb::handle to(const std::pair<A, B>& both, nb::rv_policy policy,
                         cleanup_list* cleanup) noexcept {
        const auto first = nb::steal(make_caster<A>::from_cpp(both.first, policy, cleanup));
        const auto second = nb::steal(make_caster<B>::from_cpp(both.second, policy, cleanup));
        if (!first.is_valid() || !second.is_valid()) return {};
        return PyTuple_Pack(2, first.ptr(), second.ptr());
    }
};

template <class T>
struct Converter<Interval<T>> {
    static constexpr bool is_ours = true;
    static constexpr auto name = const_name("range");

    static bool fits(nb::handle object) noexcept { return PyRange_Check(object.ptr()); }
    static Interval<T> from(nb::handle object) {
        if (!fits(object)) throw_wrong_type("a range", object);
        if (nb::cast<Py_ssize_t>(object.attr("step")) != 1) {
            throw BadValue{PyExc_ValueError, "expected a range of step 1", {}};
        }
        return {from_python<T>(object.attr("start")), from_python<T>(object.attr("stop"))};
    }
    static nb::handle to(const Interval<T>& value, nb::rv_policy, cleanup_list*) noexcept {
        const auto type = nb::borrow(reinterpret_cast<PyObject*>(&PyRange_Type));
        return nb::object(type(nb::cast(value.first), nb::cast(value.end))).release();
    }
};

template <class T>
struct Converter<Range<T>> {
    static constexpr bool is_ours = true;
    static constexpr auto name = [] {
        if constexpr (Converted<T>) {
            return io_name("int | trestle.Range[int]", "trestle.Range[int]");
        } else {
            return io_name("trestle.Version | trestle.Range[trestle.Version]",
                           "trestle.Range[trestle.Version]");
        }
    }();

    static bool fits(nb::handle) noexcept { return true; }
    static Range<T> from(nb::handle object) {
        if (!is_range(object)) return Range<T>::exactly(from_python<T>(object));
        return {end(object, "min"), end(object, "max")};
    }
    static nb::handle to(const Range<T>& range, nb::rv_policy, cleanup_list*) noexcept try {
        return make_range(nb::cast(range.min), nb::cast(range.max)).release();
    } catch (nb::python_error& error) {
        error.restore();
        return {};
    }

  private:
    static std::optional<T> end(nb::handle range, const char* which) try {
        return from_python<std::optional<T>>(range.attr(which));
    } catch (BadValue& bad) {
        bad.inside(which);
        throw;
    }
};

/// A value that Python holds, as one that can be shared. The same one comes again and again, ten
/// thousand orders of one request say, so that those that came are kept by where they lie: then
/// neither is it copied, nor do readers take it for another one. The GIL guards what is kept.
template <class T>
[[nodiscard]] Shared<T> shared_of(const T& value) {
    static std::array<Shared<T>, 256> kept;
    const std::uint64_t place = reinterpret_cast<std::uintptr_t>(&value) * 0x9e37'79b9'7f4a'7c15U;
    Shared<T>& one = kept[place >> 56];
    if (!(*one == value)) one = Shared<T>(value);
    return one;
}

template <class T>
struct Converter<Shared<T>> {
    static constexpr bool is_ours = true;
    static constexpr auto name = make_caster<T>::Name;

    static bool fits(nb::handle) noexcept { return true; }
    static Shared<T> from(nb::handle object) {
        if constexpr (nb::detail::is_base_caster_v<make_caster<T>>) {
            if (nb::isinstance<T>(object)) return shared_of(nb::cast<const T&>(object));
        }
        return from_python<T>(object);
    }
    static nb::handle to(const Shared<T>& value, nb::rv_policy policy,
                         cleanup_list* cleanup) noexcept {
        return make_caster<T>::from_cpp(*value, policy, cleanup);
    }
};

/// Python's PreparedRequest: a class of its own, since a request is read as one as well.
struct PreparedHandle {
    PreparedRequest request;
};

template <>
struct Converter<PreparedRequest> {
    static constexpr bool is_ours = true;
    static constexpr auto name =
        io_name("trestle.Request | trestle.PreparedRequest", "trestle.Request");

    static bool fits(nb::handle object) noexcept {
        return nb::isinstance<PreparedHandle>(object) || nb::isinstance<Request>(object);
    }
    static PreparedRequest from(nb::handle object) {
        if (nb::isinstance<PreparedHandle>(object)) {
            return nb::cast<const PreparedHandle&>(object).request;
        }
        if (!nb::isinstance<Request>(object)) throw_wrong_type("Request", object);
        return prepared(nb::cast<const Request&>(object));
    }
    static nb::handle to(const PreparedRequest& value, nb::rv_policy policy,
                         cleanup_list* cleanup) noexcept {
        return make_caster<Request>::from_cpp(*value, policy, cleanup);
    }

  private:
    /// Those that came are kept, as by shared_of(): a request of ten thousand orders is prepared
    /// once.
    static const PreparedRequest& prepared(const Request& request);
};

template <class T>
struct Converter<Verdict<T>> {
    static constexpr bool is_ours = true;
    static constexpr auto name = make_caster<T>::Name + const_name(" | trestle.Refusal");

    static nb::handle to(const Verdict<T>& verdict, nb::rv_policy, cleanup_list* cleanup) noexcept {
        if (!verdict && verdict.refusal().constraint == Constraint::invalid) {
            PyErr_SetString(PyExc_ValueError, verdict.refusal().reason.c_str());
            return {};
        }
        if (!verdict) {
            return make_caster<Refusal>::from_cpp(verdict.refusal(), nb::rv_policy::copy, cleanup);
        }
        return make_caster<T>::from_cpp(*verdict, nb::rv_policy::copy, cleanup);
    }
};

template <class T>
struct Converter<StatusOr<T>> {
    static constexpr bool is_ours = true;
    static constexpr auto name = make_caster<T>::Name;

    static nb::handle to(const StatusOr<T>& result, nb::rv_policy, cleanup_list* cleanup) noexcept {
        if (!result.ok()) {
            set_python_error(result.status());
            return {};
        }
        return make_caster<T>::from_cpp(*result, nb::rv_policy::copy, cleanup);
    }
};

template <>
struct Converter<Status> {
    static constexpr bool is_ours = true;
    static constexpr auto name = const_name("None");

    static nb::handle to(const Status& status, nb::rv_policy, cleanup_list*) noexcept {
        if (status.ok()) return nb::none().release();
        set_python_error(status);
        return {};
    }
};

/// The value of an enum with this name. Throws BadValue that lists the names.
template <NamedEnum E>
[[nodiscard]] E named_value(nb::handle object) {
    const auto name = nb::cast<std::string>(object);
    if (const auto value = enum_from_text<E>(name)) return *value;
    std::string known;
    for (const auto& entry : enum_names(E{})) {
        known += (known.empty() ? "" : ", ") + std::string(entry.name);
    }
    throw_unknown_name(name, known);
}

template <class T>
T from_python(nb::handle object) {
    if constexpr (Converted<T>) {
        return Converter<T>::from(object);
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        using Limits = std::numeric_limits<T>;
        return static_cast<T>(int_from_python(
            object, {std::int64_t{Limits::min()}, static_cast<std::uint64_t>(Limits::max())}));
    } else if constexpr (std::is_class_v<T> && !std::is_same_v<T, std::string>) {
        if (!nb::isinstance<T>(object)) throw_wrong_type(describe<T>(), object);
        return *nb::inst_ptr<T>(object);
    } else {
        if constexpr (NamedEnum<T>) {
            if (nb::isinstance<nb::str>(object)) return named_value<T>(object);
            if (!nb::isinstance<T>(object)) throw_wrong_type(describe<T>(), object);  // no number
        }
        T value{};
        if (!nb::try_cast(object, value)) throw_wrong_type(describe<T>(), object);
        return value;
    }
}

}  // namespace trestle::python

/// nanobind meets our types here: what does not fit at once gives its TypeError with the signature,
/// what fits but has a wrong value is refused with a reason when the function is called.
template <class T>
requires trestle::python::Converted<T>
struct nanobind::detail::type_caster<T, int> {
    static constexpr auto Name = trestle::python::Converter<T>::name;
    using Value = T;
    template <class>
    using Cast = T;
    template <class>
    static constexpr bool can_cast() {
        return true;
    }

    bool from_python(handle object, std::uint32_t, cleanup_list*) noexcept {
        source = object;
        return trestle::python::Converter<T>::fits(object);
    }
    explicit operator T() {
        try {
            return trestle::python::Converter<T>::from(source);
        } catch (trestle::python::BadValue& bad) {
            bad.argument = source.ptr();
            throw;
        }
    }

    static handle from_cpp(const T& value, rv_policy policy, cleanup_list* cleanup) noexcept {
        return trestle::python::Converter<T>::to(value, policy, cleanup);
    }

    handle source;
};

template <trestle::AnyOptional T>
struct nanobind::detail::has_arg_defaults<T> : std::true_type {};
