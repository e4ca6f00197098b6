// SPDX-License-Identifier: Apache-2.0
#include "trestle/version.hpp"

#include <string>

#include "support/catch.hpp"

TEST_CASE("Version: the text is made of the three numbers", "[version]") {
    const std::string expected = std::to_string(trestle::version_major) + "." +
                                 std::to_string(trestle::version_minor) + "." +
                                 std::to_string(trestle::version_patch);
    CHECK(trestle::version_text == expected);
}
