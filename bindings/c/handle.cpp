// SPDX-License-Identifier: Apache-2.0
#include "handle.hpp"

#include <functional>
#include <mutex>
#include <set>

namespace trestle::c {
namespace {

constexpr std::size_t block_size = 1024;
/// A freed handle serves again when so many were freed after it.
constexpr std::size_t retired_min = 4096;

#ifdef TRESTLE_C_DEBUG_HANDLES
constexpr bool is_debug = true;
#else
constexpr bool is_debug = false;
#endif

/// All handles that were ever made; none goes back to the system.
class Pool {
  public:
    Handle* take() {
        const std::lock_guard lock(mutex_);
        if (is_debug || retired_ <= retired_min) {
            if (unused_ == 0) {
                auto block = std::make_unique<Handle[]>(block_size);
                blocks_.insert(block.get());
                last_ = block.release();
                unused_ = block_size;
            }
            ++live_;
            return &last_[block_size - unused_--];
        }
        ++live_;
        --retired_;
        return std::exchange(oldest_, oldest_->next);
    }

    void give_back(Handle* handle) {
        const std::lock_guard lock(mutex_);
        --live_;
        handle->next = nullptr;
        (oldest_ == nullptr ? oldest_ : newest_->next) = handle;
        newest_ = handle;
        ++retired_;
    }

    bool has(const Handle* handle) {
        const std::lock_guard lock(mutex_);
        auto after = blocks_.upper_bound(handle);
        if (after == blocks_.begin()) return false;
        const Handle* block = *--after;
        return std::less<>{}(handle, block + block_size);
    }

    std::uint64_t live() {
        const std::lock_guard lock(mutex_);
        return live_;
    }

  private:
    std::mutex mutex_;
    std::set<const Handle*, std::less<>> blocks_;
    Handle* last_ = nullptr;  ///< the block that still has unused ones
    std::size_t unused_ = 0;
    Handle* oldest_ = nullptr;
    Handle* newest_ = nullptr;
    std::size_t retired_ = 0;
    std::uint64_t live_ = 0;
};

Pool& pool() {
    static Pool& only = *new Pool;  // never destroyed: a program may free handles as it ends
    return only;
}

}  // namespace

Handle* new_handle(Kind kind, void* value) {
    Handle* handle = pool().take();
    handle->value = value;
    handle->is_broken.store(false, std::memory_order_relaxed);
    handle->kind.store(kind, std::memory_order_release);
    return handle;
}

void retire(Handle* handle) {
    handle->kind.store(Kind::freed, std::memory_order_release);
    pool().give_back(handle);
}

bool is_handle(const void* handle) {
    const auto address = reinterpret_cast<std::uintptr_t>(handle);
    if (address % alignof(Handle) != 0) return false;
    return !is_debug || pool().has(static_cast<const Handle*>(handle));
}

std::uint64_t live_handles() { return pool().live(); }

}  // namespace trestle::c
