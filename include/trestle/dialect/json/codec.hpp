// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every value of the library to a JSON document and back, from its list of fields.
//
// Layer: dialect. to_value(x), from_value<T>(document). A struct with fields() is an object. An
// enum is its name, an id or quantity a whole number. A set of indexes is its list text ("0-3,8"),
// a feature expression its text ("ib&!old"). A variant is its struct with the name of that struct
// as `kind`. An optional is the value or null, a pair a list of two. A secret variable is
// {"digest": "sha256:..."}, and only the digest is read back. In a list of nodes a shape that an
// earlier node has is the position of that node: `"shape":0`. A class with private state
// specialises detail::Codec, as cluster.hpp does.
// Pitfall: to take a node out of a written list, or to move one, changes what such positions mean.
// Pitfall: a field that equals its default is not written, and a missing field gets its default. So
// defaults belong to the format. Ids and enums are always written; in a foreign format, whose
// struct has a `spelling`, numbers and truth values too. Each value that is read passes its
// check(), in any part of a document. Rules between parts are up to the caller.

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/one_of.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/json/detail/codecs.hpp"
#include "trestle/dialect/json/detail/node_list.hpp"
#include "trestle/dialect/json/value.hpp"

namespace trestle::json {

namespace detail {

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
    static bool read(const Value& value, const Place& place, Variant& result) {
        const auto* object = std::get_if<Object>(&value.data);
        if (object == nullptr) return place.unexpected(value, "an object");
        Object fields = *object;
        const auto kind = std::find_if(fields.begin(), fields.end(),
                                       [](const Member& one) { return one.name == "kind"; });
        if (kind == fields.end()) return place.fail("no kind", names());
        const Value wanted = std::move(kind->value);
        fields.erase(kind);
        const auto* name = std::get_if<std::string>(&wanted.data);
        bool is_known = false;
        bool is_read = false;
        for_each_alternative<Variant>([&](auto type) {
            using T = typename decltype(type)::type;
            if (name == nullptr || *name != T::kind) return;
            is_known = true;
            T one{};
            is_read = Codec<T>::read({std::move(fields)}, place, one);
            result = std::move(one);
        });
        return is_known ? is_read : place.member("kind").unexpected(wanted, names());
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

template <class T>
inline constexpr bool is_id = false;
template <class Tag, class Rep>
inline constexpr bool is_id<Id<Tag, Rep>> = true;

/// A struct of a format that is not ours.
template <class T>
concept HasSpelling = requires {
    T::spelling;
};

template <class T>
inline constexpr Spelling spelling_of = Spelling::snake;
template <HasSpelling T>
inline constexpr Spelling spelling_of<T> = T::spelling;

// The two below are functions of a member's type, not of its struct: those would be thousands.

/// Numbers and truth values of a foreign format are written even where they equal the default.
template <class M>
void write_member(Object& object, const MemberName& name, const M& member, const M& unset) {
    const bool is_foreign = name.spelling != Spelling::snake;
    const bool is_always_written =
        is_id<M> || std::is_enum_v<M> || AnyVariant<M> || (is_foreign && std::is_integral_v<M>);
    if (!is_always_written && member == unset) return;
    object.push_back({spelled(name.ours, name.spelling), Codec<M>::write(member)});
}

/// False when `member` has another name. Else `is_read` says whether `result` has its value.
template <class M>
[[nodiscard]] bool try_member(const Member& member, const Place& place, const MemberName& name,
                              M& result, bool& is_read) {
    if (!name.is(member.name)) return false;
    is_read = Codec<M>::read(member.value, place, result);
    return true;
}

template <HasFields T>
struct Codec<T> {
    static Value write(const T& value) {
        const T defaults{};
        Object object;
        T::fields([&](const auto&... f) {
            (write_member(object, {f.name, spelling_of<T>}, value.*(f.pointer),
                          defaults.*(f.pointer)),
             ...);
        });
        return {std::move(object)};
    }
    static bool read(const Value& value, const Place& place, T& result) {
        const auto* object = std::get_if<Object>(&value.data);
        if (object == nullptr) return place.unexpected(value, "an object");
        result = T{};
        for (const Member& member : *object) {
            if (!read_member(member, place.member(member.name), result)) return false;
        }
        if constexpr (HasCheck<T>) return place.accept(check(result));
        return true;
    }

  private:
    static bool read_member(const Member& member, const Place& place, T& result) {
        return T::fields([&](const auto&... f) {
            bool is_read = false;
            const bool is_known = (try_member(member, place, {f.name, spelling_of<T>},
                                              result.*(f.pointer), is_read) ||
                                   ...);
            return is_known ? is_read
                            : place.fail("an unknown name", one_of({f.name...}, spelling_of<T>));
        });
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
/// what is there and what was expected. Causes are an unknown name, a wrong kind, a number out of
/// range.
template <Codable T>
[[nodiscard]] StatusOr<T> from_value(const Value& document) {
    Status failure;
    T result{};
    if (!detail::Codec<T>::read(document, {&failure, nullptr, {}, {}}, result)) return failure;
    return result;
}

}  // namespace trestle::json
