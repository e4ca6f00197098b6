// SPDX-License-Identifier: Apache-2.0
#pragma once

// HandlePool: all handles that were ever made, and which pointers are one of them.
//
// Main type: HandlePool. has() reads nothing through the pointer and takes no lock, so every call
// can ask it, in every build. Pitfall: no block goes back to the system, or a freed handle could
// not be distinguished from others.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "handle.hpp"

namespace trestle::c {

class HandlePool {
  public:
    /// A freed handle serves again when more than `retired_min` were freed and do not serve.
    explicit HandlePool(std::size_t retired_min) : retired_min_(retired_min) {}
    HandlePool(const HandlePool&) = delete;
    HandlePool& operator=(const HandlePool&) = delete;
    ~HandlePool();

    /// Throws std::bad_alloc.
    [[nodiscard]] Handle* take();
    void give_back(Handle* handle);

    /// True for a handle of this pool, live or freed. Complexity: logarithmic in their number.
    [[nodiscard]] bool has(const void* pointer) const;
    [[nodiscard]] std::uint64_t live() const;

    /// Changes how many were freed before one serves again. Returns the number before.
    std::size_t set_retired_min(std::size_t retired_min);

    /// Block i has first_block_size << i handles, so there are never many blocks.
    static constexpr std::size_t first_block_size = 1024;

  private:
    void add_block();

    std::size_t retired_min_;
    mutable std::mutex mutex_;
    std::array<std::atomic<Handle*>, 40> blocks_{};
    std::atomic<std::size_t> block_count_{0};
    std::size_t unused_ = 0;  ///< of the last block, at its end
    Handle* oldest_ = nullptr;
    Handle* newest_ = nullptr;
    std::size_t retired_ = 0;
    std::uint64_t live_ = 0;
};

}  // namespace trestle::c
