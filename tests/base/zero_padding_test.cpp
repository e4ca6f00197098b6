// SPDX-License-Identifier: Apache-2.0
#include "base/zero_padding.hpp"

#include <limits>
#include <string>

#include "support/catch.hpp"

namespace trestle {
namespace {

std::string written(std::uint64_t number, std::uint32_t width) {
    std::string text = "n";
    append_number(text, number, width);
    return text;
}

}  // namespace

TEST_CASE("decimal: digits are those of the number as it is written", "[base]") {
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{9}, std::uint64_t{10},
                                       std::uint64_t{99}, std::uint64_t{100}, most}) {
        CHECK(digits_of(number) == std::to_string(number).size());
    }
}

TEST_CASE("decimal: a width is a least number of digits", "[base]") {
    CHECK(written(7, 0) == "n7");
    CHECK(written(7, 1) == "n7");
    CHECK(written(7, 3) == "n007");
    CHECK(written(1234, 3) == "n1234");
    CHECK(written(0, 2) == "n00");
}

}  // namespace trestle
