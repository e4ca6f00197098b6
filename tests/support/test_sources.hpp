// SPDX-License-Identifier: Apache-2.0
#pragma once

// The sources of the tests, for tables that name the test that holds to a row.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace trestle {

/// The sources of all tests; literals that go on in the next line are one.
inline std::string test_sources() {
    std::string all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(TRESTLE_TEST_DIR)) {
        if (entry.path().extension() != ".cpp") continue;
        std::ifstream file(entry.path(), std::ios::binary);
        all += std::string(std::istreambuf_iterator<char>(file), {});
    }
    std::string joined;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i] == '"' && i + 1 < all.size() && all[i + 1] == '\n') {
            const std::size_t next = all.find_first_not_of(" \n", i + 1);
            if (next != std::string::npos && all[next] == '"') {
                i = next;
                continue;
            }
        }
        joined += all[i];
    }
    return joined;
}

}  // namespace trestle
