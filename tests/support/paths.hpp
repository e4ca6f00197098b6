// SPDX-License-Identifier: Apache-2.0
// Where tests find files: those of the repository, and outside data that may be absent.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace trestle {

/// tests/ of the source tree: golden files, recorded machines.
[[nodiscard]] inline std::filesystem::path test_dir() { return TRESTLE_TEST_DIR; }

/// Outside data: TRESTLE_DATA, or a sibling shared/data of the repository. May not exist: a test
/// that needs it has to say so and pass.
[[nodiscard]] inline std::filesystem::path data_dir() {
    const char* dir = std::getenv("TRESTLE_DATA");
    return dir == nullptr ? test_dir() / "../../shared/data" : std::filesystem::path(dir);
}

}  // namespace trestle
