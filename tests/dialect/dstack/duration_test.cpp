// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/duration.hpp"

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/dialect/dstack/profile.hpp"

using namespace trestle;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("dstack durations: a whole number and a unit", "[dialect][dstack]") {
    struct Row {
        const char* text;
        std::int64_t seconds;
        const char* printed;
        const char* why;
    };
    const Row rows[] = {
        {"2h", 7200, "2h", "the guide's"},
        {"90", 90, "90s", "seconds without a unit"},
        {"90s", 90, "90s", "with it"},
        {"5m", 300, "5m", "minutes"},
        {"1d", 86400, "1d", "days"},
        {"2w", 1209600, "2w", "weeks"},
        {"24h", 86400, "1d", "printed in the largest unit"},
        {"0", 0, "0s", "none"},
        {"0w", 0, "0s", "however written"},
        {"2 h", 7200, "2h", "a blank between"},
        {" 2h ", 7200, "2h", "blanks around"},
        {"+5", 5, "5s", "a sign that says nothing"},
        {"1_000", 1000, "1000s", "Python's separator"},
        {"007", 7, "7s", "leading zeros"},
        {"9223372036854775807", INT64_MAX, "9223372036854775807s", "the longest"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto duration = dstack::parse_duration(row.text);
        REQUIRE(duration.ok());
        CHECK(duration->value() == row.seconds);
        CHECK(dstack::duration_text(*duration) == row.printed);
        CHECK(dstack::parse_duration_limit(row.text).value() ==
              dstack::DurationLimit{false, *duration});
    }
    const struct {
        const char* text;
        const char* expected;
        const char* why;
    } errors[] = {
        {"", "duration: malformed duration at offset 0 (end of text): expected a whole number",
         "nothing"},
        {"h", "malformed duration at offset 0 (\"h\")", "no number"},
        {"-5", "negative duration at offset 0 (\"-5\")", "mended: dstack takes it"},
        {"1.5h", "unknown unit of time at offset 1 (\".5h\")", "no fraction"},
        {"1h30m", "text behind a duration at offset 2 (\"30m\")", "no sum"},
        {"2H", "unknown unit of time at offset 1 (\"H\"): expected one of s, m, h, d and w",
         "small letters"},
        {"2hours", "text behind a duration at offset 2", "one letter"},
        {"1h\n", "text behind a duration at offset 2", "mended: dstack overlooks it"},
        {"inf", "malformed duration", "mended: dstack ends with an overflow"},
        {"nan", "malformed duration", "and this with another error"},
        {"\u0663h", "malformed duration", "mended: an Arabic three"},
        {"1__0", "malformed duration", "one separator"},
        {"9223372036854775808", "malformed duration", "one more"},
        {"9223372036854775807h", "duration beyond 2^63 seconds", "overflow"},
        {"off", "malformed duration", "only where one may be without end"},
    };
    for (const auto& row : errors) {
        INFO(row.text << ": " << row.why);
        const auto duration = dstack::parse_duration(row.text);
        REQUIRE_FALSE(duration.ok());
        CHECK_THAT(std::string(message(duration.status())), ContainsSubstring(row.expected));
    }
    for (const char* text : {"off", "OFF", "no", "false"}) {
        INFO(text);
        CHECK(to_text(dstack::parse_duration_limit(text).value()) == "off");
    }
    CHECK_THAT(std::string(message(dstack::parse_duration_limit("on").status())),
               ContainsSubstring("as in 2h, or off"));
}

TEST_CASE("dstack durations: print and read back", "[dialect][dstack][law]") {
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    for (int i = 0; i < 2000; ++i) {
        const Seconds duration(static_cast<std::int64_t>(rng() >> (1 + rng.below(62))));
        CHECK(dstack::parse_duration(dstack::duration_text(duration)).value() == duration);
    }
}

TEST_CASE("dstack prices: dollars with at most six decimals", "[dialect][dstack]") {
    const struct {
        const char* text;
        std::int64_t micros;
        const char* printed;
        const char* why;
    } rows[] = {
        {"2.03", 2'030'000, "2.03", "the guide's g5.12xlarge"},
        {"1", 1'000'000, "1", "whole dollars have no point"},
        {"0.000001", 1, "0.000001", "the smallest step"},
        {"1.50", 1'500'000, "1.5", "zeros at the end say nothing"},
        {"2.", 2'000'000, "2", "a point with nothing behind it, as a float may have"},
        {"0", 0, "0", "hosts of one's own cost nothing"},
        {"12.345678", 12'345'678, "12.345678", "all six decimals"},
        {"1000000000", 1'000'000'000'000'000, "1000000000", "the highest that is taken"},
    };
    for (const auto& row : rows) {
        INFO(row.text << ": " << row.why);
        CHECK(dstack::parse_price(row.text).value().value() == row.micros);
        CHECK(dstack::price_text(Microdollars(row.micros)) == row.printed);
    }
    const struct {
        const char* text;
        const char* why;
    } errors[] = {
        {"", "nothing"},
        {"-1", "nobody is paid to take one"},
        {"1e3", "no exponent"},
        {"inf", "no number"},
        {"0.0000001", "a seventh decimal"},
        {"1000000001", "above the highest"},
        {"$2", "no sign of the currency"},
        {"2,03", "a comma is no point"},
    };
    for (const auto& row : errors) {
        INFO(row.text << ": " << row.why);
        CHECK_THAT(std::string(message(dstack::parse_price(row.text).status())),
                   ContainsSubstring("price: malformed price at offset 0"));
    }
}
