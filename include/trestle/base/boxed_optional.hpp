// SPDX-License-Identifier: Apache-2.0
#pragma once

// BoxedOptional<T>: a std::optional for what is mostly absent: one pointer in place, T elsewhere.
//
// Layer: base. Main names: BoxedOptional, AnyOptional. For a field that exists many times and
// seldom has a value. An example is the instance of a device, absent where the device is given
// whole. Copies share the T, which cannot change. Hash, text, bytes, JSON and Python are those of a
// std::optional<T>. Threads: copies may be read, copied and destroyed from any thread.
// Pitfall: there is no way to write through it; assign a new T.

#include <compare>
#include <optional>
#include <utility>

#include "trestle/base/contract.hpp"
#include "trestle/base/detail/uses.hpp"

namespace trestle {

/// A T or nothing. What was moved from holds nothing. All but making one of a T is O(1).
template <class T>
class BoxedOptional {
  public:
    using value_type = T;

    BoxedOptional() = default;
    BoxedOptional(std::nullopt_t) {}                                 // NOLINT: as std::optional
    BoxedOptional(T value) : box_(new Box{{}, std::move(value)}) {}  // NOLINT: a T is one
    BoxedOptional(const BoxedOptional& other) noexcept : box_(other.box_) {
        if (box_ != nullptr) box_->uses.add();
    }
    BoxedOptional(BoxedOptional&& other) noexcept : box_(std::exchange(other.box_, nullptr)) {}
    BoxedOptional& operator=(const BoxedOptional& other) noexcept {
        BoxedOptional(other).swap(*this);
        return *this;
    }
    BoxedOptional& operator=(BoxedOptional&& other) noexcept {
        BoxedOptional(std::move(other)).swap(*this);
        return *this;
    }
    ~BoxedOptional() {
        if (box_ != nullptr && box_->uses.drop()) delete box_;
    }

    [[nodiscard]] bool has_value() const { return box_ != nullptr; }
    [[nodiscard]] explicit operator bool() const { return has_value(); }
    /// Requires: has_value().
    [[nodiscard]] const T& operator*() const {
        TRESTLE_EXPECTS(has_value(), "nothing is there");
        return box_->value;
    }
    /// Requires: has_value().
    [[nodiscard]] const T* operator->() const { return &**this; }
    [[nodiscard]] T value_or(T other) const { return box_ != nullptr ? box_->value : other; }
    void swap(BoxedOptional& other) noexcept { std::swap(box_, other.box_); }

    /// Nothing is less than any T.
    friend bool operator==(const BoxedOptional& a, const BoxedOptional& b) {
        return a.box_ == b.box_ || (a.box_ && b.box_ && a.box_->value == b.box_->value);
    }
    friend auto operator<=>(const BoxedOptional& a, const BoxedOptional& b) {
        using Order = std::compare_three_way_result_t<T>;
        if (a.box_ && b.box_) return a.box_->value <=> b.box_->value;
        return Order(a.has_value() <=> b.has_value());
    }
    friend bool operator==(const BoxedOptional& a, std::nullopt_t) { return !a.has_value(); }

  private:
    struct Box {
        detail::RefCount uses;
        T value;
    };

    Box* box_ = nullptr;
};

namespace detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_optional<BoxedOptional<T>> = true;

}  // namespace detail

/// A T or nothing of either kind, which prints, hashes and is written alike.
template <class T>
concept AnyOptional = detail::is_optional<T>;

}  // namespace trestle
