// SPDX-License-Identifier: Apache-2.0
#pragma once

// Border: the one way by which a call from C enters the library and leaves it.
//
// Main names: border, Border, must, take, Fault. The body of each function of trestle.h runs inside
// border(), which turns all that goes wrong into a code and a message.
// A broken contract is turned into a code, too: the library's copy of the core has a contract
// handler that throws, and border() catches what it throws. Checks before each call alone would not
// do, since they would repeat every contract of the core and miss the next one. After such a throw
// a value that the call was changing may be half changed, so its handle can only be freed. Pitfall:
// a refusal is no exception. Bodies return refuse(), because schedulers ask millions of times and
// an exception takes a microsecond.

#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "handle.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/verdict.hpp"

#pragma GCC visibility push(default)  // all else of the library is hidden
#include "trestle.h"
#pragma GCC visibility pop

namespace trestle::c {

/// What ends a call early.
struct Fault {
    trestle_code code;
    std::string message;
};

/// Ends the call with a message. The code is TRESTLE_INVALID unless another one is given.
template <class... Args>
[[noreturn]] void fail(trestle_code code, fmt::format_string<Args...> format, Args&&... args) {
    throw Fault{code, fmt::format(format, std::forward<Args>(args)...)};
}

[[noreturn]] void fail(const Status& status);
[[noreturn]] void fail_handle(const void* handle, std::string_view expected);
/// Ends the call with the formats that are known here.
[[noreturn]] inline void fail_format(trestle_format format, std::string_view expected) {
    fail(TRESTLE_UNSUPPORTED, "format {} is not known here, expected {}", format, expected);
}

/// Goes on when the status is ok.
inline void must(const Status& status) {
    if (!status.ok()) [[unlikely]]
        fail(status);
}

/// The value, or the end of the call.
template <class T>
[[nodiscard]] T take(StatusOr<T> result) {
    if (!result.ok()) [[unlikely]]
        fail(result.status());
    return *std::move(result);
}

/// The text of an argument. Ends the call for NULL and for what is not UTF-8.
[[nodiscard]] std::string_view text_of(const char* text, std::string_view name);
/// The same; empty for NULL.
[[nodiscard]] inline std::string_view text_or_none(const char* text, std::string_view name) {
    return text == nullptr ? std::string_view() : text_of(text, name);
}
/// The same of a JSON document. Ends the call for a zero character too, which would cut off the
/// text that C gets back.
[[nodiscard]] std::string_view json_text_of(const char* text, std::string_view name);

/// An amount or moment of an argument. Ends the call for a negative one.
template <class Amount>
[[nodiscard]] Amount amount_of(std::int64_t value, std::string_view name) {
    if (value < 0) fail(TRESTLE_INVALID, "{} is {}, expected 0 or more", name, value);
    return Amount(value);
}

/// A pointer for a result, which is set to nothing first. Ends the call for NULL.
template <class T>
T& result_of(T* result, std::string_view name) {
    if (result == nullptr) fail(TRESTLE_INVALID, "{} is NULL, expected a place for it", name);
    *result = T{};
    return *result;
}

/// A copy of `text` for the caller, freed by trestle_free.
[[nodiscard]] char* copy_text(std::string_view text);

/// One call.
class Border {
  public:
    /// The value behind a handle, to look at.
    template <class Value>
    [[nodiscard]] Value& value(const void* handle) const {
        Handle* found = find(handle, kind_for<Value>);
        return *static_cast<Value*>(found->value);
    }
    /// Runs `body(value)` with the value behind a handle, which it may change. What is thrown out
    /// of `body`, unless it is a Fault, breaks the handle; what is thrown later does not.
    template <class Value, class Body>
    auto change(const void* handle, const Body& body) {
        changed_ = find(handle, kind_for<Value>);
        auto& value = *static_cast<Value*>(changed_->value);
        if constexpr (std::is_void_v<decltype(body(value))>) {
            body(value);
            changed_ = nullptr;
        } else {
            auto result = body(value);
            changed_ = nullptr;
            return result;
        }
    }
    void mark_broken() const {
        if (changed_ != nullptr) changed_->is_broken.store(true, std::memory_order_release);
    }

  private:
    [[nodiscard]] static Handle* find(const void* handle, Kind kind) {
        if (handle != nullptr && is_handle(handle)) {
            auto* found = const_cast<Handle*>(static_cast<const Handle*>(handle));
            if (found->kind.load(std::memory_order_acquire) == kind &&
                !found->is_broken.load(std::memory_order_acquire)) [[likely]] {
                return found;
            }
        }
        fail_handle(handle, name_of(kind));
    }

    Handle* changed_ = nullptr;
};

/// The kind of a live handle. Ends the call for anything else; `expected` says what may stand here.
[[nodiscard]] Kind kind_of(const void* handle, std::string_view expected);

/// Writes code and message, where `error` is not NULL. Returns the code.
int report(trestle_error* error, trestle_code code, std::string_view message);
inline int report_ok(trestle_error* error) {
    if (error != nullptr) {
        error->code = TRESTLE_OK;
        error->message[0] = '\0';
    }
    return TRESTLE_OK;
}
/// Reports why there is none: TRESTLE_REFUSED, TRESTLE_GAVE_UP or, for a question that is wrong
/// itself, TRESTLE_INVALID.
int refuse(trestle_error* error, const Refusal& refusal);

/// Reports the exception that is being handled.
int report_exception(trestle_error* error, const Border& call) noexcept;

/// Runs `body(call)`, which returns a code that it has reported, or nothing when all went well.
template <class Body>
int border(trestle_error* error, Body&& body) noexcept {
    Border call;
    try {
        if constexpr (std::is_void_v<decltype(body(call))>) {
            body(call);
            return report_ok(error);
        } else {
            return body(call);
        }
    } catch (...) {
        return report_exception(error, call);
    }
}

/// Frees a handle of this type. NULL and what is no such handle are left alone; the value of a
/// broken one is left as it is, since its destructor may rely on what does not hold.
template <class Value>
void free_handle(void* handle) noexcept {
    if (handle == nullptr || !is_handle(handle)) return;
    auto* found = static_cast<Handle*>(handle);
    if (found->kind.load(std::memory_order_acquire) != kind_for<Value>) return;
    auto* value = static_cast<Value*>(found->value);
    const bool is_broken = found->is_broken.load(std::memory_order_acquire);
    retire(found);
    if (!is_broken) delete value;
}

/// The size of a struct in the first version that had it. A member that comes later does not count.
template <class Struct>
inline constexpr std::size_t first_size = 0;
template <>
inline constexpr std::size_t first_size<trestle_node> = 304;
template <>
inline constexpr std::size_t first_size<trestle_part> = 48;
template <>
inline constexpr std::size_t first_size<trestle_start> = 32;
template <>
inline constexpr std::size_t first_size<trestle_outcome> = 24;
template <>
inline constexpr std::size_t first_size<trestle_usage> = 48;

/// Checks that a struct of the caller's is one that this library can fill.
template <class Struct>
void check_struct(const Struct* out, std::string_view name) {
    static_assert(first_size<Struct> != 0, "first_size has the struct");
    if (out == nullptr) fail(TRESTLE_INVALID, "{} is NULL, expected a place for it", name);
    if (out->struct_size > sizeof(Struct)) {
        fail(TRESTLE_OLD_LIBRARY,
             "{}: struct_size is {}, this library knows {} bytes; expected a library as new as the "
             "header, or struct_size set to sizeof",
             name, out->struct_size, sizeof(Struct));
    }
    if (out->struct_size < first_size<Struct>) {
        fail(TRESTLE_INVALID, "{}: struct_size is {}, expected sizeof, {} or more", name,
             out->struct_size, first_size<Struct>);
    }
}
/// Fills the bytes that the caller's header knows. Requires: check_struct passed.
template <class Struct>
void fill(Struct* out, Struct value) {
    value.struct_size = out->struct_size;
    std::memcpy(out, &value, value.struct_size);
}

}  // namespace trestle::c
