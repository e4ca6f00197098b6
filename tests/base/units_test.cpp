// SPDX-License-Identifier: Apache-2.0
#include "trestle/base/units.hpp"

#include <concepts>
#include <optional>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"
#include "support/contract.hpp"

using namespace trestle;

static_assert(std::regular<Bytes> && std::totally_ordered<Bytes>);
static_assert(std::is_trivially_copyable_v<Bytes> && sizeof(Bytes) == 8);
static_assert(!std::convertible_to<std::int64_t, Bytes> &&
              !std::convertible_to<Bytes, std::int64_t>);
static_assert(!std::constructible_from<Bytes, MilliCpu>);

template <class A, class B>
concept CanAdd = requires(A a, B b) {
    a + b;
};
static_assert(CanAdd<Bytes, Bytes> && !CanAdd<Bytes, Count> && !CanAdd<Bytes, std::int64_t>);

static_assert(gib(1).value() == 1LL << 30 && tib(2) == gib(2048) && mib(1) == kib(1024));
static_assert(cpus(2) == MilliCpu(2000));

static_assert(4_KiB == kib(4) && 3_MiB == mib(3) && 512_GiB == gib(512) && 2_TiB == tib(2));
static_assert(0_KiB == Bytes() && 1'024_MiB == 1_GiB);

static_assert(8'388'607_TiB + Bytes((1LL << 40) - 1) == Bytes::max(), "the largest");

namespace with_literals_only {

using namespace trestle::literals;

struct Job {
    trestle::Bytes memory = 512_GiB;
};
trestle::Bytes or_default(trestle::Bytes memory = 4_KiB) { return memory; }

}  // namespace with_literals_only

TEST_CASE("Quantity: literals stand wherever a value does", "[base]") {
    CHECK(with_literals_only::Job().memory == gib(512));
    CHECK(with_literals_only::or_default() == kib(4));
    const std::vector<Bytes> list = {1_KiB, 1_MiB, 1_GiB, 1_TiB};
    CHECK(list == std::vector<Bytes>{kib(1), mib(1), gib(1), tib(1)});
    const auto later = [] { return 2_GiB; };
    CHECK(later() + 1_GiB == 3_GiB);
}

TEST_CASE("Quantity: literals are decimal integers that fit", "[base]") {
    struct Row {
        const char* literal;
        std::optional<Bytes> bytes;
    };
    const std::vector<Row> rows = {
        {"0", Bytes(0)},
        {"7", kib(7)},
        {"1'000", kib(1000)},
        {"9007199254740991", Bytes(9'007'199'254'740'991 * 1024)},
        {"9007199254740992", std::nullopt},      // 2^63 bytes
        {"18014398509481985", std::nullopt},     // 1 KiB modulo 2^64 bytes
        {"9223372036854775808", std::nullopt},   // 2^63 units
        {"18446744073709551617", std::nullopt},  // 2^64 + 1 units
        {"010", std::nullopt},                   // would be octal
        {"0x10", std::nullopt},
        {"0b1", std::nullopt},
        {"1.5", std::nullopt},
        {"1e3", std::nullopt},
    };
    for (const Row& row : rows) {
        INFO(row.literal);
        CHECK(detail::literal_bytes(row.literal, kib(1)) == row.bytes);
    }
}

TEST_CASE("Quantity: arithmetic", "[base]") {
    CHECK(Bytes(3) + Bytes(4) == Bytes(7));
    CHECK(Bytes(4) - Bytes(4) == Bytes(0));
    CHECK(Bytes(3) * 0 == Bytes());
    Bytes sum = gib(1);
    sum += gib(2);
    sum -= gib(1);
    CHECK(sum == gib(2));
    CHECK(Bytes().is_zero());
    CHECK(Bytes(1) < Bytes(2));
}

TEST_CASE("Quantity: the ends of the range", "[base]") {
    const Bytes max = Bytes::max();
    CHECK(checked_add(max, Bytes(0)) == max);
    CHECK_FALSE(checked_add(max, Bytes(1)));
    CHECK(checked_mul(max, 1) == max);
    CHECK_FALSE(checked_mul(max, 2));
    CHECK_FALSE(checked_mul(Bytes(1), -1));
    CHECK(checked_mul(Bytes(0), 99) == Bytes(0));
    CHECK(saturating_add(Bytes(3), Bytes(5)) == Bytes(8));
    CHECK(saturating_add(max, Bytes(1)) == max);
    CHECK(saturating_sub(Bytes(3), Bytes(5)) == Bytes(0));
    CHECK(saturating_sub(Bytes(5), Bytes(3)) == Bytes(2));
    CHECK(saturating_sub(max, max) == Bytes(0));
}

TEST_CASE("Quantity: division says how it rounds", "[base]") {
    struct Row {
        std::int64_t value, divisor, floor, ceil;
    };
    for (const Row& row : {Row{7, 2, 3, 4}, Row{8, 2, 4, 4}, Row{0, 3, 0, 0}, Row{1, 3, 0, 1},
                           Row{Bytes::max().value(), 2, (1LL << 62) - 1, 1LL << 62}}) {
        INFO(row.value << " / " << row.divisor);
        CHECK(div_floor(Bytes(row.value), row.divisor) == Bytes(row.floor));
        CHECK(div_ceil(Bytes(row.value), row.divisor) == Bytes(row.ceil));
    }
}

TEST_CASE("Quantity: leaving the range is a broken contract", "[base]") {
    const auto unused = [](auto value) { static_cast<void>(value); };
    CHECK(broken_contract([&] { unused(Bytes(-1)); }) == "a quantity is not negative");
    CHECK(broken_contract([&] { unused(Bytes::max() + Bytes(1)); }) ==
          "a sum of quantities fits 63 bits");
    CHECK(broken_contract([&] { unused(Bytes(1) - Bytes(2)); }) ==
          "a difference of quantities is not negative");
    CHECK(broken_contract([&] { unused(gib(1) * (1LL << 40)); }) ==
          "a product of a quantity fits 63 bits");
    CHECK(broken_contract([&] { unused(Bytes(1) * -1); }) ==
          "a product of a quantity fits 63 bits");
    CHECK(broken_contract([&] { unused(div_floor(Bytes(1), 0)); }) == "a divisor is positive");
    CHECK(broken_contract([&] { unused(div_ceil(Bytes(1), -2)); }) == "a divisor is positive");
    CHECK(broken_contract([&] { unused(tib(1LL << 40)); }) ==
          "a product of a quantity fits 63 bits");
}

TEST_CASE("Quantity: a broken contract leaves the value as it was", "[base]") {
    Bytes value = gib(1);
    CHECK_FALSE(broken_contract([&] { value -= gib(2); }).empty());
    CHECK_FALSE(broken_contract([&] { value += Bytes::max(); }).empty());
    CHECK(value == gib(1));
}

TEST_CASE("Instant: moments are seconds apart", "[base]") {
    static_assert(std::is_same_v<decltype(Instant(9) - Instant(4)), Seconds>);
    CHECK(Instant(9) - Instant(4) == Seconds(5));
    CHECK(Instant(4) + Seconds(5) == Instant(9));
    CHECK(saturating_add(Instant(4), Seconds::max()) == Instant::max());
    CHECK_FALSE(checked_add(Instant(4), Seconds::max()));
    CHECK(broken_contract([] { static_cast<void>(Instant(4) - Instant(9)); }) ==
          "a difference of quantities is not negative");
}
