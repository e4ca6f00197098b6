// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/container/quantity.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle::container {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

TEST_CASE("quantity: what Kubernetes' own documents write", "[dialect][container]") {
    struct Row {
        const char* text;
        std::int64_t bytes;
        const char* why;
    };
    const Row rows[] = {
        {"128974848", 128974848, "plain bytes"},
        {"129e6", 129000000, "an exponent"},
        {"129M", 129000000, "a million"},
        {"128974848000m", 128974848, "thousandths that make whole bytes"},
        {"123Mi", 128974848, "2^20"},
        {"0", 0, "nothing"},
        {"0Ei", 0, "nothing of much"},
        {"1Ki", 1024, "the least binary suffix"},
        {"7Ei", std::int64_t{7} << 60, "the largest that fits"},
        {"9223372036854775807", most, "the largest number"},
        {"16Gi", std::int64_t{16} << 30, "memory as it is usually written"},
        {"1.5Gi", std::int64_t{3} << 29, "a fraction that is whole"},
        {".5Ki", 512, "no digit before the point"},
        {"5.Ki", 5120, "none behind it"},
        {"+1k", 1000, "a sign"},
        {"1E", 1000000000000000000, "the suffix"},
        {"1E3", 1000, "the exponent"},
        {"1e-3", 1, "rounded up"},
        {"0.1", 1, "rounded up"},
        {"400m", 1, "0.4 bytes, which is never what was meant, and is one"},
        {"1001m", 2, "a little more than one"},
        {"1n", 1, "rounded up from far"},
        {"1e-99", 1, "from very far"},
        {"1.00000000000000000000000000000000", 1, "zeros that say nothing"},
        {"00000000000000000000000000000001", 1, "and in front"},
        {"0.000001Ti", 1099512, "rounded up"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto read = read_bytes(row.text);
        REQUIRE(read);
        CHECK(read->value() == row.bytes);
    }
}

TEST_CASE("quantity: CPUs in thousandths, and counts that are whole", "[dialect][container]") {
    CHECK(*read_milli_cpus("2") == MilliCpu(2000));
    CHECK(*read_milli_cpus("1500m") == MilliCpu(1500));
    CHECK(*read_milli_cpus("0.1") == MilliCpu(100));
    CHECK(*read_milli_cpus("1.5") == MilliCpu(1500));
    CHECK(*read_milli_cpus("100u") == MilliCpu(1));
    CHECK(*read_milli_cpus("9223372036854775807m") == MilliCpu(most));
    CHECK_FALSE(read_milli_cpus("9223372036854775807"));
    CHECK(*read_count("2") == Count(2));
    CHECK(*read_count("2000m") == Count(2));
    CHECK(*read_count("1k") == Count(1000));
    CHECK_FALSE(read_count("1500m"));
    CHECK_FALSE(read_count("0.5"));
}

TEST_CASE("quantity: what is none", "[dialect][container]") {
    struct Row {
        const char* text;
        std::size_t offset;
        const char* what;
        const char* why;
    };
    const Row rows[] = {
        {"", 0, "not a quantity", "nothing"},
        {"Gi", 0, "not a quantity", "a suffix alone"},
        {".", 0, "not a quantity", "a point alone"},
        {"-1", 0, "not a quantity", "negative"},
        {"1 Gi", 1, "unknown suffix", "a blank"},
        {"1GB", 1, "unknown suffix", "not Kubernetes'"},
        {"1gi", 1, "unknown suffix", "case matters"},
        {"1K", 1, "unknown suffix", "a thousand is a small k"},
        {"1MI", 1, "unknown suffix", "case matters behind too"},
        {"1.2.3", 3, "unknown suffix", "two points"},
        {"1e", 1, "unknown suffix", "no exponent"},
        {"1e3Gi", 1, "unknown suffix", "an exponent and a suffix"},
        {"1e100", 1, "unknown suffix", "an exponent beyond any need"},
        {"0x10", 1, "unknown suffix", "no hexadecimal numbers"},
        {"9223372036854775808", 0, "out of range", "2^63"},
        {"8Ei", 0, "out of range", "2^63"},
        {"18446744073709551616", 0, "not a quantity", "2^64"},
        {"1e99", 0, "out of range", "far too much"},
        {"17179869184Ei", 0, "out of range", "beyond every integer"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto read = read_bytes(row.text);
        REQUIRE_FALSE(read);
        CHECK(read.error().offset == row.offset);
        CHECK(read.error().what == row.what);
        CHECK_FALSE(read.error().expected.empty());
    }
}

TEST_CASE("quantity: prints and is read as the same", "[dialect][container][law]") {
    CHECK(quantity_text(gib(16)) == "16Gi");
    CHECK(quantity_text(Bytes(1000)) == "1000");
    CHECK(quantity_text(Bytes(0)) == "0");
    CHECK(quantity_text(Bytes(std::int64_t{1} << 62)) == "4Ei");
    CHECK(quantity_text(MilliCpu(4000)) == "4");
    CHECK(quantity_text(MilliCpu(4001)) == "4001m");
    CHECK(quantity_text(Count(7)) == "7");
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(2000u)}, [](testing::Choices& choices) {
        const auto digits = choices.below(std::uint64_t{1} << 40);
        const auto shift = choices.below(23);
        const auto number = static_cast<std::int64_t>(digits << shift);
        REQUIRE(read_bytes(quantity_text(Bytes(number))).has_value());
        REQUIRE(*read_bytes(quantity_text(Bytes(number))) == Bytes(number));
        REQUIRE(*read_milli_cpus(quantity_text(MilliCpu(number))) == MilliCpu(number));
        REQUIRE(*read_count(quantity_text(Count(number))) == Count(number));
    });
}

/// The plain way: thousandth-millionths, by multiplication alone; only for numbers that fit.
std::int64_t oracle(std::uint64_t tenths, std::int64_t nano_of_unit) {
    const std::int64_t nanos = static_cast<std::int64_t>(tenths) * nano_of_unit / 10;
    return (nanos + 999'999'999) / 1'000'000'000;
}

TEST_CASE("quantity: all tenths up to 30 with every small suffix", "[dialect][container]") {
    struct Row {
        const char* suffix;
        std::int64_t nanos;
    };
    const std::array rows = {Row{"n", 1},
                             Row{"u", 1'000},
                             Row{"m", 1'000'000},
                             Row{"", 1'000'000'000},
                             Row{"k", 1'000'000'000'000},
                             Row{"Ki", 1'024'000'000'000},
                             Row{"M", 1'000'000'000'000'000},
                             Row{"Mi", 1'048'576'000'000'000},
                             Row{"e2", 100'000'000'000},
                             Row{"e-2", 10'000'000}};
    for (const Row& row : rows) {
        for (std::uint64_t tenths = 0; tenths < 300; ++tenths) {
            if (row.nanos == 1 && tenths % 10 != 0) continue;  // below a thousand-millionth
            const std::string text =
                std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + row.suffix;
            INFO(text);
            const auto read = read_bytes(text);
            REQUIRE(read);
            REQUIRE(read->value() == oracle(tenths, row.nanos));
        }
    }
}

}  // namespace
}  // namespace trestle::container
