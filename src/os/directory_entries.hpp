// SPDX-License-Identifier: Apache-2.0
#pragma once

// What stands in a directory.
//
// Layer: os, private. Main function: directory_entries.

#include <string>
#include <vector>

#include "trestle/base/status.hpp"
#include "trestle/os/kernel.hpp"

namespace trestle::os::detail {

struct DirectoryEntry {
    std::string name;
    unsigned char type = 0;  ///< as getdents64(2) gives it, which some file systems leave open
};

/// All but `.` and `..`, in the order of the file system. The error names `shown_path`.
[[nodiscard]] StatusOr<std::vector<DirectoryEntry>> directory_entries(
    Kernel& kernel, int directory_fd, const std::string& shown_path);

}  // namespace trestle::os::detail
