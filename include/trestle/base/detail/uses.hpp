// SPDX-License-Identifier: Apache-2.0
#pragma once

// RefCount: how many owners an object has, counted inside the object.
//
// Layer: base (detail). Everything that is copied on write is made of objects with a member `uses`.
// Pitfall: std::shared_ptr::use_count is no substitute. It is a relaxed load. So "I am the only
// owner" would not order our write after the last read by an earlier owner.

#include <atomic>
#include <cstdint>

namespace trestle::detail {

/// A new object has one owner, and so has a copy of it.
class RefCount {
  public:
    RefCount() = default;
    RefCount(const RefCount&) noexcept : RefCount() {}
    RefCount& operator=(const RefCount&) = delete;
    ~RefCount() = default;

    [[nodiscard]] bool is_one() const { return count_.load(std::memory_order_acquire) == 1; }
    void add() const { count_.fetch_add(1, std::memory_order_relaxed); }

    /// True when that was the last one: the caller deletes the object.
    [[nodiscard]] bool drop() const {
        return is_one() || count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
    }

  private:
    mutable std::atomic<std::uint32_t> count_{1};
};

}  // namespace trestle::detail
