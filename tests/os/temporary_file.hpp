// SPDX-License-Identifier: Apache-2.0
// Descriptions of machines for tests, as files.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/catch.hpp"

namespace trestle {

/// A file with this content that goes away.
class TemporaryFile {
  public:
    explicit TemporaryFile(const std::string& content) {
        path_ = (std::filesystem::temp_directory_path() / "trestle-machine-XXXXXX").string();
        const int fd = ::mkstemp(path_.data());
        REQUIRE(fd >= 0);
        std::ofstream(path_) << content;
        ::close(fd);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() { std::filesystem::remove(path_); }
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

}  // namespace trestle
