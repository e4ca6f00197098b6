// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every value of the library to a JSON document and back, from its list of fields.
//
// Layer: dialect. to_value(x), from_value<T>(document). Structs with fields() are objects, enums
// their names, ids and quantities whole numbers, sets of indexes their list text ("0-3,8"), one of
// several structs is that struct with its name as `kind`, feature expressions theirs ("ib&!old"),
// optionals the value or null, pairs lists of two; a secret variable is {"digest": "sha256:..."}
// and comes back as no more than that. A class with private state specialises detail::Codec, as
// cluster.hpp does. A reader would get wrong: a field that equals its default is not written (an id
// and an enum are, always; in somebody else's format, whose struct has a `spelling`, numbers and
// truth values too), and a field that is missing has its default. So defaults belong to the format;
// check() is the caller's.

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/one_of.hpp"
#include "trestle/base/rare.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/short_list.hpp"
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
/// wrong.
struct Place {
    const Place* above = nullptr;
    std::optional<std::size_t> index;  ///< in a list
    std::string_view name;             ///< in an object

    [[nodiscard]] Place member(std::string_view its_name) const { return {this, {}, its_name}; }
    [[nodiscard]] Place element(std::size_t its_index) const { return {this, its_index, {}}; }
    /// `nodes[3].shape`; empty for the document itself.
    [[nodiscard]] std::string path() const;
    /// `json: nodes[3].shape: <what>, expected <expected>`.
    [[nodiscard]] Status error(std::string_view what, std::string_view expected) const;
    [[nodiscard]] Status unexpected(const Value& found, std::string_view expected) const {
        return error(describe(found), expected);
    }
};

/// The whole number of `value` when it lies in [min, max].
[[nodiscard]] StatusOr<std::int64_t> read_signed(const Value& value, const Place& place,
                                                 std::int64_t min, std::int64_t max);
[[nodiscard]] StatusOr<std::uint64_t> read_unsigned(const Value& value, const Place& place,
                                                    std::uint64_t max);

/// How one type goes to JSON and back; specialised below, `T` of every kind once.
template <class T>
struct Codec;

template <>
struct Codec<bool> {
    static Value write(bool value) { return {value}; }
    static StatusOr<bool> read(const Value& value, const Place& place) {
        if (const auto* is = std::get_if<bool>(&value.data)) return *is;
        return place.unexpected(value, "true or false");
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
    static StatusOr<T> read(const Value& value, const Place& place) {
        using Limits = std::numeric_limits<T>;
        if constexpr (std::is_signed_v<T>) {
            TRESTLE_TRY(const auto number, read_signed(value, place, Limits::min(), Limits::max()));
            return static_cast<T>(number);
        } else {
            TRESTLE_TRY(const auto number, read_unsigned(value, place, Limits::max()));
            return static_cast<T>(number);
        }
    }
};

template <NamedEnum T>
struct Codec<T> {
    static Value write(T value) { return {std::string(to_text(value))}; }
    static StatusOr<T> read(const Value& value, const Place& place) {
        const auto* text = std::get_if<std::string>(&value.data);
        if (text != nullptr) {
            if (const auto found = enum_from_text<T>(*text)) return *found;
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
    static StatusOr<std::string> read(const Value& value, const Place& place) {
        if (const auto* text = std::get_if<std::string>(&value.data)) return *text;
        return place.unexpected(value, "text");
    }
};

template <class Tag, class Rep>
struct Codec<Id<Tag, Rep>> {
    static Value write(Id<Tag, Rep> id) { return Codec<Rep>::write(id.value()); }
    static StatusOr<Id<Tag, Rep>> read(const Value& value, const Place& place) {
        TRESTLE_TRY(const auto number, Codec<Rep>::read(value, place));
        return Id<Tag, Rep>(number);
    }
};

template <class Unit>
struct Codec<Quantity<Unit>> {
    static Value write(Quantity<Unit> quantity) {
        return {static_cast<std::uint64_t>(quantity.value())};
    }
    static StatusOr<Quantity<Unit>> read(const Value& value, const Place& place) {
        TRESTLE_TRY(const auto number,
                    read_signed(value, place, 0, std::numeric_limits<std::int64_t>::max()));
        return Quantity<Unit>(number);
    }
};

template <AnyOptional Optional>
struct Codec<Optional> {
    using T = typename Optional::value_type;

    static Value write(const Optional& value) { return value ? Codec<T>::write(*value) : Value{}; }
    static StatusOr<Optional> read(const Value& value, const Place& place) {
        if (value.is_null()) return Optional();
        TRESTLE_TRY(auto inner, Codec<T>::read(value, place));
        return Optional(std::move(inner));
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
    static StatusOr<Values> read(const Value& value, const Place& place) {
        const auto* list = std::get_if<List>(&value.data);
        if (list == nullptr) return place.unexpected(value, "a list");
        Values values;
        values.reserve(list->size());
        for (std::size_t i = 0; i < list->size(); ++i) {
            TRESTLE_TRY(auto element, Codec<Element>::read((*list)[i], place.element(i)));
            values.push_back(std::move(element));
        }
        return values;
    }
};

template <class A, class B>
struct Codec<std::pair<A, B>> {
    static Value write(const std::pair<A, B>& both) {
        return {List{Codec<A>::write(both.first), Codec<B>::write(both.second)}};
    }
    static StatusOr<std::pair<A, B>> read(const Value& value, const Place& place) {
        const auto* list = std::get_if<List>(&value.data);
        if (list == nullptr || list->size() != 2) {
            return place.unexpected(value, "a list of two");
        }
        TRESTLE_TRY(auto first, Codec<A>::read((*list)[0], place.element(0)));
        TRESTLE_TRY(auto second, Codec<B>::read((*list)[1], place.element(1)));
        return std::pair<A, B>(std::move(first), std::move(second));
    }
};

/// The alternative's own object, and its name in front: `{"kind": "load_filter", ...}`.
template <AnyVariant Variant>
struct Codec<Variant> {
    static Value write(const Variant& value) {
        Value written = std::visit(
            [](const auto& one) { return Codec<std::remove_cvref_t<decltype(one)>>::write(one); },
            value);
        auto& object = std::get<Object>(written.data);
        object.insert(object.begin(), {"kind", {std::string(kind_of(value))}});
        return written;
    }
    static StatusOr<Variant> read(const Value& value, const Place& place) {
        const auto* object = std::get_if<Object>(&value.data);
        if (object == nullptr) return place.unexpected(value, "an object");
        Object fields = *object;
        const auto kind = std::find_if(fields.begin(), fields.end(),
                                       [](const Member& one) { return one.name == "kind"; });
        if (kind == fields.end()) return place.error("no kind", names());
        const Value wanted = std::move(kind->value);
        fields.erase(kind);
        const auto* name = std::get_if<std::string>(&wanted.data);
        StatusOr<Variant> found = place.member("kind").unexpected(wanted, names());
        for_each_alternative<Variant>([&](auto type) {
            using T = typename decltype(type)::type;
            if (name == nullptr || *name != T::kind) return;
            auto read = Codec<T>::read({std::move(fields)}, place);
            if (read.ok()) {
                found = Variant(*std::move(read));
            } else {
                found = read.status();
            }
        });
        return found;
    }

  private:
    static std::string names() {
        std::string text;
        for_each_alternative<Variant>([&](auto type) {
            text += text.empty() ? "one of " : ", ";
            text += decltype(type)::type::kind;
        });
        return text;
    }
};

template <IndexSetLike T>
struct Codec<T> {
    static Value write(const T& set) { return {to_text(set)}; }
    static StatusOr<T> read(const Value& value, const Place& place) {
        const auto* text = std::get_if<std::string>(&value.data);
        if (text == nullptr) return place.unexpected(value, "a list of numbers as text, \"0-3,8\"");
        // Runs cost nothing to keep, so a set may be as large as its type allows.
        const auto set = parse_set<T>(*text, {.max_members = std::uint64_t{1} << 33});
        if (!set) {
            const TextError& error = set.error();
            return place.error(to_text(TextError{error.offset, error.token, error.what, {}}),
                               error.expected);
        }
        return *set;
    }
};

/// A list of names, all of which are wanted, is read too.
template <>
struct Codec<FeatureExpression> {
    static Value write(const FeatureExpression& expression) { return {to_text(expression)}; }
    static StatusOr<FeatureExpression> read(const Value& value, const Place& place) {
        if (std::holds_alternative<List>(value.data)) {
            TRESTLE_TRY(const auto names, Codec<std::vector<std::string>>::read(value, place));
            return FeatureExpression(names);
        }
        const auto* text = std::get_if<std::string>(&value.data);
        if (text == nullptr) return place.unexpected(value, "features as text, \"ib&!old\"");
        const auto expression = read_features(TextCursor(*text));
        if (!expression) {
            const TextError& error = expression.error();
            return place.error(to_text(TextError{error.offset, error.token, error.what, {}}),
                               error.expected);
        }
        return *expression;
    }
};

/// What may be shown is its text, a secret an object with its digest. `{"secret": "text"}` is read
/// too, so that a document can bring one in, and never written.
template <>
struct Codec<EnvironmentValue> {
    static Value write(const EnvironmentValue& value) {
        if (!value.is_secret()) return {value.reveal()};
        return {Object{{"digest", {value.digest()}}}};
    }
    static StatusOr<EnvironmentValue> read(const Value& value, const Place& place) {
        if (const auto* text = std::get_if<std::string>(&value.data)) {
            return EnvironmentValue::shown(*text);
        }
        constexpr const char* expected = "a text, or an object with digest or secret";
        const auto* object = std::get_if<Object>(&value.data);
        if (object == nullptr || object->size() != 1) return place.unexpected(value, expected);
        const auto& [name, member] = object->front();
        const auto* text = std::get_if<std::string>(&member.data);
        if (text == nullptr) return place.error("another object", expected);
        if (name == "secret") return EnvironmentValue(*text);
        if (name != "digest") return place.error("an unknown name", "digest or secret");
        auto known = EnvironmentValue::of_digest(*text);
        if (known.ok()) return known;
        return place.member("digest").error("another text", "sha256: and 12 hexadecimal digits");
    }
};

template <class T>
struct Codec<Shared<T>> {
    static Value write(const Shared<T>& value) { return Codec<T>::write(*value); }
    static StatusOr<Shared<T>> read(const Value& value, const Place& place) {
        TRESTLE_TRY(auto inner, Codec<T>::read(value, place));
        return Shared<T>(std::move(inner));
    }
};

template <class T>
inline constexpr bool is_id = false;
template <class Tag, class Rep>
inline constexpr bool is_id<Id<Tag, Rep>> = true;

/// A struct of somebody else's format.
template <class T>
concept HasSpelling = requires {
    T::spelling;
};

template <class T>
[[nodiscard]] std::string name_in_document(std::string_view name) {
    if constexpr (HasSpelling<T>) {
        return spelled(name, T::spelling);
    } else {
        return std::string(name);
    }
}

template <HasFields T>
struct Codec<T> {
    static Value write(const T& value) {
        const T defaults{};
        Object object;
        const auto write_one = [&](const auto& f) {
            const auto& member = value.*(f.pointer);
            using M = std::remove_cvref_t<decltype(member)>;
            constexpr bool is_always_written = is_id<M> || std::is_enum_v<M> || AnyVariant<M> ||
                                               (HasSpelling<T> && std::is_integral_v<M>);
            if (!is_always_written && member == defaults.*(f.pointer)) return;
            object.push_back({name_in_document<T>(f.name), Codec<M>::write(member)});
        };
        T::fields([&](const auto&... f) { (write_one(f), ...); });
        return {std::move(object)};
    }
    static StatusOr<T> read(const Value& value, const Place& place) {
        const auto* object = std::get_if<Object>(&value.data);
        if (object == nullptr) return place.unexpected(value, "an object");
        T result{};
        for (const Member& member : *object) {
            TRESTLE_TRY_STATUS(read_member(member, place.member(member.name), result));
        }
        return result;
    }

  private:
    static Status read_member(const Member& member, const Place& place, T& result) {
        Status status;
        bool is_known = false;
        const auto try_one = [&](const auto& f) {
            if constexpr (HasSpelling<T>) {
                if (spelled(f.name, T::spelling) != member.name) return;
            } else if (f.name != member.name) {
                return;
            }
            is_known = true;
            using M = std::remove_cvref_t<decltype(result.*(f.pointer))>;
            auto read = Codec<M>::read(member.value, place);
            if (!read.ok()) {
                status = read.status();
                return;
            }
            result.*(f.pointer) = *std::move(read);
        };
        T::fields([&](const auto&... f) { (try_one(f), ...); });
        return is_known ? status : place.error("an unknown name", names());
    }
    static std::string names() {
        std::string text;
        T::fields([&](const auto&... f) {
            ((text += text.empty() ? "one of " : ", ", text += name_in_document<T>(f.name)), ...);
        });
        return text;
    }
};

}  // namespace detail

/// A type that goes to JSON and back.
template <class T>
concept Codable = requires(const T& value) {
    detail::Codec<T>::write(value);
};

/// The document of `value`.
template <Codable T>
[[nodiscard]] Value to_value(const T& value) {
    return detail::Codec<T>::write(value);
}

/// The T that `document` describes.
/// Errors: InvalidArgument, one line: the path of the part (`nodes[3].shape.devices[0].memory`),
/// what is there and what was expected: an unknown name, a wrong kind, a number out of range.
template <Codable T>
[[nodiscard]] StatusOr<T> from_value(const Value& document) {
    return detail::Codec<T>::read(document, {});
}

}  // namespace trestle::json
