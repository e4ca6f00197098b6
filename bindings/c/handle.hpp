// SPDX-License-Identifier: Apache-2.0
#pragma once

// Handles: what a C program holds in place of a value.
//
// Main names: Handle, make_handle, kind_of, free_handle. A Handle stays readable for ever: freed
// ones are kept, and serve again after many others (in a debug build never), so a freed handle and
// one of another kind are detected by their kind instead of by a crash. A pointer that is no handle
// is detected by its address, before anything is read. Pitfall: the pool of handles is the only
// state that all calls share; a lock guards it when a handle is made or freed, and no other call
// takes it.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace trestle::c {

/// What a handle is for.
enum class Kind : std::uint32_t {
    freed,
    cluster,
    request,
    placement,
    timeline,
    plan,
    enforcer,
    controller,
    catalog,
};

/// `cluster`; `unknown` for what is none.
[[nodiscard]] constexpr std::string_view name_of(Kind kind) {
    constexpr std::array<std::string_view, 9> names = {"freed",     "cluster",    "request",
                                                       "placement", "timeline",   "plan",
                                                       "enforcer",  "controller", "catalog"};
    const auto at = static_cast<std::uint32_t>(kind);
    return at < names.size() ? names[at] : "unknown";
}

struct Handle {
    std::atomic<Kind> kind{Kind::freed};
    /// The value may be half changed, since a call ended in an exception: it can only be freed.
    std::atomic<bool> is_broken{false};
    void* value = nullptr;
    Handle* next = nullptr;  ///< of the freed ones, the one freed after this
};

/// A handle from the pool. Throws std::bad_alloc.
[[nodiscard]] Handle* new_handle(Kind kind, void* value);

/// Gives the handle back to the pool. Requires: it is a live one.
void retire(Handle* handle);

/// True for what the pool made, live or freed. Looks at the address alone.
[[nodiscard]] bool is_handle(const void* handle);

/// How many handles live.
[[nodiscard]] std::uint64_t live_handles();

/// A freed handle serves again after this many others, for tests. Returns the number before.
std::size_t set_retired_min(std::size_t retired_min);

/// The value's kind: each type of a value behind a handle has one.
template <class Value>
inline constexpr Kind kind_for = Kind::freed;

/// A new handle of `value`, as the C type `Opaque`.
template <class Opaque, class Value>
[[nodiscard]] Opaque* make_handle(Value value) {
    auto owned = std::make_unique<Value>(std::move(value));
    Handle* handle = new_handle(kind_for<Value>, owned.get());
    owned.release();
    return reinterpret_cast<Opaque*>(handle);
}

}  // namespace trestle::c
