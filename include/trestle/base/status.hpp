// SPDX-License-Identifier: Apache-2.0
#pragma once

// Status: the one place that knows absl::Status and absl::string_view.
//
// Layer: base. Makes errors from std strings, fmt formats, TextError and errno; reads their message
// as std::string_view; TRESTLE_TRY hands an error on. Debian's Abseil has its own string_view,
// which no other header names.
// Pitfall: base and set types do not include this header (it costs 0.7 s to compile); model and
// above may return Status.

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/core.h>

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

#include "trestle/base/fmt.hpp"
#include "trestle/base/text.hpp"

namespace trestle {

using absl::Status;
using absl::StatusCode;
using absl::StatusOr;

/// An error with a formatted message. Requires: `code` is not kOk.
template <class... Args>
[[nodiscard]] Status make_error(StatusCode code, fmt::format_string<Args...> format,
                                Args&&... args) {
    return Status(code, fmt::format(format, std::forward<Args>(args)...));
}
/// Bad text, an inconsistent description, a wrong request.
template <class... Args>
[[nodiscard]] Status invalid_argument(fmt::format_string<Args...> format, Args&&... args) {
    return make_error(StatusCode::kInvalidArgument, format, std::forward<Args>(args)...);
}
/// NotFound: no object has this name.
template <class... Args>
[[nodiscard]] Status not_found(fmt::format_string<Args...> format, Args&&... args) {
    return make_error(StatusCode::kNotFound, format, std::forward<Args>(args)...);
}
/// The state does not allow it: already taken, not owned, still in use.
template <class... Args>
[[nodiscard]] Status failed_precondition(fmt::format_string<Args...> format, Args&&... args) {
    return make_error(StatusCode::kFailedPrecondition, format, std::forward<Args>(args)...);
}

/// `where` names the option or file, as in `--gres: not a count at offset 4 ("x"): expected ...`.
[[nodiscard]] inline Status to_status(std::string_view where, const TextError& error) {
    return invalid_argument("{}: {}", where, to_text(error));
}

/// The message without the code. Valid while `status` lives.
[[nodiscard]] inline std::string_view message(const Status& status) {
    return {status.message().data(), status.message().size()};
}

/// The same code with `context: ` before the message. An ok status stays ok.
[[nodiscard]] inline Status with_context(std::string_view context, const Status& status) {
    if (status.ok()) return status;
    return make_error(status.code(), "{}: {}", context, message(status));
}

namespace detail {
[[nodiscard]] inline const Status& status_of(const Status& status) { return status; }
template <class T>
[[nodiscard]] const Status& status_of(const StatusOr<T>& result) {
    return result.status();
}
}  // namespace detail

/// A value with rules of its own, which check(value) tells.
template <class T>
concept HasCheck = requires(const T& value) {
    { check(value) } -> std::same_as<Status>;
};

}  // namespace trestle

#define TRESTLE_DETAIL_JOIN2(a, b) a##b
#define TRESTLE_DETAIL_JOIN(a, b) TRESTLE_DETAIL_JOIN2(a, b)
#define TRESTLE_DETAIL_TRY(result, target, expression)             \
    auto result = (expression);                                    \
    if (!result.ok()) return ::trestle::detail::status_of(result); \
    target = *std::move(result)

/// TRESTLE_TRY(auto x, parse(text)): x is the value, or the function returns the error.
#define TRESTLE_TRY(target, expression) \
    TRESTLE_DETAIL_TRY(TRESTLE_DETAIL_JOIN(trestle_try_, __LINE__), target, expression)

/// TRESTLE_TRY_STATUS(check(x)): goes on when ok, or the function returns the error.
#define TRESTLE_TRY_STATUS(expression)                                                   \
    do {                                                                                 \
        const auto& trestle_status_ = (expression);                                      \
        if (!trestle_status_.ok()) return ::trestle::detail::status_of(trestle_status_); \
    } while (false)
