// SPDX-License-Identifier: Apache-2.0
#pragma once

// How single values and lists of them go to a JSON document and back; structs are in codec.hpp.
//
// Layer: dialect. For specialisations of Codec. A reader that finds something else than it expects
// tells the place, and returns false up to the caller.

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "trestle/base/boxed_optional.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/small_vector.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/text.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/json/value.hpp"
#include "trestle/enforce/process/environment.hpp"
#include "trestle/model/features.hpp"
#include "trestle/set/text.hpp"

namespace trestle::json {

namespace detail {

/// Where a value stands: a chain of places up to the document, in text only when something is
/// wrong. What is wrong is written to `failure` of the reader, so that the code that reads a type
/// returns only a bool. Thousands of functions that return a StatusOr would cost programs that read
/// documents most of their compilation.
struct Place {
    Status* failure = nullptr;
    const Place* above = nullptr;
    std::optional<std::size_t> index;  ///< in a list
    std::string_view name;             ///< in an object

    [[nodiscard]] Place member(std::string_view its_name) const {
        return {failure, this, {}, its_name};
    }
    [[nodiscard]] Place element(std::size_t its_index) const {
        return {failure, this, its_index, {}};
    }
    /// `nodes[3].shape`; empty for the document itself.
    [[nodiscard]] std::string path() const;
    /// `json: nodes[3].shape: <what>, expected <expected>`.
    [[nodiscard]] Status error(std::string_view what, std::string_view expected) const;
    /// Writes the error to `failure`; false.
    [[nodiscard]] bool fail(std::string_view what, std::string_view expected) const;
    /// Writes what check() says of the value at this place to `failure`; true when it is Ok.
    [[nodiscard]] bool accept(const Status& checked) const;
    [[nodiscard]] bool unexpected(const Value& found, std::string_view expected) const {
        return fail(describe(found), expected);
    }
};

/// A name of ours and how the document spells it.
struct MemberName {
    std::string_view ours;
    Spelling spelling;

    /// Whether the document's `name` is this one.
    [[nodiscard]] bool is(std::string_view name) const;
};

/// `one of nodes, partition`, in this spelling.
[[nodiscard]] std::string one_of(std::initializer_list<std::string_view> ours, Spelling spelling);

/// The whole number of `value` when it lies in [min, max].
[[nodiscard]] bool read_signed(const Value& value, const Place& place, std::int64_t min,
                               std::int64_t max, std::int64_t& result);
[[nodiscard]] bool read_unsigned(const Value& value, const Place& place, std::uint64_t max,
                                 std::uint64_t& result);

/// How one type goes to JSON and back. Specialised below, `T` of every kind once. read() is true
/// when `result` has the value, and false when the error was reported at its place.
template <class T>
struct Codec;

template <>
struct Codec<bool> {
    static Value write(bool value) { return {value}; }
    static bool read(const Value& value, const Place& place, bool& result) {
        const auto* is = std::get_if<bool>(&value.data);
        if (is == nullptr) return place.unexpected(value, "true or false");
        result = *is;
        return true;
    }
};

template <std::integral T>
struct Codec<T> {
    static Value write(T value) {
        if constexpr (std::is_signed_v<T>) {
            if (value < 0) return {std::int64_t{value}};
        }
        return {static_cast<std::uint64_t>(value)};
    }
    static bool read(const Value& value, const Place& place, T& result) {
        using Limits = std::numeric_limits<T>;
        if constexpr (std::is_signed_v<T>) {
            std::int64_t number = 0;
            if (!read_signed(value, place, Limits::min(), Limits::max(), number)) return false;
            result = static_cast<T>(number);
        } else {
            std::uint64_t number = 0;
            if (!read_unsigned(value, place, Limits::max(), number)) return false;
            result = static_cast<T>(number);
        }
        return true;
    }
};

template <NamedEnum T>
struct Codec<T> {
    static Value write(T value) { return {std::string(to_text(value))}; }
    static bool read(const Value& value, const Place& place, T& result) {
        if (const auto* text = std::get_if<std::string>(&value.data)) {
            if (const auto found = enum_from_text<T>(*text)) {
                result = *found;
                return true;
            }
        }
        std::string names;
        for (const auto& entry : enum_names(T{})) {
            names += names.empty() ? "one of " : ", ";
            names += entry.name;
        }
        return place.unexpected(value, names);
    }
};

template <>
struct Codec<std::string> {
    static Value write(const std::string& value) { return {value}; }
    static bool read(const Value& value, const Place& place, std::string& result) {
        const auto* text = std::get_if<std::string>(&value.data);
        if (text == nullptr) return place.unexpected(value, "text");
        result = *text;
        return true;
    }
};

template <class Tag, class Rep>
struct Codec<Id<Tag, Rep>> {
    static Value write(Id<Tag, Rep> id) { return Codec<Rep>::write(id.value()); }
    static bool read(const Value& value, const Place& place, Id<Tag, Rep>& result) {
        Rep number{};
        if (!Codec<Rep>::read(value, place, number)) return false;
        result = Id<Tag, Rep>(number);
        return true;
    }
};

template <class Unit>
struct Codec<Quantity<Unit>> {
    static Value write(Quantity<Unit> quantity) {
        return {static_cast<std::uint64_t>(quantity.value())};
    }
    static bool read(const Value& value, const Place& place, Quantity<Unit>& result) {
        std::int64_t number = 0;
        constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
        if (!read_signed(value, place, 0, max, number)) return false;
        result = Quantity<Unit>(number);
        return true;
    }
};

template <AnyOptional Optional>
struct Codec<Optional> {
    using T = typename Optional::value_type;

    static Value write(const Optional& value) { return value ? Codec<T>::write(*value) : Value{}; }
    static bool read(const Value& value, const Place& place, Optional& result) {
        result = Optional();
        if (value.is_null()) return true;
        T inner{};
        if (!Codec<T>::read(value, place, inner)) return false;
        result = Optional(std::move(inner));
        return true;
    }
};

template <AnyList Values>
struct Codec<Values> {
    using Element = typename Values::value_type;

    static Value write(const Values& values) {
        List list;
        list.reserve(values.size());
        for (const Element& value : values) list.push_back(Codec<Element>::write(value));
        return {std::move(list)};
    }
    static bool read(const Value& value, const Place& place, Values& result) {
        const auto* list = std::get_if<List>(&value.data);
        if (list == nullptr) return place.unexpected(value, "a list");
        result = Values();
        result.reserve(list->size());
        for (std::size_t i = 0; i < list->size(); ++i) {
            Element element{};
            if (!Codec<Element>::read((*list)[i], place.element(i), element)) return false;
            result.push_back(std::move(element));
        }
        return true;
    }
};

template <class A, class B>
struct Codec<std::pair<A, B>> {
    static Value write(const std::pair<A, B>& both) {
        return {List{Codec<A>::write(both.first), Codec<B>::write(both.second)}};
    }
    static bool read(const Value& value, const Place& place, std::pair<A, B>& result) {
        const auto* list = std::get_if<List>(&value.data);
        if (list == nullptr || list->size() != 2) {
            return place.unexpected(value, "a list of two");
        }
        return Codec<A>::read((*list)[0], place.element(0), result.first) &&
               Codec<B>::read((*list)[1], place.element(1), result.second);
    }
};

template <IndexSetLike T>
struct Codec<T> {
    static Value write(const T& set) { return {to_text(set)}; }
    static bool read(const Value& value, const Place& place, T& result) {
        const auto* text = std::get_if<std::string>(&value.data);
        if (text == nullptr) return place.unexpected(value, "a list of numbers as text, \"0-3,8\"");
        // Runs cost nothing to keep, so a set may be as large as its type allows.
        const auto set = parse_set<T>(*text, std::uint64_t{1} << 33);
        if (!set) {
            const TextError& error = set.error();
            return place.fail(to_text(TextError{error.offset, error.token, error.what, {}}),
                              error.expected);
        }
        result = *set;
        return true;
    }
};

/// A type that is a text: T::read(text) makes one, to_text() gives the text.
template <class T>
concept ReadsItself = requires(std::string_view text) {
    { T::read(text) } -> std::same_as<TextResult<T>>;
};

template <ReadsItself T>
struct Codec<T> {
    static Value write(const T& value) { return {to_text(value)}; }
    static bool read(const Value& value, const Place& place, T& result) {
        const auto* text = std::get_if<std::string>(&value.data);
        if (text == nullptr) return place.unexpected(value, "text");
        auto found = T::read(*text);
        if (!found) {
            const TextError& error = found.error();
            return place.fail(to_text(TextError{error.offset, error.token, error.what, {}}),
                              error.expected);
        }
        result = *std::move(found);
        return true;
    }
};

/// A list of names, all of which are wanted, is read too.
template <>
struct Codec<FeatureExpression> {
    static Value write(const FeatureExpression& expression) { return {to_text(expression)}; }
    static bool read(const Value& value, const Place& place, FeatureExpression& result) {
        if (std::holds_alternative<List>(value.data)) {
            std::vector<std::string> names;
            if (!Codec<std::vector<std::string>>::read(value, place, names)) return false;
            result = FeatureExpression(names);
            return true;
        }
        const auto* text = std::get_if<std::string>(&value.data);
        if (text == nullptr) return place.unexpected(value, "features as text, \"ib&!old\"");
        const auto expression = FeatureExpression::read(TextCursor(*text));
        if (!expression) {
            const TextError& error = expression.error();
            return place.fail(to_text(TextError{error.offset, error.token, error.what, {}}),
                              error.expected);
        }
        result = *expression;
        return true;
    }
};

/// What may be shown is its text, a secret an object with its digest. `{"secret": "text"}` is read
/// too, so that a document can bring one in, and never written.
template <>
struct Codec<EnvironmentVariable::Value> {
    static Value write(const EnvironmentVariable::Value& value) {
        if (!value.is_secret()) return {value.reveal()};
        return {Object{{"digest", {value.digest()}}}};
    }
    static bool read(const Value& value, const Place& place, EnvironmentVariable::Value& result) {
        if (const auto* text = std::get_if<std::string>(&value.data)) {
            result = EnvironmentVariable::Value::shown(*text);
            return true;
        }
        constexpr const char* expected = "a text, or an object with digest or secret";
        const auto* object = std::get_if<Object>(&value.data);
        if (object == nullptr || object->size() != 1) return place.unexpected(value, expected);
        const auto& [name, member] = object->front();
        const auto* text = std::get_if<std::string>(&member.data);
        if (text == nullptr) return place.fail("another object", expected);
        if (name == "secret") {
            result = EnvironmentVariable::Value(*text);
            return true;
        }
        if (name != "digest") return place.fail("an unknown name", "digest or secret");
        auto known = EnvironmentVariable::Value::of_digest(*text);
        if (!known.ok()) {
            return place.member("digest").fail("another text", "sha256: and 12 hexadecimal digits");
        }
        result = *std::move(known);
        return true;
    }
};

template <class T>
struct Codec<Shared<T>> {
    static Value write(const Shared<T>& value) { return Codec<T>::write(*value); }
    static bool read(const Value& value, const Place& place, Shared<T>& result) {
        T inner{};
        if (!Codec<T>::read(value, place, inner)) return false;
        result = Shared<T>(std::move(inner));
        return true;
    }
};

}  // namespace detail

}  // namespace trestle::json
