// SPDX-License-Identifier: Apache-2.0
#include "base/text_table.hpp"

#include "support/catch.hpp"

namespace trestle {
namespace {

TEST_CASE("text_table: columns as wide as their longest cell, no blanks at the ends", "[base]") {
    CHECK(
        detail::text_table<3>({{"name", "n", "what"}, {"a", "1000", ""}, {"long name", "", "b"}}) ==
        "name       n     what\n"
        "a          1000\n"
        "long name        b\n");
    CHECK(detail::text_table<2>({{"", ""}}) == "\n");
    CHECK(detail::text_table<2>({}).empty());
}

}  // namespace
}  // namespace trestle
