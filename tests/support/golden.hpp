// SPDX-License-Identifier: Apache-2.0
// Golden files: the expected text stands in tests/golden, a change shows as a diff to review.
// With TRESTLE_UPDATE_GOLDEN=1 in the environment the files are written instead of compared.
#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "support/catch.hpp"
#include "support/paths.hpp"

namespace trestle {

/// True when this run writes golden files. "0" and the empty text count as no.
[[nodiscard]] inline bool is_updating_golden() {
    const char* text = std::getenv("TRESTLE_UPDATE_GOLDEN");
    return text != nullptr && std::string_view(text) != "" && std::string_view(text) != "0";
}

/// Checks that `actual` is what tests/golden/`name` holds, byte for byte.
inline void check_golden(const std::string& name, const std::string& actual) {
    const auto path = test_dir() / "golden" / name;
    if (is_updating_golden()) {
        std::ofstream(path, std::ios::binary) << actual;
        WARN("wrote " << path.string());
        return;
    }
    INFO("golden file " << path.string() << "; TRESTLE_UPDATE_GOLDEN=1 rewrites it");
    std::ifstream file(path, std::ios::binary);
    REQUIRE(file.is_open());
    const std::string expected{std::istreambuf_iterator<char>(file), {}};
    CHECK(actual == expected);
}

}  // namespace trestle
