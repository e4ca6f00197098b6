// SPDX-License-Identifier: Apache-2.0
#pragma once

// to_text for every value of the library, and the fmt formatters. Opt-in: include it to print.
//
// Layer: base. A struct with fields prints as `{name=gpu, index=1}` without the fields that
// have their default. Ids and quantities print as numbers, Bytes with the largest unit that
// divides (`16GiB`). A free to_text(x) of the type's own takes precedence.
// The formatter covers types declared in namespace trestle, at any depth. It combines with
// fmt/ranges.h and fmt/std.h in either order. Other types opt in through enable_formatter.
// Pitfall: this text is for people. JSON is the form that is read back without loss.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "trestle/base/boxed_optional.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/small_vector.hpp"
#include "trestle/base/text.hpp"
#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"

namespace trestle {

template <class Tag, class Rep>
[[nodiscard]] std::string to_text(Id<Tag, Rep> id) {
    return std::to_string(id.value());
}
template <class Unit>
[[nodiscard]] std::string to_text(Quantity<Unit> quantity) {
    return std::to_string(quantity.value());
}
/// `0`, `512`, `16GiB`, `1536MiB`: the largest binary unit that divides without a rest.
[[nodiscard]] inline std::string to_text(Bytes bytes) {
    constexpr const char* units[] = {"", "KiB", "MiB", "GiB", "TiB", "PiB"};
    std::int64_t value = bytes.value();
    std::size_t unit = 0;
    while (value != 0 && value % 1024 == 0 && unit + 1 < std::size(units)) {
        value /= 1024;
        ++unit;
    }
    return std::to_string(value) + units[unit];
}

/// The fields that differ from their default: `{name=gpu, index=1}`. A more special to_text wins.
template <HasFields T>
[[nodiscard]] std::string to_text(const T& value);

namespace detail {

template <class T>
void print(std::string& out, const T& value);

template <AnyOptional Optional>
void print_part(std::string& out, const Optional& value) {
    if (value) {
        print(out, *value);
    } else {
        out += "none";
    }
}
template <AnyList List>
void print_part(std::string& out, const List& values) {
    out += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i != 0) out += ", ";
        print(out, static_cast<const typename List::value_type&>(values[i]));
    }
    out += ']';
}
template <class A, class B>
void print_part(std::string& out, const std::pair<A, B>& both) {
    print(out, both.first);
    out += '=';
    print(out, both.second);
}
template <class T>
void print_part(std::string& out, const Shared<T>& value) {
    print(out, *value);
}

template <class T>
concept HasText = requires(const T& value) {
    std::string(to_text(value));
};

/// One for all structs with such a member: a function for each of their fields would be thousands.
template <class Member>
void print_member(std::string& out, bool& is_first, std::string_view name, const Member& member,
                  const Member& unset) {
    if (member == unset) return;
    if (!is_first) out += ", ";
    is_first = false;
    out += name;
    out += '=';
    print(out, member);
}
template <HasFields T>
void print_fields(std::string& out, const T& value) {
    const T defaults{};
    out += '{';
    bool is_first = true;
    T::fields([&](const auto&... f) {
        (print_member(out, is_first, f.name, value.*(f.pointer), defaults.*(f.pointer)), ...);
    });
    out += '}';
}

template <class T>
void print(std::string& out, const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
        out += value ? "true" : "false";
    } else if constexpr (std::is_arithmetic_v<T>) {
        out += fmt::format("{}", value);
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
        out += std::string_view(value);
    } else if constexpr (HasText<T>) {
        out += to_text(value);
    } else {
        print_part(out, value);
    }
}

}  // namespace detail

template <HasFields T>
std::string to_text(const T& value) {
    std::string out;
    detail::print_fields(out, value);
    return out;
}

/// `24GiB..80GiB`, `200GiB..`, `..8`, `4`, and `..` for a range that accepts everything.
template <class T>
[[nodiscard]] std::string to_text(const Range<T>& range) {
    std::string out;
    if (range.min) detail::print(out, *range.min);
    if (range.is_single()) return out;
    out += "..";
    if (range.max) detail::print(out, *range.max);
    return out;
}

/// The value, or `no (constraint: reason)`.
template <class T>
[[nodiscard]] std::string to_text(const Verdict<T>& verdict) {
    if (!verdict) return "no (" + to_text(verdict.refusal()) + ")";
    std::string out;
    detail::print(out, *verdict);
    return out;
}

namespace detail {

template <class T>
[[nodiscard]] auto own_text(const T& value) -> decltype(std::string(to_text(value))) {
    return std::string(to_text(value));
}
template <class T>
concept OwnText = (std::is_class_v<T> || NamedEnum<T>)&&requires(const T& value) {
    own_text(value);
};

/// Ends in the full name of T: `... [with T = trestle::Refusal]`.
template <class T>
[[nodiscard]] constexpr std::string_view signature_with() {
    return __PRETTY_FUNCTION__;
}
inline constexpr std::size_t name_offset = signature_with<double>().find("double");

/// True for types declared in namespace trestle or in one inside it. The name decides, because
/// argument-dependent look-up also reaches trestle from `mine::Box<trestle::CoreId>` and from
/// classes derived from ours, and reaches no function here from `trestle::slurm::JobId`.
template <class T>
inline constexpr bool is_declared_in_trestle =
    signature_with<T>().substr(name_offset).starts_with("trestle::");
static_assert(is_declared_in_trestle<Refusal> && is_declared_in_trestle<Range<Bytes>> &&
                  !is_declared_in_trestle<std::pair<Bytes, Bytes>>,
              "the compiler writes T in full, at the same offset for each T");

}  // namespace detail

/// True if fmt prints T by its to_text. The default is true for types declared in namespace trestle
/// or in one inside it, and false for all others. The formatter also takes a type of your own that
/// has a to_text, a fields() list or enum_names. Specialise this before T is first formatted:
///     template <>
///     inline constexpr bool trestle::enable_formatter<mine::Job> = true;
/// Set it to false to replace the formatter of a type of ours by another one.
template <class T>
inline constexpr bool enable_formatter = detail::is_declared_in_trestle<T>;

/// A type that this header's fmt::formatter prints. to_text(value) must be declared by the first
/// use with T, so include the header that defines T.
template <class T>
concept Formattable = enable_formatter<T> && detail::OwnText<T>;

}  // namespace trestle

/// Prints to_text(value). Accepts what fmt accepts for strings: fill, alignment, width, precision.
template <trestle::Formattable T>
struct fmt::formatter<T> {
    constexpr auto parse(auto& context) { return text_.parse(context); }
    auto format(const T& value, auto& context) const {
        return text_.format(trestle::detail::own_text(value), context);
    }

  private:
    // Not a base: lists of fmt/ranges.h would find set_debug_format and quote their elements.
    fmt::formatter<fmt::string_view> text_;
};

FMT_BEGIN_NAMESPACE
template <typename T, typename Char>
struct is_range;  // of fmt/ranges.h, which need not be included
FMT_END_NAMESPACE

/// fmt/ranges.h must not print a set as a list as well: both formatters would match.
template <class T>
requires trestle::Formattable<std::remove_cvref_t<T>>
struct fmt::is_range<T, char> : std::false_type {
};
