// SPDX-License-Identifier: Apache-2.0
// Recorded machines for tests: a folder that goes away, and an archive unpacked into one.
#pragma once

#include <stdlib.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

namespace trestle {

/// A new folder, removed with all that is in it. In memory where there is /dev/shm: a machine is
/// thousands of small files, which takes a disk some forty times longer.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        for (const std::filesystem::path& parent :
             {std::filesystem::path("/dev/shm"), std::filesystem::temp_directory_path()}) {
            std::string pattern = (parent / "trestle-XXXXXX").string();
            if (::mkdtemp(pattern.data()) == nullptr) continue;
            path_ = pattern;
            return;
        }
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

/// Unpacks a `.tar.bz2` that holds one folder. Returns that folder; nothing when tar or bzip2 are
/// missing or fail.
[[nodiscard]] inline std::optional<std::filesystem::path> unpack(
    const std::filesystem::path& archive, const TemporaryFolder& target) {
    const std::string command =
        "tar -xjf '" + archive.string() + "' -C '" + target.path().string() + "' >/dev/null 2>&1";
    const int status = std::system(command.c_str());  // NOLINT: a test, with names of its own
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
    for (const auto& entry : std::filesystem::directory_iterator(target.path())) {
        if (entry.is_directory()) return entry.path();
    }
    return std::nullopt;
}

}  // namespace trestle
