// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/quantities.hpp"

#include <string>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/rng.hpp"

using namespace trestle;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("Slurm memory: whole numbers with a unit", "[dialect][slurm]") {
    struct Row {
        const char* text;
        Bytes expected;
        const char* why;
    };
    const Row rows[] = {
        {"512", mib(512), "no unit is MiB"},
        {"0", Bytes(), "zero is a number"},
        {"16G", gib(16), "the option of the guide"},
        {"32G", gib(32), "and its second"},
        {"4GB", Bytes(4'294'967'296), "a B may follow; GB is GiB"},
        {"4gb", gib(4), "any case"},
        {"1T", tib(1), "the largest unit"},
        {"7M", mib(7), "the default written out"},
        {"1K", mib(1), "KiB round up to a whole MiB"},
        {"1024K", mib(1), "nothing to round"},
        {"1025K", mib(2), "one KiB over"},
        {"1025KB", mib(2), "KB is KiB in memory, unlike in a count"},
        {"512B", mib(512), "a bare B means no unit"},
        {"8388607T", tib(8388607), "the largest that fits 63 bits"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto memory = slurm::parse_memory(row.text);
        REQUIRE(memory.ok());
        CHECK(memory->value() == row.expected.value());
    }
}

TEST_CASE("Slurm memory: what is no memory says what, where and what was expected",
          "[dialect][slurm]") {
    struct Row {
        const char* text;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"", "malformed memory at offset 0 (end of text): expected a whole number", "nothing"},
        {"-5G", "negative memory at offset 0 (\"-5G\"): expected", "below zero"},
        {"+5G", "malformed memory at offset 0", "no signs at all"},
        {"1.5G", "unknown memory unit at offset 1 (\".5G\")", "no fractions"},
        {"5X", "unknown memory unit at offset 1 (\"X\")", "no such unit"},
        {"5GiB", "unknown memory unit at offset 1", "counts know it, memory does not"},
        {"5P", "unknown memory unit at offset 1", "the list ends at T"},
        {"5 G", "unknown memory unit at offset 1", "no blanks"},
        {"G", "malformed memory at offset 0", "a unit alone"},
        {"99999999999T", "memory beyond 2^63 bytes at offset 0 (\"99999999999T\")", "overflow"},
        {"8388608T", "memory beyond 2^63 bytes at offset 0", "the first that overflows"},
        {"9007199254740992K", "memory beyond 2^63 bytes", "the same by KiB"},
        {"18446744073709551616", "memory beyond 2^63 bytes", "beyond 64 bits already"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto memory = slurm::parse_memory(row.text);
        REQUIRE_FALSE(memory.ok());
        CHECK(memory.status().code() == StatusCode::kInvalidArgument);
        const std::string line(message(memory.status()));
        CHECK_THAT(line, ContainsSubstring(row.expected));
        CHECK(line.find('\n') == std::string::npos);
    }
}

TEST_CASE("Slurm memory: what is printed is read back", "[dialect][slurm][law]") {
    CHECK(slurm::memory_text(gib(16)) == "16G");
    CHECK(slurm::memory_text(mib(1536)) == "1536");
    CHECK(slurm::memory_text(tib(2048)) == "2048T");
    CHECK(slurm::memory_text(Bytes()) == "0");
    CHECK(slurm::memory_text(Bytes(1)) == "1");
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    for (int i = 0; i < 1000; ++i) {
        const Bytes memory =
            mib(rng.in(Interval<std::int64_t>{0, std::int64_t{1} << rng.below(43)}));
        INFO(memory.value());
        CHECK(slurm::parse_memory(slurm::memory_text(memory)).value() == memory);
    }
}

TEST_CASE("Slurm count: suffixes are binary with one letter, decimal with a b",
          "[dialect][slurm]") {
    struct Row {
        const char* text;
        std::int64_t expected;
        const char* why;
    };
    const Row rows[] = {
        {"0", 0, "zero"},
        {"007", 7, "leading zeros count nothing"},
        {"4k", 4096, "k is 1024"},
        {"4K", 4096, "any case"},
        {"4KiB", 4096, "the long form"},
        {"4kb", 4000, "kb is 1000"},
        {"2m", 2097152, "2^20"},
        {"2mb", 2000000, "10^6"},
        {"1g", 1073741824, "2^30"},
        {"1tb", 1000000000000, "10^12"},
        {"1p", 1125899906842624, "2^50"},
        {"9223372036854775807", INT64_MAX, "the largest"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        CHECK(slurm::is_count(row.text));
        CHECK(slurm::parse_count(row.text).value().value() == row.expected);
    }
    for (const char* text : {"", "k", "-1", "2x", "1.5", "2 k", "2kk", "a100", "1g.10gb"}) {
        INFO(text);
        CHECK_FALSE(slurm::is_count(text));
        CHECK_FALSE(slurm::parse_count(text).ok());
    }
    for (const char* text : {"9223372036854775808", "99999999999999999999", "8192p"}) {
        INFO(text);
        CHECK(slurm::is_count(text));  // the form of a count, though nobody can hold it
        CHECK_THAT(std::string(message(slurm::parse_count(text).status())),
                   ContainsSubstring("count beyond 2^63 at offset 0"));
    }
}

TEST_CASE("Slurm time: all forms, rounded up to minutes", "[dialect][slurm]") {
    struct Row {
        const char* text;
        std::int64_t minutes;
        const char* why;
    };
    const Row rows[] = {
        {"30", 30, "minutes alone"},
        {"0", 0, "zero"},
        {"2:00", 2, "m:s"},
        {"2:01", 3, "one second over"},
        {"2:00:00", 120, "h:m:s of the guide"},
        {"48:00:00", 2880, "hours beyond a day"},
        {"1-0", 1440, "d-h"},
        {"1-2:3", 1563, "d-h:m"},
        {"1-2:3:4", 1564, "d-h:m:s rounded up"},
        {"1-00:00:00", 1440, "what sinfo prints"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        CHECK(slurm::parse_time(row.text).value() == Seconds(row.minutes * 60));
    }
    CHECK_FALSE(slurm::parse_time("UNLIMITED").value().has_value());
    CHECK_FALSE(slurm::parse_time("infinite").value().has_value());
    for (const char* text : {"", "-1", "1:", ":1", "1:2:3:4", "1-", "1-2:3:4:5", "1-2-3", "2h",
                             "1 0", "99999999999", "2147483647:00:00", "1:2:"}) {
        INFO(text);
        CHECK_FALSE(slurm::parse_time(text).ok());
    }
}
