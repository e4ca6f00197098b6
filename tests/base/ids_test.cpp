// SPDX-License-Identifier: Apache-2.0
#include "trestle/base/ids.hpp"

#include <concepts>
#include <type_traits>

#include "support/catch.hpp"

using namespace trestle;

static_assert(std::regular<CoreId> && std::totally_ordered<CoreId>);
static_assert(std::is_trivially_copyable_v<CoreId> && sizeof(CoreId) == 4);
static_assert(sizeof(OwnerId) == 8, "the caller's numbers are 64 bits wide");

static_assert(!std::convertible_to<std::uint32_t, CoreId>, "a number is no id");
static_assert(!std::convertible_to<CoreId, std::uint32_t>, "an id is no number");
static_assert(!std::constructible_from<CoreId, OsIndex>);
static_assert(!std::constructible_from<OsIndex, CoreId>);
static_assert(!std::assignable_from<CoreId&, OsIndex>);
static_assert(!std::equality_comparable_with<CoreId, OsIndex>);

template <class T>
concept HasArithmetic = requires(T a) {
    a + a;
}
|| requires(T a) { ++a; };
static_assert(!HasArithmetic<CoreId>);

TEST_CASE("Ids: compare by their number", "[base]") {
    CHECK(CoreId() == CoreId(0));
    CHECK(CoreId(3) < CoreId(4));
    CHECK(CoreId(~0U).value() == ~0U);
    CHECK(OwnerId(1ULL << 40).value() == 1ULL << 40);
}
