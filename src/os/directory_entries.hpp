// SPDX-License-Identifier: Apache-2.0
#pragma once

// What stands in a directory.
//
// Layer: os, private. Main names: directory_entries, DirectoryReader.

#include <string>
#include <utility>
#include <vector>

#include "fd.hpp"
#include "trestle/base/status.hpp"
#include "trestle/os/kernel.hpp"

namespace trestle::os::detail {

struct DirectoryEntry {
    std::string name;
    unsigned char type = 0;  ///< as getdents64(2) gives it, which some file systems leave open
};

/// A directory read piece by piece, for those that may hold more than one wants to remember.
class DirectoryReader {
  public:
    /// The errors name `shown_path`. `kernel` outlives this.
    [[nodiscard]] static StatusOr<DirectoryReader> open(Kernel& kernel, int directory_fd,
                                                        std::string shown_path);
    /// The next few entries, none of them `.` or `..`; empty at the end. What was unlinked since
    /// the last ones stops nothing.
    [[nodiscard]] StatusOr<std::vector<DirectoryEntry>> next();

  private:
    DirectoryReader(Kernel& kernel, Fd fd, std::string shown_path)
        : kernel_(&kernel), fd_(std::move(fd)), shown_path_(std::move(shown_path)) {}

    Kernel* kernel_;
    Fd fd_;
    std::string shown_path_;
};

/// All but `.` and `..`, in the order of the file system. The error names `shown_path`.
[[nodiscard]] StatusOr<std::vector<DirectoryEntry>> directory_entries(
    Kernel& kernel, int directory_fd, const std::string& shown_path);

}  // namespace trestle::os::detail
