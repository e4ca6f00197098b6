// SPDX-License-Identifier: Apache-2.0
// Where tests find files: those of the repository, and the full openb trace outside it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace trestle {

/// tests/ of the source tree: golden files, recorded data.
[[nodiscard]] inline std::filesystem::path test_dir() { return TRESTLE_TEST_DIR; }

/// Recorded data of the repository; its README.md lists sources and licences. A test that does not
/// find its file here fails.
[[nodiscard]] inline std::filesystem::path data_dir() { return test_dir() / "data"; }

/// The folder that the environment variable TRESTLE_DATA names; nullopt without it. The layout is
/// in tests/data/README.md. Only what needs the full openb trace uses it.
/// Pitfall: once the variable is set, a missing file is a failure, not a reason to skip.
[[nodiscard]] inline std::optional<std::filesystem::path> outside_data_dir() {
    const char* dir = std::getenv("TRESTLE_DATA");
    if (dir == nullptr || *dir == '\0') return std::nullopt;
    return dir;
}

}  // namespace trestle
