// SPDX-License-Identifier: Apache-2.0
#pragma once

// arbitrary<T>(choices): any value of a type, made from its list of fields.
//
// Layer: testing. For laws that hold for every value: text and back, hash and equality, copies. The
// values make no sense (a device near a core of no machine), but check(value) accepts them where
// there is one. Generators.hpp makes those that do make sense.
// Pitfall: numbers prefer the ends of their range, where bugs are. A value that holds a list of its
// own type holds values there that do not.

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster/place/score_expression.hpp"
#include "trestle/base/boxed_optional.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/one_of.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/small_vector.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/enforce/process/environment.hpp"
#include "trestle/model/features.hpp"
#include "trestle/set/text.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle::testing {

namespace detail {

/// How one type is made; specialised below.
template <class T>
struct Arbitrary;

template <std::integral T>
struct Arbitrary<T> {
    static T make(Choices& choices) {
        if constexpr (std::is_same_v<T, bool>) {
            return choices.below(2) == 1;
        } else {
            using Limits = std::numeric_limits<T>;
            switch (choices.below(4)) {
                case 0:
                    return static_cast<T>(choices.below(10));
                case 1:
                    return Limits::max();
                case 2:
                    return Limits::min();
                default:
                    return static_cast<T>(choices.below(std::uint64_t{1} << 63));
            }
        }
    }
};

template <NamedEnum T>
struct Arbitrary<T> {
    static T make(Choices& choices) {
        constexpr auto names = enum_names(T{});
        return names[static_cast<std::size_t>(choices.below(names.size()))].value;
    }
};

template <>
struct Arbitrary<std::string> {
    static std::string make(Choices& choices);
};

template <class Tag, class Rep>
struct Arbitrary<Id<Tag, Rep>> {
    static Id<Tag, Rep> make(Choices& choices) {
        return Id<Tag, Rep>(Arbitrary<Rep>::make(choices));
    }
};

template <class Unit>
struct Arbitrary<Quantity<Unit>> {
    static Quantity<Unit> make(Choices& choices) {
        return Quantity<Unit>(static_cast<std::int64_t>(Arbitrary<std::uint64_t>::make(choices) &
                                                        std::numeric_limits<std::int64_t>::max()));
    }
};

template <AnyOptional Optional>
struct Arbitrary<Optional> {
    static Optional make(Choices& choices) {
        if (choices.one_in(2)) return std::nullopt;
        return Arbitrary<typename Optional::value_type>::make(choices);
    }
};

template <AnyList List>
struct Arbitrary<List> {
    static List make(Choices& choices) {
        List values;
        for (std::uint64_t n = choices.below(4); n > 0; --n) {
            values.push_back(Arbitrary<typename List::value_type>::make(choices));
        }
        return values;
    }
};

template <class A, class B>
struct Arbitrary<std::pair<A, B>> {
    static std::pair<A, B> make(Choices& choices) {
        A first = Arbitrary<A>::make(choices);
        return {std::move(first), Arbitrary<B>::make(choices)};
    }
};

template <class T>
struct Arbitrary<Shared<T>> {
    static Shared<T> make(Choices& choices) { return Shared<T>(Arbitrary<T>::make(choices)); }
};

template <IndexSetLike T>
struct Arbitrary<T> {
    static T make(Choices& choices) {
        T set;
        for (std::uint64_t n = choices.below(4); n > 0; --n) {
            const auto first = static_cast<std::uint32_t>(choices.below(300));
            set.insert_range({first, first + 1 + static_cast<std::uint32_t>(choices.below(70))});
        }
        return set;
    }
};

template <>
struct Arbitrary<FeatureExpression> {
    static FeatureExpression make(Choices& choices);
};

template <>
struct Arbitrary<NodePolicy> {
    static NodePolicy make(Choices& choices);
};

template <>
struct Arbitrary<EnvironmentVariable::Value> {
    static EnvironmentVariable::Value make(Choices& choices);
};

template <AnyVariant Variant>
struct Arbitrary<Variant> {
    static Variant make(Choices& choices) {
        Variant value;
        std::uint64_t wanted = choices.below(std::variant_size_v<Variant>);
        for_each_alternative<Variant>([&](auto type) {
            if (wanted-- == 0) value = Arbitrary<typename decltype(type)::type>::make(choices);
        });
        return value;
    }
};

template <HasFields T>
struct Arbitrary<T> {
    static T make(Choices& choices) { return make(choices, Nesting::once); }

  private:
    enum class Nesting { none, once };

    static T make(Choices& choices, Nesting nesting) {
        T value{};
        for_each_field(value, [&](std::string_view, auto& member) {
            if (choices.one_in(3)) return;  // keeps its default
            if constexpr (HasCheck<T>) {
                auto before = member;
                fill(member, choices, nesting);
                if (!check(value).ok()) member = std::move(before);
            } else {
                fill(member, choices, nesting);
            }
        });
        return value;
    }
    template <class Member>
    static void fill(Member& member, Choices& choices, Nesting nesting) {
        if constexpr (std::is_same_v<Member, std::vector<T>>) {
            if (nesting == Nesting::none) return;
            member.resize(choices.below(3));
            for (T& inner : member) inner = make(choices, Nesting::none);
        } else {
            member = Arbitrary<Member>::make(choices);
        }
    }
};

}  // namespace detail

/// Any T that its check() accepts: structs field by field, texts with quotes, line ends and
/// characters beyond ASCII.
template <class T>
[[nodiscard]] T arbitrary(Choices& choices) {
    return detail::Arbitrary<T>::make(choices);
}

}  // namespace trestle::testing
