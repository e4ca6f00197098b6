// SPDX-License-Identifier: Apache-2.0
#include "trestle/base/text.hpp"

#include <vector>

#include "support/catch.hpp"
#include "support/contract.hpp"

using namespace trestle;

TEST_CASE("TextCursor: numbers", "[base]") {
    struct Row {
        const char* text;
        std::optional<std::uint64_t> number;
        std::size_t offset;
        const char* why;
    };
    const std::vector<Row> rows = {
        {"0", 0, 1, "zero"},
        {"42x", 42, 2, "stops at the first other character"},
        {"007", 7, 3, "leading zeros"},
        {"18446744073709551615", ~0ULL, 20, "the largest"},
        {"18446744073709551616", std::nullopt, 0, "one more overflows the sum"},
        {"99999999999999999999", std::nullopt, 0, "overflows the product"},
        {"", std::nullopt, 0, "nothing"},
        {"-1", std::nullopt, 0, "no sign"},
        {"+1", std::nullopt, 0, "no sign"},
        {" 1", std::nullopt, 0, "no blank"},
        {"x", std::nullopt, 0, "no digit"},
    };
    for (const Row& row : rows) {
        INFO(row.why << ": " << row.text);
        TextCursor cursor(row.text);
        CHECK(cursor.take_number() == row.number);
        CHECK(cursor.offset() == row.offset);
    }
}

TEST_CASE("TextCursor: accepting", "[base]") {
    TextCursor cursor("gpu:a100");
    CHECK_FALSE(cursor.accept('x'));
    CHECK(cursor.accept('g'));
    CHECK_FALSE(cursor.accept("pux"));
    CHECK(cursor.offset() == 1);
    CHECK(cursor.accept("pu"));
    CHECK(cursor.accept(':'));
    CHECK(cursor.rest() == "a100");
    CHECK(cursor.accept("a100"));
    CHECK(cursor.at_end());
    CHECK_FALSE(cursor.accept('a'));
    CHECK_FALSE(cursor.accept('\0'));
    CHECK(cursor.accept(""));
}

TEST_CASE("TextCursor: a NUL in the text is a character, not the end", "[base]") {
    TextCursor cursor(std::string_view("\0x", 2));
    CHECK_FALSE(cursor.at_end());
    CHECK(cursor.accept('\0'));
    CHECK(cursor.accept('x'));
    CHECK(cursor.at_end());
}

TEST_CASE("TextCursor: taking pieces", "[base]") {
    TextCursor cursor("name = value, rest");
    CHECK(cursor.take_until("=,") == "name ");
    CHECK(cursor.accept('='));
    cursor.skip_blanks();
    CHECK(cursor.take_while([](char c) { return c >= 'a' && c <= 'z'; }) == "value");
    CHECK(cursor.take_until("") == ", rest");
    CHECK(cursor.take_until("x").empty());
    cursor.skip_blanks();
    CHECK(cursor.at_end());
}

TEST_CASE("TextCursor: a copy looks ahead", "[base]") {
    TextCursor cursor("12");
    TextCursor look = cursor;
    static_cast<void>(look.take_number());
    CHECK(look.at_end());
    CHECK(cursor.offset() == 0);
}

TEST_CASE("TextCursor: errors say what, where and what was expected", "[base]") {
    struct Row {
        std::string text;
        std::size_t skipped;
        std::string line;
        const char* why;
    };
    const std::vector<Row> rows = {
        {"gpu:x,4", 4, "no count at offset 4 (\"x\"): expected a number", "up to a comma"},
        {"gpu:x 4", 4, "no count at offset 4 (\"x\"): expected a number", "up to a blank"},
        {"gpu:x\n4", 4, "no count at offset 4 (\"x\"): expected a number", "up to a line end"},
        {"gpu:", 4, "no count at offset 4 (end of text): expected a number", "the end"},
        {"gpu:,", 4, "no count at offset 4 (\",\"): expected a number", "a separator itself"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        TextCursor cursor(row.text);
        REQUIRE(cursor.accept(row.text.substr(0, row.skipped)));
        CHECK(to_text(cursor.error("no count", "a number")) == row.line);
    }
    CHECK(to_text(TextCursor("x").error("bad", "")) == "bad at offset 0 (\"x\")");
    CHECK(to_text(TextCursor("\na").error("bad", "")) == "bad at offset 0 (\"\\x0a\")");
    CHECK(to_text(TextCursor("\xc3\xa9").error("bad", "")) == "bad at offset 0 (\"\\xc3\\xa9\")");
    CHECK(TextCursor(std::string(100, 'x')).error("long", "").token.size() == 64);
}

TEST_CASE("TextCursor: a piece of a longer text counts from the start of that", "[base]") {
    TextCursor cursor("4x", 10);
    CHECK(cursor.offset() == 10);
    static_cast<void>(cursor.take_number());
    CHECK(cursor.error("bad", "").offset == 11);
}

TEST_CASE("TextResult: a value or an error, and asking for the other is a broken contract",
          "[base]") {
    const TextResult<std::string> good = std::string("yes");
    const TextResult<std::string> bad = TextError{1, "x", "bad", "good"};
    CHECK(good);
    CHECK_FALSE(bad);
    CHECK(*good == "yes");
    CHECK(good->size() == 3);
    CHECK(bad.error().what == "bad");
    CHECK(broken_contract([&] { static_cast<void>(*bad); }) == "the text was read");
    CHECK(broken_contract([&] { static_cast<void>(bad->size()); }) == "the text was read");
    CHECK(broken_contract([&] { static_cast<void>(good.error()); }) == "the text was not read");
}
