// SPDX-License-Identifier: Apache-2.0
#include "handle.hpp"

#include <cstddef>
#include <limits>

#include "handle_pool.hpp"

namespace trestle::c {
namespace {

#ifdef TRESTLE_C_DEBUG_HANDLES
constexpr std::size_t retired_min_at_first =
    std::numeric_limits<std::size_t>::max();  // none serves again
#else
constexpr std::size_t retired_min_at_first = 4096;
#endif

HandlePool& pool() {
    // Never destroyed: a program may free handles as it ends.
    static HandlePool& only = *new HandlePool(retired_min_at_first);
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

bool is_handle(const void* handle) { return pool().has(handle); }

std::uint64_t live_handles() { return pool().live(); }

std::size_t set_retired_min(std::size_t retired_min) { return pool().set_retired_min(retired_min); }

}  // namespace trestle::c
