// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/quantities.hpp"

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"

using namespace trestle;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("dstack memory: decimal numbers with MB, GB and TB", "[dialect][dstack]") {
    struct Row {
        const char* text;
        Bytes expected;
        const char* why;
    };
    const Row rows[] = {
        {"32GB", gib(32), "the guide's"},
        {"4GB", Bytes(4'294'967'296), "GB is 2^30"},
        {"8", gib(8), "GB without a unit"},
        {"8gb", gib(8), "any case"},
        {"512MB", mib(512), "2^20"},
        {"2TB", tib(2), "2^40"},
        {"0.5GB", mib(512), "a fraction of whole bytes"},
        {"0.5", mib(512), "also without a unit"},
        {".5GB", mib(512), "Python's short forms"},
        {"5.GB", gib(5), "Python's short forms"},
        {"+16GB", gib(16), "a plus sign says nothing"},
        {"1e3", gib(1000), "an exponent"},
        {"1.5e1MB", mib(15), "with a point"},
        {"25e-2GB", mib(256), "a negative one"},
        {"1_000MB", mib(1000), "Python's separator"},
        {" 24 GB ", gib(24), "blanks count for nothing"},
        {"0GB", Bytes(), "zero"},
        {"0.0e9TB", Bytes(), "zero, however written"},
        {"0.00000095367431640625MB", Bytes(1), "one byte"},
        {"0.0009765625MB", kib(1), "one KiB"},
        {"0008GB", gib(8), "leading zeros"},
        {"8589934591GB", gib(8589934591), "the largest whole GB"},
        {"8796093022207.99999904632568359375MB", Bytes::max(), "the largest size"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto memory = dstack::parse_memory(row.text);
        INFO(message(memory.status()));
        REQUIRE(memory.ok());
        CHECK(memory->value() == row.expected.value());
    }
}

TEST_CASE("dstack memory: what is no size says what, where and what was expected",
          "[dialect][dstack]") {
    struct Row {
        const char* text;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"", "memory: malformed size at offset 0 (end of text): expected a size", "nothing"},
        {"-8GB", "negative size at offset 0 (\"-8GB\")", "mended: dstack takes it"},
        {"inf", "malformed size at offset 0 (\"inf\")", "mended: dstack takes it"},
        {"nan", "malformed size at offset 0 (\"nan\")", "mended: dstack takes it"},
        {"true", "malformed size at offset 0", "mended: dstack takes it for 1"},
        {"\u0663GB", "malformed size at offset 0", "mended: an Arabic three"},
        {"16G", "unknown unit at offset 2 (\"G\"): expected MB, GB or TB", "no short units"},
        {"16GiB", "unknown unit at offset 2", "nor long ones"},
        {"16 KB", "unknown unit at offset 3", "nor KB; the offset counts the blank"},
        {"16GBGB", "unknown unit at offset 2", "one unit"},
        {"1__0GB", "unknown unit at offset 1", "one separator"},
        {"_1GB", "malformed size", "between digits"},
        {".GB", "malformed size", "no digit"},
        {"1eGB", "unknown unit at offset 1", "an exponent without digits"},
        {"0.1GB", "size with part of a byte at offset 0", "107374182.4 bytes"},
        {"0.0000001MB", "size with part of a byte", "a tenth of a byte"},
        {"1e-400", "size with part of a byte", "far less than a byte"},
        {"8589934592GB", "size beyond 2^63 bytes at offset 0", "one more"},
        {"99999999999TB", "size beyond 2^63 bytes", "overflow"},
        {"1e308TB", "size beyond 2^63 bytes", "dstack makes inf of it"},
        {"1e99999999999999999999GB", "unknown unit", "an exponent beyond 64 bits"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto memory = dstack::parse_memory(row.text);
        REQUIRE_FALSE(memory.ok());
        CHECK(memory.status().code() == StatusCode::kInvalidArgument);
        const std::string line(message(memory.status()));
        CHECK_THAT(line, ContainsSubstring(row.expected));
        CHECK(line.find('\n') == std::string::npos);
    }
}

TEST_CASE("dstack memory: every number of bytes prints and is read back",
          "[dialect][dstack][law]") {
    CHECK(dstack::memory_text(gib(32)) == "32GB");
    CHECK(dstack::memory_text(tib(2)) == "2048GB");
    CHECK(dstack::memory_text(mib(512)) == "512MB");
    CHECK(dstack::memory_text(kib(512)) == "0.5MB");
    CHECK(dstack::memory_text(Bytes(1)) == "0.00000095367431640625MB");
    CHECK(dstack::memory_text(Bytes()) == "0GB");
    for (std::int64_t n = 0; n < 3000; ++n) {
        CHECK(dstack::parse_memory(dstack::memory_text(Bytes(n))).value() == Bytes(n));
    }
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    for (int i = 0; i < 2000; ++i) {
        const Bytes memory(static_cast<std::int64_t>(rng() >> (1 + rng.below(62))));
        const std::string text = dstack::memory_text(memory);
        INFO(text);
        CHECK(dstack::parse_memory(text).value() == memory);
    }
}

TEST_CASE("dstack ranges: ends may be open, a bare value is exact", "[dialect][dstack]") {
    struct Row {
        const char* text;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"8", "8", "exact, unlike in the guide"},
        {"4..8", "4..8", "closed"},
        {"4 .. 8", "4..8", "blanks"},
        {"4..", "4..", "no upper end"},
        {"..8", "..8", "no lower end"},
        {"4..4", "4", "one value"},
        {"4.0..8", "4..8", "a whole number with a point"},
        {"1_000", "1000", "Python's separator"},
        {"+4", "4", "a sign that says nothing"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        CHECK(to_text(dstack::parse_count_range(row.text).value()) == row.expected);
    }
    CHECK(dstack::memory_range_text(dstack::parse_memory_range("24GB..1TB").value()) ==
          "24GB..1024GB");
    CHECK(dstack::memory_range_text(dstack::parse_memory_range("0...5GB").value()) == "0GB..512MB");
    CHECK(dstack::memory_range_text(dstack::parse_memory_range("24..80GB").value()) ==
          "24GB..80GB");
    CHECK(dstack::memory_range_text(dstack::parse_memory_range("200GB..").value()) == "200GB..");
    CHECK(dstack::memory_range_text(dstack::parse_memory_range("..8GB").value()) == "..8GB");
    const auto versions = dstack::parse_version_range("7.5..8.10");
    CHECK(versions.value().contains(Version{8, 9}));
    CHECK_FALSE(versions.value().contains(Version{9, 0}));

    const Row errors[] = {
        {"..", "count range: empty range at offset 0 (\"..\"): expected min.., ..max or both",
         "open"},
        {"8..4", "a range that goes down at offset 0", "downwards"},
        {"1..2..3", "malformed range at offset 0", "three ends"},
        {"1....3", "malformed range at offset 0", "two pairs of points"},
        {"1...3", "malformed count at offset 3 (\".3\")", "the third point belongs to the number"},
        {"-8..4", "negative count at offset 0", "mended: dstack takes it"},
        {"1 .. x", "malformed count at offset 5 (\"x\")", "the offset counts the blanks"},
        {"1.5", "malformed count at offset 0", "half a thing"},
        {"5.", "malformed count at offset 0", "as in dstack"},
        {"1e3", "malformed count at offset 0", "as in dstack"},
        {"", "malformed count at offset 0 (end of text)", "nothing"},
        {"99999999999999999999", "count beyond 2^63 at offset 0", "overflow"},
        {"9223372036854775808", "count beyond 2^63", "the first too many"},
    };
    for (const Row& row : errors) {
        INFO(row.text << ": " << row.why);
        const auto range = dstack::parse_count_range(row.text);
        REQUIRE_FALSE(range.ok());
        CHECK_THAT(std::string(message(range.status())), ContainsSubstring(row.expected));
    }
    for (const char* text : {"8", "8.", ".0", "8.0.0", "x", "8.0x", "-8.0", "99999999.0"}) {
        INFO(text);
        CHECK_FALSE(dstack::parse_version_range(text).ok());
    }
}
