// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cow<T>: a value that is copied when it is first written, not when it is copied.
//
// Layer: base. A copy is a pointer and a count; reading goes through the pointer; write() makes a T
// of one's own first if copies share it. An empty T costs nothing: a default Cow is a null pointer
// that reads as T{}. Threads: copies may be read, copied and destroyed from any thread, and each
// written by one.
// Pitfall: a reference from *cow is good until this Cow is written, assigned or destroyed, and one
// from write() also until the Cow is copied: it would write into the copy.

#include <utility>

#include "base/cow/detail/column.hpp"
#include "trestle/base/detail/uses.hpp"
#include "trestle/base/hash.hpp"

namespace trestle {

/// A T with cheap copies. What was moved from holds T{}.
template <class T>
class Cow {
  public:
    using value_type = T;

    Cow() = default;
    explicit Cow(const T& value) : box_(new Box{{}, value}) {}
    explicit Cow(T&& value) : box_(new Box{{}, std::move(value)}) {}
    Cow(const Cow& other) noexcept : box_(other.box_) {
        if (box_ != nullptr) box_->uses.add();
    }
    Cow(Cow&& other) noexcept : box_(std::exchange(other.box_, nullptr)) {}
    Cow& operator=(const Cow& other) noexcept {
        Cow(other).swap(*this);
        return *this;
    }
    Cow& operator=(Cow&& other) noexcept {
        release(std::exchange(box_, std::exchange(other.box_, nullptr)));
        return *this;
    }
    ~Cow() { release(box_); }

    [[nodiscard]] const T& operator*() const { return box_ != nullptr ? box_->value : empty(); }
    [[nodiscard]] const T* operator->() const { return &**this; }

    /// The value to be changed; copies made so far do not see it.
    [[nodiscard]] T& write() {
        if (box_ == nullptr) {
            box_ = new Box;
        } else if (!box_->uses.is_one()) {
            Cow(box_->value).swap(*this);
        }
        return box_->value;
    }

    /// True when write() would neither allocate nor copy.
    [[nodiscard]] bool is_unique() const { return box_ != nullptr && box_->uses.is_one(); }
    /// True when both are one object in memory; equal values may still be two.
    [[nodiscard]] bool is_same_object(const Cow& other) const { return box_ == other.box_; }

    friend bool operator==(const Cow& a, const Cow& b) { return a.box_ == b.box_ || *a == *b; }
    void hash_into(HashState& state) const { trestle::hash_into(state, **this); }
    void swap(Cow& other) noexcept { std::swap(box_, other.box_); }

  private:
    struct Box {
        detail::RefCount uses;
        T value{};
    };

    static void release(Box* box) {
        if (box != nullptr && box->uses.drop()) delete box;
    }
    static const T& empty() {
        static const T value{};
        return value;
    }

    Box* box_ = nullptr;
};

namespace detail {

template <class T>
inline constexpr bool moves_as_bytes<Cow<T>> = true;

}  // namespace detail

}  // namespace trestle
