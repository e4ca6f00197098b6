// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shared<T>: an immutable value that many values have in common.
//
// Layer: base. Thousands of nodes have one NodeShape; copying a Shared copies a pointer, comparing
// compares the values (identical pointers at once). Copies may be read from any thread.
// Pitfall: there is no way to write through it; build a new T and share that.

#include <memory>
#include <utility>

#include "trestle/base/hash.hpp"

namespace trestle {

/// A T that cannot change. A default one holds T{}.
template <class T>
class Shared {
  public:
    using value_type = T;

    Shared() : value_(empty()) {}
    Shared(T value) : value_(std::make_shared<const T>(std::move(value))) {}  // NOLINT: a T is one
    Shared(const Shared&) = default;  // and no move: it would leave nothing behind
    Shared& operator=(const Shared&) = default;
    ~Shared() = default;

    /// One without a copy of `value`, for the length of a call. Requires: `value` outlives all
    /// copies of the result.
    [[nodiscard]] static Shared borrow(const T& value) {
        Shared borrowed;
        borrowed.value_ = std::shared_ptr<const T>(std::shared_ptr<const T>(), &value);
        return borrowed;
    }

    [[nodiscard]] const T& operator*() const { return *value_; }
    [[nodiscard]] const T* operator->() const { return value_.get(); }

    /// True when both are one object in memory; equal values may still be two.
    [[nodiscard]] bool is_same_object(const Shared& other) const { return value_ == other.value_; }

    friend bool operator==(const Shared& a, const Shared& b) {
        return a.value_ == b.value_ || *a.value_ == *b.value_;
    }
    void hash_into(HashState& state) const { trestle::hash_into(state, *value_); }

  private:
    static const std::shared_ptr<const T>& empty() {
        static const auto value = std::make_shared<const T>();
        return value;
    }
    std::shared_ptr<const T> value_;
};

}  // namespace trestle
