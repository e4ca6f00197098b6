// SPDX-License-Identifier: Apache-2.0
#pragma once

// hash_of(value): the same 64 bits on every run and platform for equal values.
//
// Layer: base. Works for numbers, enums, ids, quantities, strings, optionals, vectors, pairs and
// every struct with fields(). A type of ours with private state offers `hash_into(HashState&)`.
// Pitfall: this is for tables and memo keys, not for checksums against tampering.

#include <bit>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "trestle/base/boxed_optional.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/small_vector.hpp"
#include "trestle/base/units.hpp"

namespace trestle {

/// Collects words and gives one hash of them; order matters.
class HashState {
  public:
    constexpr void add(std::uint64_t word) { state_ = mix(state_ ^ word) + 0x9e3779b97f4a7c15ULL; }
    [[nodiscard]] constexpr std::uint64_t result() const { return mix(state_); }

  private:
    static constexpr std::uint64_t mix(std::uint64_t x) {
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
        return x ^ (x >> 31);
    }
    std::uint64_t state_ = 0x243f6a8885a308d3ULL;
};

template <class T>
concept HashesItself = requires(const T& value, HashState& state) {
    value.hash_into(state);
};

template <class T>
constexpr void hash_into(HashState& state, const T& value);

namespace detail {

template <class Tag, class Rep>
constexpr void hash_part(HashState& state, const Id<Tag, Rep>& id) {
    state.add(id.value());
}
template <class Unit>
constexpr void hash_part(HashState& state, const Quantity<Unit>& quantity) {
    state.add(static_cast<std::uint64_t>(quantity.value()));
}
constexpr void hash_part(HashState& state, std::string_view text) {
    state.add(text.size());
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        word = word << 8 | static_cast<unsigned char>(text[i]);
        if (i % 8 == 7) state.add(word);
    }
    state.add(word);
}
template <std::floating_point Number>
constexpr void hash_part(HashState& state, Number number) {
    state.add(std::bit_cast<std::uint64_t>(double{number} + 0.0));  // 0 and -0 are equal
}
template <AnyOptional Optional>
constexpr void hash_part(HashState& state, const Optional& value) {
    state.add(value.has_value() ? 1 : 0);
    if (value) hash_into(state, *value);
}
template <AnyList List>
constexpr void hash_part(HashState& state, const List& values) {
    state.add(values.size());
    for (const auto& value : values) hash_into(state, value);
}
template <class A, class B>
constexpr void hash_part(HashState& state, const std::pair<A, B>& both) {
    hash_into(state, both.first);
    hash_into(state, both.second);
}

}  // namespace detail

/// Adds `value` to `state`.
template <class T>
constexpr void hash_into(HashState& state, const T& value) {
    if constexpr (HashesItself<T>) {
        value.hash_into(state);
    } else if constexpr (HasFields<T>) {
        T::fields([&](const auto&... f) { (hash_into(state, value.*(f.pointer)), ...); });
    } else if constexpr (std::is_enum_v<T> || std::integral<T>) {
        state.add(static_cast<std::uint64_t>(value));
    } else {
        detail::hash_part(state, value);
    }
}

/// Equal values give equal hashes, on every run and platform.
template <class T>
[[nodiscard]] constexpr std::uint64_t hash_of(const T& value) {
    HashState state;
    hash_into(state, value);
    return state.result();
}

/// A function object for the hash tables of std and Abseil.
struct Hash {
    template <class T>
    [[nodiscard]] std::size_t operator()(const T& value) const {
        return static_cast<std::size_t>(hash_of(value));
    }
};

}  // namespace trestle
