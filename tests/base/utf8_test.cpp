// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.hpp"

#include <string_view>

#include "support/catch.hpp"

namespace trestle {
namespace {

TEST_CASE("is_utf8: what RFC 3629 allows and nothing else", "[base]") {
    struct Row {
        const char* why;
        std::string_view text;
        bool is_text;
    };
    using namespace std::string_view_literals;
    const Row rows[] = {
        {"empty", ""sv, true},
        {"ASCII, a zero byte too", "a\0z\x7f"sv, true},
        {"the first and last of two bytes", "\xc2\x80\xdf\xbf"sv, true},
        {"the first and last of three bytes", "\xe0\xa0\x80\xef\xbf\xbf"sv, true},
        {"the first and last of four bytes", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"sv, true},
        {"beside the surrogates", "\xed\x9f\xbf\xee\x80\x80"sv, true},
        {"Latin-1", "caf\xe9"sv, false},
        {"Latin-1 before a letter", "\xe9t\xe9 "sv, false},
        {"cut off after one of two", "\xc3"sv, false},
        {"cut off after two of three", "a\xe2\x82"sv, false},
        {"cut off after three of four", "\xf0\x9f\x98"sv, false},
        {"a byte that continues nothing", "a\x80"sv, false},
        {"overlong in two", "\xc0\x80"sv, false},
        {"overlong in two, the last", "\xc1\xbf"sv, false},
        {"overlong in three", "\xe0\x9f\xbf"sv, false},
        {"overlong in four", "\xf0\x8f\xbf\xbf"sv, false},
        {"a surrogate", "\xed\xa0\x80"sv, false},
        {"above U+10FFFF", "\xf4\x90\x80\x80"sv, false},
        {"five bytes", "\xf8\x88\x80\x80\x80"sv, false},
        {"no first byte", "\xff"sv, false},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(is_utf8(row.text) == row.is_text);
    }
}

}  // namespace
}  // namespace trestle
