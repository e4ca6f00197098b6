// SPDX-License-Identifier: Apache-2.0
#include "trestle/base/status.hpp"

#include <cerrno>
#include <memory>

#include "base/errno_status.hpp"
#include "support/catch.hpp"

using namespace trestle;

namespace {

StatusOr<int> half(int x) {
    if (x % 2 != 0) return invalid_argument("{} is odd", x);
    return x / 2;
}

Status check_positive(int x) {
    if (x <= 0) return failed_precondition("{} is not positive", x);
    return absl::OkStatus();
}

StatusOr<int> quarter(int x) {
    TRESTLE_TRY_STATUS(check_positive(x));
    TRESTLE_TRY(const int once, half(x));
    TRESTLE_TRY(int twice, half(once));
    return twice;
}

Status check_quarter(int x) {
    TRESTLE_TRY_STATUS(quarter(x));
    return absl::OkStatus();
}

StatusOr<std::unique_ptr<int>> boxed(int x) { return std::make_unique<int>(x); }

StatusOr<int> unboxed(int x) {
    TRESTLE_TRY(const auto box, boxed(x));
    return *box;
}

}  // namespace

TEST_CASE("Status: factories give the code and the formatted message", "[base]") {
    CHECK(invalid_argument("{} at {}", "x", 4).code() == StatusCode::kInvalidArgument);
    CHECK(not_found("node {}", "n7").code() == StatusCode::kNotFound);
    CHECK(failed_precondition("taken").code() == StatusCode::kFailedPrecondition);
    const Status status = make_error(StatusCode::kUnavailable, "try {}", "later");
    CHECK(status.code() == StatusCode::kUnavailable);
    CHECK(message(status) == "try later");
}

TEST_CASE("Status: a text error keeps its place", "[base]") {
    const Status status = to_status("--gres", TextError{4, "x", "not a count", "a number"});
    CHECK(status.code() == StatusCode::kInvalidArgument);
    CHECK(message(status) == "--gres: not a count at offset 4 (\"x\"): expected a number");
}

TEST_CASE("Status: errno becomes the nearest code, with the text of the system", "[base]") {
    const Status missing = errno_status(ENOENT, "open /x");
    CHECK(missing.code() == StatusCode::kNotFound);
    CHECK(message(missing) == "open /x: No such file or directory");
    CHECK(errno_status(EACCES, "x").code() == StatusCode::kPermissionDenied);
    CHECK(errno_status(EPERM, "x").code() == StatusCode::kPermissionDenied);
    CHECK(errno_status(0, "x").ok());
}

TEST_CASE("Status: context goes in front and keeps the code", "[base]") {
    const Status status = with_context("node.conf line 3", not_found("no type {}", "a100"));
    CHECK(status.code() == StatusCode::kNotFound);
    CHECK(message(status) == "node.conf line 3: no type a100");
    CHECK(with_context("anything", absl::OkStatus()).ok());
}

TEST_CASE("Status: TRESTLE_TRY hands on values and errors", "[base]") {
    CHECK(quarter(12).value() == 3);
    CHECK(message(quarter(6).status()) == "3 is odd");
    CHECK(message(quarter(3).status()) == "3 is odd");
    CHECK(quarter(-4).status().code() == StatusCode::kFailedPrecondition);
    CHECK(message(quarter(-4).status()) == "-4 is not positive");
    CHECK(check_quarter(8).ok());
    CHECK(message(check_quarter(6)) == "3 is odd");
}

TEST_CASE("Status: TRESTLE_TRY moves values that cannot be copied", "[base]") {
    CHECK(unboxed(5).value() == 5);
}
