// SPDX-License-Identifier: Apache-2.0
#pragma once

// Column: room for values of which a head lives.
//
// Layer: base (detail). Main names: Column, relocate, moves_as_bytes. The owner of a column counts
// how many of its values live; it makes them in place, moves them by relocate, and destroys them.
// Pitfall: relocate leaves nothing at the old place, not a value to be destroyed.

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace trestle::detail {

/// True when a T whose bytes are copied to another place goes on there, and the old place may be
/// forgotten.
template <class T>
inline constexpr bool moves_as_bytes = std::is_trivially_copyable_v<T>;

/// Moves `count` values to `to`, where none lives but those moved; then none lives in the places
/// they left. The places may overlap.
template <class T>
void relocate(T* from, std::uint32_t count, T* to) noexcept {
    const auto move_one = [from, to](std::uint32_t i) {
        std::construct_at(to + i, std::move(from[i]));
        std::destroy_at(from + i);
    };
    if constexpr (moves_as_bytes<T>) {
        std::memmove(static_cast<void*>(to), static_cast<const void*>(from), count * sizeof(T));
    } else if (std::less<>()(to, from)) {
        for (std::uint32_t i = 0; i < count; ++i) move_one(i);
    } else {
        for (std::uint32_t i = count; i > 0; --i) move_one(i - 1);
    }
}

template <class T, std::uint32_t capacity>
class Column {
  public:
    Column() {}
    Column(const Column&) = delete;
    Column& operator=(const Column&) = delete;
    ~Column() {}

    [[nodiscard]] T* data() { return values_.data(); }
    [[nodiscard]] const T* data() const { return values_.data(); }
    [[nodiscard]] T& operator[](std::uint32_t row) { return data()[row]; }
    [[nodiscard]] const T& operator[](std::uint32_t row) const { return data()[row]; }

  private:
    union {
        std::array<T, capacity> values_;
    };
};

}  // namespace trestle::detail
